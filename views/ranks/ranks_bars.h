#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/model/model_job.h"
#endif
#include "views/common/theme.h"

#include <QWidget>

namespace views {

/// A bar for each rank, on one scale of time: functions, compiling, Python, moving data, and hatched what it waited for others.
class RanksBars : public QWidget {
    Q_OBJECT
public:
    explicit RanksBars(QWidget *parent = nullptr);
    /// `slowest`: a place in the ranks, marked; -1: none.
    void setJob(const profiler::Job &job, int slowest);
    int chosen() const { return m_chosen; }
    void choose(int place);
    QSize sizeHint() const override;

    struct Part {
        QString name;
        std::int64_t ns = 0;
        Color ink = Color::Cpu;
        bool hatched = false;
    };
    static std::vector<Part> partsOf(const profiler::RankRow &row);

Q_SIGNALS:
    void chosenByHand(int place);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    int placeAt(const QPointF &point) const;
    /// Where each word of the key begins, as many in a line as there is room for.
    std::vector<QPointF> keyPlaces() const;
    int keyHeight() const;
    std::vector<profiler::RankRow> m_ranks;
    std::int64_t m_longest = 1;
    int m_slowest = -1;
    int m_chosen = -1;
};

} // namespace views
