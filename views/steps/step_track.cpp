#include "views/steps/step_track.h"

#include "views/common/formats.h"
#include "views/common/palette.h"
#include "views/common/theme.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr double kBar = 18;
constexpr double kTicks = 10;
constexpr double kHandle = 12;

} // namespace

StepTrack::StepTrack(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Steps"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        updateGeometry();
        layOut();
    });
}

QSize StepTrack::sizeHint() const { return {480, minimumSizeHint().height()}; }

QSize StepTrack::minimumSizeHint() const { return {160, static_cast<int>(top() + kBar + 2 + kTicks + kHandle)}; }

double StepTrack::top() const { return m_names ? Theme::current().px(17) : 2; }

void StepTrack::setTicks(std::vector<StepTick> ticks)
{
    m_ticks = std::move(ticks);
    m_step = std::min(m_step, stepCount());
    layOut();
}

void StepTrack::setStep(int step)
{
    step = std::clamp(step, 0, stepCount());
    if (step == m_step) return;
    m_step = step;
    setAccessibleDescription(tr("Step %1 of %2").arg(m_step).arg(stepCount()));
    update();
}

void StepTrack::setMarked(std::vector<int> steps)
{
    m_marked = std::move(steps);
    update();
}

void StepTrack::setNamesShown(bool shown)
{
    m_names = shown;
    updateGeometry();
    update();
}

void StepTrack::layOut()
{
    m_geometry = layOutSteps(m_ticks, std::max(0.0, width() - 2 * side()));
    update();
}

void StepTrack::resizeEvent(QResizeEvent *) { layOut(); }

int StepTrack::neighbouringPhase(bool forward) const
{
    const int at = m_geometry.segmentOf(m_step);
    const int count = static_cast<int>(m_geometry.segments.size());
    if (count == 0) return 0;
    if (forward) return at + 1 < count ? m_geometry.segments[at + 1].firstStep : stepCount();
    if (at < 0) return 0;
    if (m_step > m_geometry.segments[at].firstStep) return m_geometry.segments[at].firstStep;
    return at > 0 ? m_geometry.segments[at - 1].firstStep : 0;
}

void StepTrack::request(int step)
{
    step = std::clamp(step, 0, stepCount());
    if (step != m_step) Q_EMIT stepRequested(step);
}

void StepTrack::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_ticks.empty()) {
        painter.setPen(QPen(theme.color(Color::Border), 1));
        painter.setBrush(theme.color(Color::Sunken));
        painter.drawRoundedRect(QRectF(side(), top(), width() - 2 * side(), kBar).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        return;
    }
    painter.translate(side(), 0);
    for (std::size_t i = 0; i < m_geometry.segments.size(); ++i) {
        paintSegment(painter, static_cast<int>(i));
        paintTicks(painter, static_cast<int>(i));
    }
    paintScrubber(painter);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.color(Color::AccentFocus), 1));
        painter.drawRoundedRect(QRectF(-side() + 1, top() - 3, width() - 2, kBar + 6), 4, 4);
    }
}

void StepTrack::paintSegment(QPainter &painter, int index) const
{
    const Theme &theme = Theme::current();
    const StepSegment &segment = m_geometry.segments[index];
    const PhaseStyle phase = theme.phase(segment.phase);
    const QRectF bar(segment.left, top(), segment.width, kBar);
    fillPattern(painter, bar, phase.color, phase.pattern, 2);
    painter.setFont(theme.font(FontRole::CellStrong));
    const QString letter(phase.letter);
    const double letterWidth = QFontMetricsF(painter.font()).horizontalAdvance(letter) + 8;
    if (letterWidth <= bar.width()) {
        // Patterns would eat the letter: it stands on plain colour.
        painter.setPen(Qt::NoPen);
        painter.setBrush(phase.color);
        painter.drawRoundedRect(QRectF(bar.left() + 1, bar.top() + 1, letterWidth, bar.height() - 2), 2, 2);
        painter.setPen(Theme::textOn(phase.color));
        painter.drawText(QRectF(bar.left() + 1, bar.top(), letterWidth, bar.height()), Qt::AlignCenter, letter);
    }
    if (!m_names) return;
    const bool current = m_geometry.segmentOf(m_step) == index;
    painter.setFont(theme.font(current ? FontRole::Overline : FontRole::Caption));
    const QString name = phaseTitle(segment.phase), count = QString::number(segment.count);
    const QFontMetricsF metrics(painter.font());
    const double nameWidth = metrics.horizontalAdvance(name), countWidth = metrics.horizontalAdvance(u' ' + count);
    if (nameWidth + countWidth > segment.width) return;
    const QRectF text(segment.left, 0, segment.width, top() - 2);
    painter.setPen(theme.color(current ? Color::TextPrimary : Color::TextSecondary));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(theme.color(Color::TextMuted));
    painter.drawText(text.adjusted(nameWidth, 0, 8, 0), Qt::AlignLeft | Qt::AlignVCenter, u' ' + count);
}

void StepTrack::paintTicks(QPainter &painter, int index) const
{
    const Theme &theme = Theme::current();
    const StepSegment &segment = m_geometry.segments[index];
    const double y = top() + kBar + 3;
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto first = std::lower_bound(m_marked.begin(), m_marked.end(), segment.firstStep); // ascending
    const auto last = std::lower_bound(first, m_marked.end(), segment.firstStep + segment.count);
    if (m_geometry.isDense(index)) {
        painter.fillRect(QRectF(segment.left, y, segment.width, 5), theme.color(Color::BorderStrong));
        for (auto step = first; step != last; ++step)
            painter.fillRect(QRectF(std::floor(m_geometry.xOf(*step)), y, 2, 8), theme.color(Color::Accent));
    } else {
        for (int step = segment.firstStep; step < segment.firstStep + segment.count; ++step) {
            const bool changed = m_ticks[step - 1].changed, marked = std::binary_search(first, last, step);
            const Color color = marked ? Color::Accent : changed ? Color::BorderStrong : Color::Border;
            painter.fillRect(QRectF(std::floor(m_geometry.xOf(step)), y, marked ? 2 : 1, changed ? 8 : 5), theme.color(color));
        }
    }
    painter.setRenderHint(QPainter::Antialiasing);
}

void StepTrack::paintScrubber(QPainter &painter) const
{
    const Theme &theme = Theme::current();
    const double x = std::floor(m_geometry.xOf(m_step)) + 0.5, from = top() - 1, to = top() + kBar + kTicks + 1;
    painter.setPen(QPen(theme.color(Color::Panel), 4, Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(QPointF(x, from), QPointF(x, to));
    painter.setPen(QPen(theme.color(Color::Accent), 2, Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(QPointF(x, from), QPointF(x, to));
    const double half = kHandle / 2;
    const QPolygonF handle({{x - half, to - 1}, {x + half, to - 1}, {x + half, to + 5}, {x, to + kHandle - 2}, {x - half, to + 5}});
    painter.setPen(QPen(theme.color(Color::Panel), 1));
    painter.setBrush(theme.color(Color::Accent));
    painter.drawPolygon(handle);
}

void StepTrack::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton) return;
    m_dragging = true;
    request(m_geometry.stepAt(event->position().x() - side()));
}

void StepTrack::mouseMoveEvent(QMouseEvent *event)
{
    if (m_dragging) request(m_geometry.stepAt(event->position().x() - side()));
}

void StepTrack::mouseReleaseEvent(QMouseEvent *) { m_dragging = false; }

void StepTrack::wheelEvent(QWheelEvent *event)
{
    request(m_step + (event->angleDelta().y() > 0 ? -1 : 1));
    event->accept();
}

std::optional<int> StepTrack::stepAfter(int key) const
{
    switch (key) {
    case Qt::Key_Left: return m_step - 1;
    case Qt::Key_Right: return m_step + 1;
    case Qt::Key_Up: return neighbouringPhase(false);
    case Qt::Key_Down: return neighbouringPhase(true);
    case Qt::Key_Home: return 0;
    case Qt::Key_End: return stepCount();
    default: return std::nullopt;
    }
}

void StepTrack::keyPressEvent(QKeyEvent *event)
{
    if (const std::optional<int> step = stepAfter(event->key())) request(*step);
    else QWidget::keyPressEvent(event);
}

bool StepTrack::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip && !m_ticks.empty()) {
        auto *help = static_cast<QHelpEvent *>(event);
        const int step = m_geometry.stepAt(help->pos().x() - side());
        const int segment = m_geometry.segmentOf(step);
        const QString text = segment < 0 ? tr("as written")
                                         : tr("Step %1 · %2, changes: %3")
                                               .arg(step)
                                               .arg(phaseTitle(m_geometry.segments[segment].phase))
                                               .arg(m_geometry.segments[segment].count);
        QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace views
