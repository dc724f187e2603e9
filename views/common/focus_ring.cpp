#include "views/common/focus_ring.h"

#include "views/common/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFocusEvent>
#include <QPainter>

namespace views {
namespace {

constexpr int kOutside = 3;

bool byKeyboard(Qt::FocusReason reason)
{
    return reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
}

} // namespace

FocusRing::FocusRing(QWidget *window) : QWidget(window)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    hide();
    qApp->installEventFilter(this);
}

bool FocusRing::eventFilter(QObject *object, QEvent *event)
{
    auto *widget = qobject_cast<QWidget *>(object);
    if (!widget || widget == this || widget->window() != window()) return false;
    switch (event->type()) {
    case QEvent::FocusIn:
        m_keyboard = byKeyboard(static_cast<QFocusEvent *>(event)->reason());
        follow(m_keyboard ? widget : nullptr);
        break;
    case QEvent::MouseButtonPress:
    case QEvent::FocusOut: follow(nullptr); break;
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Hide:
        if (m_target && (widget == m_target || widget->isAncestorOf(m_target))) place();
        break;
    default: break;
    }
    return false;
}

void FocusRing::follow(QWidget *widget)
{
    m_target = widget;
    place();
}

void FocusRing::place()
{
    // Views that fill their place draw their own cursor: a ring around a whole canvas says nothing.
    const bool shown = m_target && m_target->isVisible() && m_target->height() < window()->height() / 3;
    setVisible(shown);
    if (!shown) return;
    const QPoint corner = m_target->mapTo(window(), QPoint(0, 0));
    setGeometry(QRect(corner, m_target->size()).adjusted(-kOutside, -kOutside, kOutside, kOutside));
    raise();
    update();
}

void FocusRing::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(Theme::current().color(Color::AccentFocus), 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
}

} // namespace views
