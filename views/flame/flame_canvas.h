#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/flame/flame_rows.h"
#endif

#include <QWidget>

#include <memory>

namespace views {

/// Frames under one another, roots on top. A click chooses a frame, a double click zooms into it, arrows walk.
class FlameCanvas : public QWidget {
    Q_OBJECT
public:
    explicit FlameCanvas(QWidget *parent = nullptr);

    void setRows(std::shared_ptr<const FlameRows> rows);
    void setHits(profiler::FlameHits hits);
    /// Fills the width with a node; those above it stay on top of it. 0: everything.
    void zoomTo(std::size_t node);
    std::size_t zoom() const { return m_zoom; }
    void setChosen(std::size_t node);
    std::size_t chosen() const { return m_chosen; }

    static constexpr std::size_t kNone = ~std::size_t{0};
    std::size_t nodeAt(const QPointF &place) const;
    QRectF rectOf(std::size_t node) const; ///< empty: not within the zoom
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void chosenByPerson(qulonglong node);
    void zoomChanged(qulonglong node);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    double rowHeight() const;
    int levels() const;
    bool isAbove(std::size_t node) const; ///< an ancestor of the zoom, or it
    void paintJoined(QPainter &painter, const QRectF &rect, int count) const;
    void paintNode(QPainter &painter, std::size_t node, const QRectF &rect) const;
    void walk(int key);

    std::shared_ptr<const FlameRows> m_rows;
    profiler::FlameHits m_hits;
    std::size_t m_zoom = 0;
    std::size_t m_chosen = kNone;
    std::size_t m_hovered = kNone;
};

} // namespace views
