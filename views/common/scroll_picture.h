#pragma once

#include <QAbstractScrollArea>

namespace views {

/// A drawn picture that scrolls downwards. It follows the theme and its own size, and says as a tool tip what the pointer is on.
class ScrollPicture : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit ScrollPicture(QWidget *parent = nullptr);

protected:
    /// Sizes changed: says how high it is, by setPictureHeight.
    virtual void layOut() = 0;
    /// Of the viewport; empty: nothing is there.
    virtual QString tipAt(const QPointF &place) const = 0;
    /// The pointer is elsewhere now.
    virtual void pointerLeft() {}

    void setPictureHeight(double height, double step);
    /// Scrolls until all of it is seen, below what always stands down to `top`.
    void bringIntoView(const QRectF &rect, double top);

    void resizeEvent(QResizeEvent *event) override;
    bool viewportEvent(QEvent *event) override;
};

} // namespace views
