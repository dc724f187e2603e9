#include "views/profile/whole_run_bar.h"

#include "views/common/formats.h"
#include "views/common/palette.h"
#include "views/common/window_sizes.h"

#include <QPainter>
#include <QResizeEvent>

#include <algorithm>

namespace views {
namespace {

constexpr int kTitle = 18, kStrip = 10, kLine = 18, kSide = 12, kBesideSquare = 15; // at 100 %

} // namespace

WholeRunBar::WholeRunBar(QWidget *parent) : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void WholeRunBar::setRun(const profiler::WholeRun &run)
{
    m_parts.clear();
    const auto add = [this](const QString &name, std::int64_t ns, Color ink, bool hatched = false) {
        if (ns > 0) m_parts.push_back({name, ns, ink, hatched});
    };
    add(tr("Functions"), run.callNs, Color::Cpu);
    add(tr("compiling"), run.compileNs, Color::Compile);
    add(tr("grad"), run.gradNs, Color::Memory);
    add(tr("Python, waiting"), run.pythonNs, Color::BorderStrong, true);
    m_title = tr("Script %1, outside functions %2").arg(formats::timeNs(run.durationNs), formats::timeNs(run.outsideNs()));
    setVisible(run.durationNs > 0 && !m_parts.empty());
    setAccessibleName(m_title);
    setAccessibleDescription(words().join(QStringLiteral(", ")));
    setToolTip(QString(m_title + u'\n' + words().join(u'\n')));
    updateGeometry();
    update();
}

QStringList WholeRunBar::words() const
{
    QStringList words;
    for (const Part &part : m_parts) words << QStringLiteral("%1 %2").arg(part.name, formats::timeNs(part.ns));
    return words;
}

QSize WholeRunBar::sizeHint() const { return {200, heightForWidth(200)}; }

QSize WholeRunBar::minimumSizeHint() const
{
    const Theme &theme = Theme::current();
    const bool isLow = window()->height() < theme.px(kLowWindow);
    return {theme.px(80), isLow ? theme.px(kTitle) + theme.px(kStrip) + theme.px(6) : heightForWidth(std::max(width(), theme.px(200)))};
}

// Two, where no text is cut off by that.
int WholeRunBar::perLine(int width) const
{
    const Theme &theme = Theme::current();
    const QFontMetrics metrics(theme.font(FontRole::Caption));
    const int cell = (width - 2 * theme.px(kSide)) / 2 - theme.px(kBesideSquare);
    const QStringList all = words();
    return std::all_of(all.begin(), all.end(), [&](const QString &text) { return metrics.horizontalAdvance(text) <= cell; }) ? 2 : 1;
}

int WholeRunBar::titleHeight(int width) const
{
    const Theme &theme = Theme::current();
    const QRect room(0, 0, width - 2 * theme.px(kSide), theme.px(kTitle) * 4);
    const int needs = QFontMetrics(theme.font(FontRole::Caption)).boundingRect(room, Qt::TextWordWrap, m_title).height();
    return std::max(theme.px(kTitle), needs + theme.px(4));
}

int WholeRunBar::heightForWidth(int width) const
{
    const Theme &theme = Theme::current();
    const int lines = (static_cast<int>(m_parts.size()) + perLine(width) - 1) / perLine(width);
    return titleHeight(width) + theme.px(kStrip) + theme.px(6) + lines * theme.px(kLine) + theme.px(6);
}

void WholeRunBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) updateGeometry(); // it may take another line
}

void WholeRunBar::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    const double left = theme.px(kSide), room = width() - 2 * left;
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(theme.color(Color::TextSecondary));
    const int title = titleHeight(width());
    const bool isWhole = height() >= title + theme.px(kStrip);
    if (isWhole) painter.drawText(QRectF(left, 0, room, title), static_cast<int>(Qt::AlignVCenter) | Qt::TextWordWrap, m_title);
    else
        painter.drawText(QRectF(left, 0, room, theme.px(kTitle)), Qt::AlignVCenter,
                         QFontMetricsF(painter.font()).elidedText(m_title, Qt::ElideRight, room));
    std::int64_t all = 0;
    for (const Part &part : m_parts) all += part.ns;
    double x = left, y = isWhole ? title : theme.px(kTitle);
    const auto paint = [&](const QRectF &bar, const Part &part) {
        if (part.hatched) fillHatched(painter, bar, theme.color(part.ink));
        else painter.fillRect(bar, theme.color(part.ink));
    };
    for (const Part &part : m_parts) {
        const double wide = std::max(1.0, room * static_cast<double>(part.ns) / static_cast<double>(std::max<std::int64_t>(all, 1)));
        paint(QRectF(x, y, std::max(1.0, wide - 1), theme.px(kStrip)), part);
        x += wide;
    }
    y += theme.px(kStrip) + theme.px(6);
    const int columns = perLine(width());
    const QStringList texts = words();
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        const double cell = room / columns;
        const int row = static_cast<int>(i) / columns, column = static_cast<int>(i) % columns;
        const double at = left + column * cell, top = y + row * theme.px(kLine);
        if (top + theme.px(kLine) > height()) break; // its tool tip has them all
        paint(QRectF(at, top + theme.px(5), theme.px(8), theme.px(8)), m_parts[i]);
        painter.setPen(theme.color(Color::TextSecondary));
        const double wide = cell - theme.px(kBesideSquare);
        painter.drawText(QRectF(at + theme.px(13), top, wide, theme.px(kLine)), Qt::AlignVCenter,
                         QFontMetricsF(painter.font()).elidedText(texts[static_cast<qsizetype>(i)], Qt::ElideRight, wide));
    }
}

} // namespace views
