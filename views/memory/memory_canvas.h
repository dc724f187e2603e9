#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/memory/memory_rows.h"
#endif

#include "views/common/scroll_picture.h"

#include <memory>

namespace views {

enum class MemoryPicture : std::uint8_t { Lifetimes, Arena, OverTime };

/// Above what is held at each step, below the pieces that hold it; or what was measured over time.
class MemoryCanvas : public ScrollPicture {
    Q_OBJECT
public:
    explicit MemoryCanvas(QWidget *parent = nullptr);

    void setContents(MemoryPicture picture, std::shared_ptr<const MemoryRows> rows, const MemoryRows::OfFunction *function);
    void setChosen(int lifetime);
    int chosen() const { return m_chosen; }

    /// The piece at a place of the viewport; -1: none.
    int lifetimeAt(const QPointF &place) const;
    QRectF rectOf(int lifetime) const;
    /// The position of the call under the pointer; -1: none.
    int positionAt(const QPointF &place) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void chosenByPerson(int lifetime);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void layOut() override;
    QString tipAt(const QPointF &place) const override;
    void pointerLeft() override { m_hovered = -1; }

private:
    double left() const;
    double right() const;
    double courseHeight() const; ///< of the upper part
    double piecesTop() const;
    double barStep() const;
    double xOf(double position) const;
    int positions() const;

    void paintCourse(QPainter &painter) const;
    void paintLevel(QPainter &painter, std::int64_t bytes, const QString &name, Qt::PenStyle style, std::vector<double> &labels) const;
    void paintPieces(QPainter &painter) const;
    void paintPiece(QPainter &painter, int index, const QRectF &rect) const;
    void paintOverTime(QPainter &painter) const;

    MemoryPicture m_picture = MemoryPicture::Lifetimes;
    std::shared_ptr<const MemoryRows> m_rows;
    const MemoryRows::OfFunction *m_function = nullptr;
    int m_chosen = -1;
    int m_hovered = -1; ///< position
};

} // namespace views
