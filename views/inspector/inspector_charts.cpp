#include "views/inspector/inspector_charts.h"

#include "views/common/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace views {
namespace {

constexpr int kSide = 12, kBars = 44, kAxis = 18, kLife = 6;

} // namespace

TimesChart::TimesChart(TimesPicture picture, QWidget *parent) : QWidget(parent), m_picture(std::move(picture))
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(m_picture.name.isEmpty() ? tr("Distribution of the times") : m_picture.name);
    setAccessibleDescription(m_picture.sentence);
}

QSize TimesChart::sizeHint() const
{
    const Theme &theme = Theme::current();
    return {theme.px(200), theme.px(kBars) + theme.px(kAxis)};
}

void TimesChart::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    const QRectF area(theme.px(kSide), 0, width() - 2 * theme.px(kSide), theme.px(kBars));
    const auto count = static_cast<double>(m_picture.bars.size());
    for (std::size_t i = 0; i < m_picture.bars.size(); ++i) {
        if (m_picture.bars[i] <= 0) continue;
        const double left = area.left() + area.width() * static_cast<double>(i) / count;
        const double height = std::max(1.0, m_picture.bars[i] * (area.height() - 2));
        painter.fillRect(QRectF(left, area.bottom() - height, std::max(1.0, area.width() / count - 1), height), theme.color(Color::Cpu));
    }
    painter.setPen(QPen(theme.color(Color::BorderStrong), 1));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    const auto mark = [&](double at, Qt::PenStyle style) {
        if (at < 0) return;
        const double x = area.left() + at * area.width();
        painter.setPen(QPen(theme.color(Color::TextPrimary), 1.25, style));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    };
    mark(m_picture.median, Qt::SolidLine);
    mark(m_picture.p95, Qt::DashLine);
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(theme.color(Color::TextMuted));
    const QRectF axis(area.left(), area.bottom() + 1, area.width(), theme.px(kAxis));
    painter.drawText(axis, Qt::AlignLeft | Qt::AlignVCenter, m_picture.least);
    painter.drawText(axis, Qt::AlignRight | Qt::AlignVCenter, m_picture.most);
}

bool TimesChart::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int side = Theme::current().px(kSide);
    const double at = static_cast<double>(help->pos().x() - side) / std::max(1, width() - 2 * side);
    const auto index = static_cast<std::ptrdiff_t>(at * static_cast<double>(m_picture.tips.size()));
    const bool inside = at >= 0 && index < static_cast<std::ptrdiff_t>(m_picture.tips.size());
    QToolTip::showText(help->globalPos(), inside ? m_picture.tips[static_cast<std::size_t>(index)] : m_picture.sentence, this);
    return true;
}

BufferRow::BufferRow(BufferPicture picture, QWidget *parent) : QWidget(parent), m_picture(std::move(picture))
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setToolTip(m_picture.tip);
    setAccessibleName(QStringLiteral("%1, %2").arg(m_picture.name, m_picture.tip));
}

QSize BufferRow::sizeHint() const
{
    const Theme &theme = Theme::current();
    return {theme.px(200), theme.px(34)};
}

void BufferRow::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area(theme.px(kSide), 0, width() - 2 * theme.px(kSide), height());
    painter.setFont(theme.font(FontRole::Cell));
    const QRectF words(area.left(), 0, area.width(), theme.px(20));
    const double noteWidth = QFontMetricsF(painter.font()).horizontalAdvance(m_picture.note) + theme.px(8);
    painter.setPen(theme.color(Color::TextSecondary));
    painter.drawText(words, Qt::AlignRight | Qt::AlignVCenter, m_picture.note);
    painter.setFont(theme.font(FontRole::Mono));
    painter.setPen(theme.color(Color::TextPrimary));
    painter.drawText(words.adjusted(0, 0, -noteWidth, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(m_picture.name, Qt::ElideMiddle, words.width() - noteWidth));
    const double life = theme.px(kLife);
    const QRectF track(area.left(), words.bottom() + 2, area.width(), life);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.color(Color::Sunken));
    painter.drawRoundedRect(track, 2, 2);
    const double left = track.left() + m_picture.from * track.width();
    const QRectF bar(left, track.top(), std::max(3.0, (m_picture.to - m_picture.from) * track.width()), life);
    painter.setBrush(theme.color(Color::Memory));
    painter.drawRoundedRect(bar, 2, 2);
    if (m_picture.atPeak) { // a flag, not a colour alone
        painter.setPen(QPen(theme.color(Color::TextPrimary), 1.25));
        painter.drawLine(QPointF(bar.center().x(), track.top() - 2), QPointF(bar.center().x(), track.bottom() + 2));
    }
}

} // namespace views
