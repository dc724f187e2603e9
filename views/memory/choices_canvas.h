#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/memory/choices_rows.h"
#endif

#include "views/common/scroll_picture.h"

#include <memory>
#include <optional>

namespace views {

/// What a call would take by each alternative, as bars, with a line that is the budget: it is dragged with the mouse or moved by keys.
/// Below, what the plan that keeps it computes again.
class ChoicesCanvas : public ScrollPicture {
    Q_OBJECT
public:
    explicit ChoicesCanvas(QWidget *parent = nullptr);
    void setRows(std::shared_ptr<const ChoicesRows> rows);
    /// What keeps the budget; it may be that of a moment ago.
    void setPlan(std::optional<profiler::MemoryAlternative> plan, std::int64_t ofBudget);
    std::int64_t budget() const { return m_budget; }
    void setBudget(std::int64_t bytes);

    int rowCount() const; ///< of bars
    QRectF barOf(int row) const;
    double xOf(std::int64_t bytes) const;
    int rowAt(const QPointF &place) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void budgetMoved(qint64 bytes);
    /// An apply that is computed again was clicked.
    void repeatChosen(qint64 apply);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void layOut() override;
    QString tipAt(const QPointF &place) const override;

private:
    const profiler::MemoryAlternative *at(int row) const;
    double left() const;
    double right() const;
    double rowTop(int row) const;
    double repeatsTop() const;
    int repeatAt(const QPointF &place) const;
    void moveTo(double x);
    void paintRow(QPainter &painter, int row) const;
    void paintRepeats(QPainter &painter) const;
    void paintBudget(QPainter &painter) const;

    std::shared_ptr<const ChoicesRows> m_rows;
    std::optional<profiler::MemoryAlternative> m_plan;
    std::int64_t m_planBudget = -1;
    std::int64_t m_budget = 0;
    bool m_drags = false;
};

} // namespace views
