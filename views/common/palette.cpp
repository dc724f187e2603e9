#include "views/common/palette.h"

#include "views/common/croton_style.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <cmath>

namespace views {
namespace {

double digitWidth(const QFontMetricsF &metrics)
{
    double widest = 0;
    for (char digit = '0'; digit <= '9'; ++digit) widest = std::max(widest, metrics.horizontalAdvance(QLatin1Char(digit)));
    return widest;
}

void strokeLines(QPainter &painter, const QRectF &rect, double dx, double gap)
{
    const double reach = rect.height() * std::fabs(dx);
    for (double x = rect.left() - reach; x < rect.right() + reach; x += gap) {
        if (dx > 0) painter.drawLine(QPointF(x, rect.bottom()), QPointF(x + rect.height() * dx, rect.top()));
        else painter.drawLine(QPointF(x, rect.top()), QPointF(x - rect.height() * dx, rect.bottom()));
    }
}

} // namespace

void applyTheme(QApplication &application, Theme theme)
{
    Theme::setCurrent(std::move(theme));
    const Theme &now = Theme::current();
    static bool styled = false;
    if (!styled) QApplication::setStyle(new CrotonStyle);
    styled = true;
    QApplication::setFont(now.font(FontRole::Body));
    QApplication::setPalette(paletteOf(now));
    application.setStyleSheet(styleSheetOf(now));
    Q_EMIT ThemeNotifier::instance().changed();
}

QPalette paletteOf(const Theme &theme)
{
    QPalette palette;
    auto set = [&](QPalette::ColorRole role, Color color) { palette.setColor(role, theme.color(color)); };
    set(QPalette::Window, Color::Window);
    set(QPalette::WindowText, Color::TextPrimary);
    set(QPalette::Base, Color::Panel);
    set(QPalette::AlternateBase, Color::Window);
    set(QPalette::Text, Color::TextPrimary);
    set(QPalette::PlaceholderText, Color::TextMuted);
    set(QPalette::Button, Color::Raised);
    set(QPalette::ButtonText, Color::TextPrimary);
    set(QPalette::BrightText, Color::TextOnAccent);
    set(QPalette::ToolTipBase, Color::Tooltip);
    set(QPalette::ToolTipText, Color::TooltipText);
    set(QPalette::Highlight, Color::SelectionFill);
    set(QPalette::HighlightedText, Color::SelectionText);
    set(QPalette::Link, Color::TextLink);
    set(QPalette::LinkVisited, Color::TextLink);
    set(QPalette::Light, Color::Raised);
    set(QPalette::Midlight, Color::Hover);
    set(QPalette::Mid, Color::Border);
    set(QPalette::Dark, Color::BorderStrong);
    set(QPalette::Shadow, Color::BorderStrong);
    for (QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, theme.color(Color::TextDisabled));
    palette.setColor(QPalette::Inactive, QPalette::Highlight, theme.color(Color::SelectionFillInactive));
    return palette;
}

void fillPattern(QPainter &painter, const QRectF &rect, const QColor &color, Pattern pattern, double radius)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath shape;
    shape.addRoundedRect(rect, radius, radius);
    painter.fillPath(shape, color);
    QColor line(Qt::white);
    line.setAlphaF(0.22f);
    painter.setClipPath(shape, Qt::IntersectClip);
    painter.setPen(QPen(line, 1.0));
    switch (pattern) {
    case Pattern::Plain: break;
    case Pattern::DiagonalUp: strokeLines(painter, rect, 1.0, 5.0); break;
    case Pattern::DiagonalDown: strokeLines(painter, rect, -1.0, 5.0); break;
    case Pattern::Vertical: strokeLines(painter, rect, 0.0, 3.0); break;
    case Pattern::Crosshatch:
        strokeLines(painter, rect, 1.0, 6.0);
        strokeLines(painter, rect, -1.0, 6.0);
        break;
    case Pattern::Horizontal:
        for (double y = rect.top() + 2.5; y < rect.bottom(); y += 4.0) painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
        break;
    case Pattern::Dots:
        painter.setPen(Qt::NoPen);
        line.setAlphaF(0.4f);
        painter.setBrush(line);
        for (double y = rect.top() + 3; y < rect.bottom(); y += 4)
            for (double x = rect.left() + 3; x < rect.right(); x += 4) painter.drawEllipse(QPointF(x, y), 0.7, 0.7);
        break;
    }
    painter.restore();
}

void fillHatched(QPainter &painter, const QRectF &rect, const QColor &color)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(rect, Qt::IntersectClip);
    painter.fillRect(rect, Theme::current().color(Color::Panel));
    painter.setPen(QPen(color, 2.4));
    strokeLines(painter, rect.adjusted(-4, 0, 4, 0), 1.0, 5.0);
    painter.restore();
}

void paintPhaseBadge(QPainter &painter, const QRectF &square, const PhaseStyle &phase)
{
    fillPattern(painter, square, phase.color, Pattern::Plain, 3.0);
    painter.save();
    QFont font = Theme::current().font(FontRole::Overline);
    font.setPixelSize(std::max(6, static_cast<int>(std::lround(square.height() * 10.0 / 16.0))));
    font.setWeight(QFont::Bold);
    painter.setFont(font);
    painter.setPen(Theme::textOn(phase.color));
    painter.drawText(square, Qt::AlignCenter, QString(phase.letter));
    painter.restore();
}

double tabularWidth(const QFont &font, const QString &text)
{
    const QFontMetricsF metrics(font);
    const double cell = digitWidth(metrics);
    double width = 0;
    QString run;
    for (QChar c : text) {
        if (c.isDigit()) {
            width += metrics.horizontalAdvance(run) + cell;
            run.clear();
        } else {
            run += c;
        }
    }
    return width + metrics.horizontalAdvance(run);
}

void drawTabular(QPainter &painter, const QRectF &rect, Qt::Alignment alignment, const QString &text)
{
    const QFontMetricsF metrics(painter.font());
    const double cell = digitWidth(metrics);
    const double width = tabularWidth(painter.font(), text);
    double x = rect.left();
    if (alignment & Qt::AlignRight) x = rect.right() - width;
    else if (alignment & Qt::AlignHCenter) x = rect.center().x() - width / 2;
    const double y = rect.center().y() + (metrics.ascent() - metrics.descent()) / 2;
    QString run;
    auto flush = [&] {
        if (run.isEmpty()) return;
        painter.drawText(QPointF(x, y), run);
        x += metrics.horizontalAdvance(run);
        run.clear();
    };
    for (QChar c : text) {
        if (!c.isDigit()) {
            run += c;
            continue;
        }
        flush();
        const double own = metrics.horizontalAdvance(c);
        painter.drawText(QPointF(x + (cell - own) / 2, y), QString(c));
        x += cell;
    }
    flush();
}

} // namespace views
