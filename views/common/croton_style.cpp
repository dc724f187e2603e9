#include "views/common/croton_style.h"

#include "views/common/icons.h"
#include "views/common/theme.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

namespace views {

CrotonStyle::CrotonStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) { setObjectName(QStringLiteral("croton")); }

void CrotonStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter, const QWidget *widget) const
{
    const Theme &theme = Theme::current();
    const bool enabled = option->state & State_Enabled;
    switch (element) {
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck: {
        const QRectF box = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
        const bool on = option->state & (State_On | State_NoChange);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const QColor fill = !on ? theme.color(Color::Panel) : enabled ? theme.color(Color::Accent) : theme.color(Color::TextDisabled);
        const QColor line = on ? fill : enabled ? theme.color(Color::BorderStrong) : theme.color(Color::Border);
        painter->setPen(QPen(line, 1.0));
        painter->setBrush(fill);
        painter->drawRoundedRect(box, 3, 3);
        if (on) paintIcon(*painter, QStringLiteral("check"), box.adjusted(1.5, 1.5, -1.5, -1.5), theme.color(Color::TextOnAccent));
        painter->restore();
        return;
    }
    case PE_IndicatorArrowDown:
    case PE_IndicatorArrowUp:
    case PE_IndicatorArrowRight:
    case PE_IndicatorArrowLeft: {
        const char *name = element == PE_IndicatorArrowDown    ? "chevron-down"
                           : element == PE_IndicatorArrowUp    ? "chevron-up"
                           : element == PE_IndicatorArrowRight ? "chevron-right"
                                                               : "chevron-left";
        QRectF square(0, 0, 14, 14);
        square.moveCenter(QRectF(option->rect).center());
        paintIcon(*painter, QString::fromLatin1(name), square, theme.color(enabled ? Color::TextSecondary : Color::TextDisabled));
        return;
    }
    case PE_IndicatorBranch: {
        if (!(option->state & State_Children)) return;
        QRectF square(0, 0, 14, 14);
        square.moveCenter(QRectF(option->rect).center());
        const bool open = option->state & State_Open;
        paintIcon(*painter, open ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), square,
                  theme.color(Color::TextSecondary));
        return;
    }
    case PE_FrameFocusRect: {
        if (!(option->state & State_KeyboardFocusChange)) return;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(theme.color(Color::AccentFocus), 2.0));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), 4, 4);
        painter->restore();
        return;
    }
    case PE_PanelMenu:
    case PE_FrameMenu: painter->fillRect(option->rect, theme.color(Color::Raised)); return;
    default: QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

int CrotonStyle::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    const Theme &theme = Theme::current();
    switch (metric) {
    case PM_IndicatorWidth:
    case PM_IndicatorHeight: return theme.px(15);
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ToolBarIconSize: return theme.px(16);
    case PM_SplitterWidth:
    case PM_DockWidgetSeparatorExtent: return 1;
    case PM_ScrollBarExtent: return theme.px(10);
    case PM_DockWidgetFrameWidth:
    case PM_ToolBarFrameWidth:
    case PM_ToolBarItemMargin:
    case PM_ToolBarItemSpacing:
    case PM_DefaultFrameWidth: return 0;
    default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int CrotonStyle::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget, QStyleHintReturn *data) const
{
    switch (hint) {
    case SH_ToolTip_WakeUpDelay: return 400;
    case SH_EtchDisabledText:
    case SH_DitherDisabledText: return 0;
    case SH_ItemView_ShowDecorationSelected: return 1;
    default: return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

} // namespace views
