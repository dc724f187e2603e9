#include "views/ranks/ranks_bars.h"

#include "views/common/formats.h"
#include "views/common/palette.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace views {
namespace {

constexpr int kKey = 24, kRow = 26, kBar = 14, kSide = 12, kName = 74, kTime = 76; // at 100 %

}

RanksBars::RanksBars(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        updateGeometry();
        update();
    });
}

std::vector<RanksBars::Part> RanksBars::partsOf(const profiler::RankRow &row)
{
    const std::int64_t waiting = std::max<std::int64_t>(0, row.waitingNs);
    return {{tr("functions"), row.callNs, Color::Cpu, false},
            {tr("compiling"), row.compileNs, Color::Compile, false},
            {tr("Python, other"), row.otherNs(), Color::BorderStrong, false},
            {row.waitingNs < 0 ? tr("MPI") : tr("MPI, moving"), row.communicationNs - waiting, Color::Transfer, false},
            {tr("waiting for other ranks"), waiting, Color::Warn, true}};
}

void RanksBars::setJob(const profiler::Job &job, int slowest)
{
    m_ranks = job.ranks;
    m_slowest = slowest;
    m_chosen = std::min(m_chosen, static_cast<int>(m_ranks.size()) - 1);
    m_longest = 1;
    QStringList words;
    for (const profiler::RankRow &row : m_ranks) {
        std::int64_t all = 0;
        for (const Part &part : partsOf(row)) all += part.ns;
        m_longest = std::max({m_longest, all, row.durationNs});
        words << tr("rank %1: %2").arg(row.rank).arg(formats::timeNs(row.durationNs));
    }
    setAccessibleName(tr("Time of each rank"));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

void RanksBars::choose(int place)
{
    if (place == m_chosen) return;
    m_chosen = place;
    update();
}

QSize RanksBars::sizeHint() const
{
    const Theme &theme = Theme::current();
    return {theme.px(400), keyHeight() + static_cast<int>(m_ranks.size()) * theme.px(kRow) + theme.px(8)};
}

void RanksBars::resizeEvent(QResizeEvent *)
{
    updateGeometry(); // the key may take another line
}

std::vector<QPointF> RanksBars::keyPlaces() const
{
    const Theme &theme = Theme::current();
    const QFontMetricsF metrics(theme.font(FontRole::Caption));
    const double left = theme.px(kSide);
    std::vector<QPointF> places;
    QPointF at(left, 0);
    for (const Part &part : m_ranks.empty() ? std::vector<Part>() : partsOf(m_ranks.front())) {
        const double wide = theme.px(14) + metrics.horizontalAdvance(part.name);
        if (at.x() > left && at.x() + wide > width() - left) at = QPointF(left, at.y() + theme.px(kKey));
        places.push_back(at);
        at.rx() += wide + theme.px(14);
    }
    return places;
}

int RanksBars::keyHeight() const
{
    const std::vector<QPointF> places = keyPlaces();
    return (places.empty() ? 0 : static_cast<int>(places.back().y())) + Theme::current().px(kKey);
}

int RanksBars::placeAt(const QPointF &point) const
{
    const Theme &theme = Theme::current();
    const int place = static_cast<int>((point.y() - keyHeight()) / theme.px(kRow));
    return point.y() < keyHeight() || place >= static_cast<int>(m_ranks.size()) ? -1 : place;
}

void RanksBars::mousePressEvent(QMouseEvent *event)
{
    const int place = placeAt(event->position());
    if (place < 0) return;
    choose(place);
    Q_EMIT chosenByHand(place);
}

void RanksBars::keyPressEvent(QKeyEvent *event)
{
    const int step = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
    if (step == 0 || m_ranks.empty()) return QWidget::keyPressEvent(event);
    choose(std::clamp(m_chosen + step, 0, static_cast<int>(m_ranks.size()) - 1));
    Q_EMIT chosenByHand(m_chosen);
}

bool RanksBars::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto *const help = static_cast<QHelpEvent *>(event);
    const int place = placeAt(help->pos());
    if (place < 0) return QWidget::event(event);
    QStringList lines{tr("Rank %1").arg(m_ranks[static_cast<std::size_t>(place)].rank)};
    for (const Part &part : partsOf(m_ranks[static_cast<std::size_t>(place)]))
        if (part.ns > 0) lines << QStringLiteral("%1  %2").arg(part.name, formats::timeNs(part.ns));
    QToolTip::showText(help->globalPos(), lines.join(u'\n'), this);
    return true;
}

void RanksBars::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    const double left = theme.px(kSide), name = theme.px(kName), time = theme.px(kTime);
    const double room = std::max(1.0, width() - 2 * left - name - time);
    const auto paint = [&](const QRectF &bar, const Part &part) {
        if (part.hatched) fillHatched(painter, bar, theme.color(part.ink));
        else painter.fillRect(bar, theme.color(part.ink));
    };
    painter.setFont(theme.font(FontRole::Caption));
    const std::vector<QPointF> places = keyPlaces();
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Part part = partsOf(m_ranks.front())[i];
        paint(QRectF(places[i].x(), places[i].y() + (theme.px(kKey) - theme.px(8)) / 2.0, theme.px(8), theme.px(8)), part);
        painter.setPen(theme.color(Color::TextSecondary));
        painter.drawText(QRectF(places[i].x() + theme.px(13), places[i].y(), width(), theme.px(kKey)), Qt::AlignVCenter, part.name);
    }
    for (std::size_t i = 0; i < m_ranks.size(); ++i) {
        const double top = keyHeight() + static_cast<double>(i) * theme.px(kRow);
        const bool isChosen = static_cast<int>(i) == m_chosen, isSlowest = static_cast<int>(i) == m_slowest;
        if (isChosen) painter.fillRect(QRectF(0, top, width(), theme.px(kRow)), theme.color(Color::SelectionFill));
        painter.setFont(theme.font(isSlowest ? FontRole::CellStrong : FontRole::Cell));
        painter.setPen(theme.color(isSlowest ? Color::TextPrimary : Color::TextSecondary));
        const QString text = (isSlowest ? tr("▸ rank %1") : tr("rank %1")).arg(m_ranks[i].rank);
        painter.drawText(QRectF(left, top, name, theme.px(kRow)), Qt::AlignVCenter, text);
        double at = left + name;
        for (const Part &part : partsOf(m_ranks[i])) {
            const double wide = room * static_cast<double>(part.ns) / static_cast<double>(m_longest);
            if (wide < 0.25) continue;
            paint(QRectF(at, top + (theme.px(kRow) - theme.px(kBar)) / 2.0, std::max(1.0, wide - 1), theme.px(kBar)), part);
            at += wide;
        }
        painter.drawText(QRectF(width() - left - time, top, time, theme.px(kRow)), Qt::AlignVCenter | Qt::AlignRight,
                         formats::timeNs(m_ranks[i].durationNs));
    }
}

} // namespace views
