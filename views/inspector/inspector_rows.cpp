#include "views/inspector/inspector_rows.h"

#include "views/common/palette.h"
#include "views/common/tips.h"

#include <QPainter>

#include <algorithm>

namespace views {
namespace {

QString elided(const QPainter &painter, const QString &text, double width, Qt::TextElideMode mode = Qt::ElideRight)
{
    return QFontMetricsF(painter.font()).elidedText(text, mode, width);
}

} // namespace

InspectorRow::InspectorRow(Kind kind) : m_kind(kind)
{
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
}

InspectorRow *InspectorRow::sourceLine(const SourceRef &source, int highest, const QString &text, bool estimated, const QString &file)
{
    auto *row = new InspectorRow(Kind::Source);
    row->m_lead = QString::number(source.line);
    row->m_widestLead = QString::number(std::max(highest, source.line));
    row->m_main = text.trimmed();
    row->m_estimated = estimated;
    row->m_note = file;
    row->setAccessibleName(file.isEmpty() ? tr("line %1: %2").arg(source.line).arg(text.trimmed())
                                          : tr("%1, line %2: %3").arg(file).arg(source.line).arg(text.trimmed()));
    row->setToolTip(
        QStringLiteral("%1:%2<br>").arg(source.file.toHtmlEscaped()).arg(source.line) + text.trimmed().toHtmlEscaped() +
        (estimated ? QStringLiteral("<br>") + tr("The share of time is estimated: by what each step of the kernel costs on this machine, "
                                                 "from the measured time of its functions for an element and of the bytes it moves")
                   : QString()));
    return row;
}

InspectorRow *InspectorRow::birth(const QString &phase, const QString &rewrite, const QString &reason, const QString &step, bool first,
                                  bool last)
{
    auto *row = new InspectorRow(Kind::Birth);
    row->m_lead = phase;
    row->m_main = rewrite;
    row->m_second = reason;
    row->m_note = step;
    row->m_first = first;
    row->m_last = last;
    row->setAccessibleName(QStringLiteral("%1, %2: %3").arg(step, rewrite, reason));
    row->setToolTip(QStringLiteral("%1: %2<br>%3").arg(phase.toHtmlEscaped(), rewrite.toHtmlEscaped(), reason.toHtmlEscaped()));
    return row;
}

InspectorRow *InspectorRow::port(const QString &slot, const QString &name, const QString &flag, const QString &note)
{
    auto *row = new InspectorRow(Kind::Port);
    row->m_lead = slot;
    row->m_main = name;
    row->m_second = flag;
    row->m_note = note;
    row->setAccessibleName(QStringLiteral("%1 %2 %3 %4").arg(slot, name, flag, note));
    row->setToolTip(tipText(name));
    return row;
}

QSize InspectorRow::sizeHint() const
{
    const Theme &theme = Theme::current();
    const int height = m_kind == Kind::Birth ? (m_second.isEmpty() ? 24 : 35) : 20;
    return {200, theme.px(height)};
}

void InspectorRow::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse()) painter.fillRect(rect(), theme.color(Color::Hover));
    const QRectF area = QRectF(rect()).adjusted(theme.px(12), 0, -theme.px(12), 0);
    switch (m_kind) {
    case Kind::Source: {
        painter.setFont(theme.font(FontRole::Mono));
        painter.setPen(theme.color(Color::TextLink));
        const double lead = std::max<double>(theme.px(28), QFontMetricsF(painter.font()).horizontalAdvance(m_widestLead) + theme.px(8));
        painter.drawText(QRectF(area.left(), area.top(), lead, area.height()), Qt::AlignLeft | Qt::AlignVCenter, m_lead);
        painter.setPen(theme.color(Color::TextPrimary));
        const QString text = m_estimated ? QLatin1Char('~') + m_main : m_main;
        const QFont small = theme.font(FontRole::Cell);
        const QString note = QFontMetricsF(small).elidedText(m_note, Qt::ElideMiddle, area.width() / 3);
        const double noteWidth = note.isEmpty() ? 0 : QFontMetricsF(small).horizontalAdvance(note) + theme.px(8);
        painter.drawText(area.adjusted(lead, 0, 0, 0), Qt::AlignVCenter, elided(painter, text, area.width() - lead - noteWidth));
        painter.setFont(small);
        painter.setPen(theme.color(Color::TextMuted));
        painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, note);
        break;
    }
    case Kind::Birth: paintBirth(painter, area); break;
    case Kind::Port: paintPort(painter, area); break;
    }
}

void InspectorRow::paintBirth(QPainter &painter, const QRectF &area) const
{
    const Theme &theme = Theme::current();
    const double badge = theme.px(16);
    const double line = theme.px(18);
    const QRectF square(area.left(), area.top() + theme.px(1), badge, badge);
    painter.setPen(QPen(theme.color(Color::Border), 1));
    const double x = square.center().x();
    if (!m_first) painter.drawLine(QPointF(x, 0), QPointF(x, square.top()));
    if (!m_last) painter.drawLine(QPointF(x, square.bottom()), QPointF(x, height()));
    paintPhaseBadge(painter, square, theme.phase(m_lead));
    painter.setFont(theme.font(FontRole::Cell));
    painter.setPen(theme.color(Color::TextLink));
    const double noteWidth = tabularWidth(painter.font(), m_note);
    drawTabular(painter, QRectF(area.left(), area.top(), area.width(), line), Qt::AlignRight, m_note);
    const double left = area.left() + badge + theme.px(10);
    painter.setFont(theme.font(FontRole::MonoStrong));
    painter.setPen(theme.color(Color::TextPrimary));
    const double room = area.right() - noteWidth - theme.px(8) - left;
    painter.drawText(QRectF(left, area.top(), room, line), Qt::AlignVCenter, elided(painter, m_main, room, Qt::ElideMiddle));
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(theme.color(Color::TextSecondary));
    painter.drawText(QRectF(left, area.top() + line, area.right() - left, theme.px(15)), Qt::AlignVCenter,
                     elided(painter, m_second, area.right() - left));
}

void InspectorRow::paintPort(QPainter &painter, const QRectF &area) const
{
    const Theme &theme = Theme::current();
    painter.setFont(theme.font(FontRole::Mono));
    painter.setPen(theme.color(Color::TextMuted));
    const double lead = theme.px(28);
    painter.drawText(QRectF(area.left(), area.top(), lead, area.height()), Qt::AlignVCenter, m_lead);
    painter.setFont(theme.font(FontRole::Cell));
    painter.setPen(theme.color(Color::TextMuted));
    double right = area.right();
    // The name comes first: in a narrow place the type is cut, and the tool tip has it.
    const double forName = std::min(QFontMetricsF(theme.font(FontRole::Mono)).horizontalAdvance(m_main), area.width() / 3) + theme.px(8);
    const QString note = elided(painter, m_note, std::max(0.0, area.width() - lead - forName), Qt::ElideMiddle);
    painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, note);
    right -= QFontMetricsF(painter.font()).horizontalAdvance(note) + theme.px(8);
    if (!m_second.isEmpty()) {
        painter.setFont(theme.font(FontRole::CellStrong));
        painter.setPen(theme.color(Color::DestroyEdge));
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(m_second);
        painter.drawText(QRectF(right - width, area.top(), width + 2, area.height()), Qt::AlignVCenter, m_second);
        right -= width + theme.px(8);
    }
    painter.setFont(theme.font(FontRole::Mono));
    painter.setPen(theme.color(Color::TextPrimary));
    const double room = right - area.left() - lead;
    painter.drawText(QRectF(area.left() + lead, area.top(), room, area.height()), Qt::AlignVCenter,
                     elided(painter, m_main, room, Qt::ElideMiddle));
}

} // namespace views
