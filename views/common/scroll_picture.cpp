#include "views/common/scroll_picture.h"

#include "views/common/theme.h"

#include <QHelpEvent>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace views {

ScrollPicture::ScrollPicture(QWidget *parent) : QAbstractScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        layOut();
        viewport()->update();
    });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { viewport()->update(); });
}

void ScrollPicture::setPictureHeight(double height, double step)
{
    verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(std::ceil(height)) - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(static_cast<int>(step));
}

void ScrollPicture::bringIntoView(const QRectF &rect, double top)
{
    if (rect.isEmpty()) return;
    const double below = rect.bottom() - viewport()->height(), above = top - rect.top();
    if (below > 0) verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(std::ceil(below)));
    else if (above > 0) verticalScrollBar()->setValue(verticalScrollBar()->value() - static_cast<int>(std::ceil(above)));
}

void ScrollPicture::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

bool ScrollPicture::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        QToolTip::showText(help->globalPos(), tipAt(help->pos()), viewport()); // an empty text hides what is shown
        return true;
    }
    if (event->type() == QEvent::Leave) {
        pointerLeft();
        viewport()->update();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace views
