#include "views/steps/along_strip.h"

#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/numbers.h"
#include "views/common/palette.h"
#include "views/common/text.h"
#include "views/steps/step_track.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace views {

using profiler::AlongMark;
using profiler::AlongRow;
using profiler::AlongTurn;

namespace {

constexpr int kLine = 16, kLowLine = 14, kMargin = 4, kMark = 4; // px at 100 %
constexpr AlongStrip::Line kLines[] = {AlongStrip::Line::Time, AlongStrip::Line::Memory, AlongStrip::Line::Error};

Color inkOf(AlongStrip::Line line)
{
    return line == AlongStrip::Line::Time ? Color::Cpu : line == AlongStrip::Line::Memory ? Color::Memory : Color::Compile;
}

AlongStrip::Line lineOf(AlongTurn turn)
{
    switch (turn) {
    case AlongTurn::Faster:
    case AlongTurn::Slower: return AlongStrip::Line::Time;
    case AlongTurn::Stabler:
    case AlongTurn::LessStable: return AlongStrip::Line::Error;
    case AlongTurn::LessMemory:
    case AlongTurn::MoreMemory: return AlongStrip::Line::Memory;
    }
    return AlongStrip::Line::Time;
}

bool isGood(AlongTurn turn) { return turn == AlongTurn::Faster || turn == AlongTurn::Stabler || turn == AlongTurn::LessMemory; }

QString errorText(const AlongRow &row)
{
    return row.notFinite > 0 ? AlongStrip::tr("%1 not finite").arg(formats::count(row.notFinite))
                             : AlongStrip::tr("%1 ulp").arg(formats::number(row.ulp, 'g', 3));
}

QString valueText(AlongStrip::Line line, const AlongRow &row)
{
    if (line == AlongStrip::Line::Time) return formats::timeNs(row.ns);
    return line == AlongStrip::Line::Memory ? formats::bytes(row.peakBytes) : errorText(row);
}

/// Short enough to stand beside a mark.
QString shortText(AlongTurn turn)
{
    switch (turn) {
    case AlongTurn::Faster: return AlongStrip::tr("faster");
    case AlongTurn::Slower: return AlongStrip::tr("slower");
    case AlongTurn::Stabler: return AlongStrip::tr("more exact");
    case AlongTurn::LessStable: return AlongStrip::tr("less exact");
    case AlongTurn::LessMemory: return AlongStrip::tr("less memory");
    case AlongTurn::MoreMemory: return AlongStrip::tr("more memory");
    }
    return {};
}

double errorOf(const AlongRow &row) { return std::log10(1 + std::max(0.0, row.ulp)); }

} // namespace

AlongStrip::AlongStrip(const StepTrack &track, QWidget *parent) : QWidget(parent), m_track(track)
{
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setAccessibleName(tr("Time, memory and error along the steps"));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &QWidget::updateGeometry);
}

void AlongStrip::setTable(std::shared_ptr<const profiler::AlongTable> table)
{
    m_table = std::move(table);
    m_mostNs = m_mostBytes = m_mostUlp = 0;
    m_hovered = -1;
    if (m_table)
        for (const AlongRow &row : m_table->rows) {
            m_mostNs = std::max(m_mostNs, row.ns);
            m_mostBytes = std::max(m_mostBytes, static_cast<double>(row.peakBytes));
            m_mostUlp = std::max(m_mostUlp, errorOf(row));
        }
    setAccessibleDescription(m_table ? keyText(Line::Time) + u' ' + keyText(Line::Memory) + u' ' + keyText(Line::Error) : QString());
    update();
}

void AlongStrip::setStep(int step)
{
    m_step = step;
    update();
}

void AlongStrip::setLow(bool low)
{
    m_low = low;
    updateGeometry();
    update();
}

double AlongStrip::lineHeight() const { return Theme::current().px(m_low ? kLowLine : kLine); }

QSize AlongStrip::sizeHint() const { return {640, static_cast<int>(3 * lineHeight() + 2 * Theme::current().px(kMargin))}; }

double AlongStrip::trackLeft() const { return m_track.mapTo(parentWidget(), QPoint(0, 0)).x() - x() + StepTrack::side(); }

double AlongStrip::xOf(int step) const { return trackLeft() + m_track.geometryOfSteps().xOf(std::min(step, m_track.stepCount())); }

double AlongStrip::shareOf(Line line, const AlongRow &row) const
{
    const auto share = [](double value, double most) { return most > 0 ? std::clamp(value / most, 0.0, 1.0) : 0; };
    if (line == Line::Time) return share(row.ns, m_mostNs);
    if (line == Line::Memory) return share(static_cast<double>(row.peakBytes), m_mostBytes);
    return row.notFinite > 0 ? 1 : share(errorOf(row), m_mostUlp);
}

QPointF AlongStrip::placeOf(Line line, std::size_t row) const
{
    const double height = lineHeight(), top = Theme::current().px(kMargin) + static_cast<double>(line) * height;
    return {xOf(m_table->rows[row].step), top + height - 3 - shareOf(line, m_table->rows[row]) * (height - 6)};
}

int AlongStrip::rowAt(double x) const
{
    int best = -1;
    double nearest = 1e9;
    for (std::size_t i = 0; m_table && x >= trackLeft() - StepTrack::side() && i < m_table->rows.size(); ++i)
        if (const double away = std::abs(xOf(m_table->rows[i].step) - x); away < nearest) nearest = away, best = static_cast<int>(i);
    return best;
}

QString AlongStrip::keyText(Line line) const
{
    const AlongRow *row = m_table ? m_hovered >= 0 ? &m_table->rows[static_cast<std::size_t>(m_hovered)] : m_table->at(m_step) : nullptr;
    const QString value = row && row->error.empty() ? valueText(line, *row) : QStringLiteral("–");
    return (line == Line::Time ? tr("Time %1") : line == Line::Memory ? tr("Memory %1") : tr("Error %1")).arg(value);
}

QString AlongStrip::markText(const AlongMark &mark)
{
    const auto text = [&](double value) {
        switch (lineOf(mark.turn)) {
        case Line::Time: return formats::timeNs(value);
        case Line::Memory: return formats::bytes(value);
        case Line::Error: return tr("%1 ulp").arg(formats::number(value, 'g', 3));
        }
        return QString();
    };
    return tr("%1: %2 → %3").arg(shortText(mark.turn), text(mark.before), text(mark.after));
}

QString AlongStrip::tip(std::size_t index) const
{
    const AlongRow &row = m_table->rows[index];
    QStringList lines;
    if (row.step == 0) lines << tr("As written");
    else lines << tr("After step %1, %2").arg(row.step).arg(text(row.rewrite.empty() ? row.phase : row.rewrite));
    if (!row.error.empty()) return lines.first() + u'\n' + tr("It cannot be run: %1").arg(text(row.error));
    lines << tr("%1 a call, %2 at most, error %3, %4")
                 .arg(valueText(Line::Time, row), valueText(Line::Memory, row), errorText(row),
                      formats::counted(row.applies, formats::Thing::Apply));
    for (const AlongMark &mark : m_table->marks)
        if (mark.row == index) lines << markText(mark);
    return lines.join(u'\n');
}

TextTable AlongStrip::textTable() const
{
    TextTable table;
    table.columns = {
        {tr("Step"), tr("After which the graph was run as it stood"), true, false, 56},
        {tr("Rewrite"), tr("That made the step; 0 is the graph as written"), false, true, 220},
        {tr("A call"), tr("Middle of its calls, in turns with the others"), true, false, 88},
        {tr("Peak"), tr("Most memory that a call took"), true, false, 88},
        {tr("Planned"), tr("Memory that the plan keeps"), true, false, 88},
        {tr("Applies"), {}, true, false, 72},
        {tr("Error"), tr("Largest difference of an output from the reference"), true, false, 104},
        {tr("What changed"), {}, false, false, 200},
    };
    for (std::size_t i = 0; m_table && i < m_table->rows.size(); ++i) {
        const AlongRow &row = m_table->rows[i];
        QStringList changes;
        for (const AlongMark &mark : m_table->marks)
            if (mark.row == i) changes << markText(mark);
        if (!row.error.empty()) changes << text(row.error);
        table.rows.push_back({{numberCell(QString::number(row.step), row.step),
                               {row.step == 0 ? tr("as written") : text(row.rewrite), 0},
                               numberCell(valueText(Line::Time, row), row.ns),
                               numberCell(valueText(Line::Memory, row), static_cast<double>(row.peakBytes)),
                               numberCell(formats::bytes(row.plannedBytes), static_cast<double>(row.plannedBytes)),
                               numberCell(formats::count(row.applies), static_cast<double>(row.applies)),
                               numberCell(errorText(row), row.notFinite > 0 ? 1e300 : row.ulp),
                               {changes.join(QStringLiteral(" · ")), 0}},
                              row.step});
    }
    return table;
}

void AlongStrip::paintEvent(QPaintEvent *)
{
    if (!m_table) return;
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Line line : kLines) {
        const double top = theme.px(kMargin) + static_cast<double>(line) * lineHeight();
        const QRectF key(theme.px(16), top, std::max(0.0, trackLeft() - theme.px(24)), lineHeight());
        painter.setPen(QPen(theme.color(inkOf(line)), 2));
        painter.drawLine(QPointF(key.left(), key.center().y()), QPointF(key.left() + theme.px(12), key.center().y()));
        painter.setFont(theme.font(FontRole::Caption));
        painter.setPen(theme.color(Color::TextSecondary));
        const QRectF text = key.adjusted(theme.px(18), 0, 0, 0);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(painter.font()).elidedText(keyText(line), Qt::ElideRight, text.width()));
        paintLine(painter, line);
    }
    for (const Line line : kLines) paintMarks(painter, line);
    const double at = std::floor(m_hovered >= 0 ? xOf(m_table->rows[static_cast<std::size_t>(m_hovered)].step) : xOf(m_step)) + 0.5;
    QColor mark = theme.color(Color::Accent);
    mark.setAlphaF(m_hovered >= 0 ? 0.8F : 0.4F);
    painter.setPen(QPen(mark, 1));
    painter.drawLine(QPointF(at, 0), QPointF(at, height()));
}

void AlongStrip::paintLine(QPainter &painter, Line line) const
{
    const Theme &theme = Theme::current();
    const double bottom = theme.px(kMargin) + (static_cast<double>(line) + 1) * lineHeight() - 1.5;
    painter.setPen(QPen(theme.color(Color::Border), 1));
    painter.drawLine(QPointF(trackLeft(), bottom), QPointF(trackLeft() + m_track.geometryOfSteps().width, bottom));
    QPolygonF points;
    for (std::size_t i = 0; i < m_table->rows.size(); ++i)
        if (m_table->rows[i].error.empty()) points << placeOf(line, i);
    painter.setPen(QPen(theme.color(inkOf(line)), 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(points);
}

void AlongStrip::paintMarks(QPainter &painter, Line line) const
{
    const Theme &theme = Theme::current();
    painter.setFont(theme.font(FontRole::Caption));
    const QFontMetricsF metrics(painter.font());
    const double size = theme.px(kMark), end = trackLeft() + m_track.geometryOfSteps().width;
    std::vector<const AlongMark *> marks;
    for (const AlongMark &mark : m_table->marks)
        if (lineOf(mark.turn) == line) marks.push_back(&mark);
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const bool good = isGood(marks[i]->turn);
        const QPointF at = placeOf(line, marks[i]->row);
        const double down = good ? size : -size;
        painter.setPen(QPen(theme.color(Color::Panel), 1));
        painter.setBrush(theme.color(good ? Color::Better : Color::Worse));
        painter.drawPolygon(QPolygonF({{at.x() - size, at.y() - down}, {at.x() + size, at.y() - down}, {at.x(), at.y() + down}}));
        const QString text = shortText(marks[i]->turn);
        const double width = metrics.horizontalAdvance(text), from = at.x() + size + 3;
        const double next = i + 1 < marks.size() ? placeOf(line, marks[i + 1]->row).x() - size : end;
        if (from + width > next - 2) continue;
        const double top = theme.px(kMargin) + static_cast<double>(line) * lineHeight();
        const QRectF place(from, top, width + 4, lineHeight() - 2);
        QColor ground = theme.color(Color::Panel);
        ground.setAlphaF(0.85F);
        painter.fillRect(place, ground);
        painter.setPen(theme.color(good ? Color::Better : Color::Worse));
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

void AlongStrip::mousePressEvent(QMouseEvent *event)
{
    const int row = rowAt(event->position().x());
    if (event->button() == Qt::LeftButton && row >= 0) Q_EMIT stepRequested(m_table->rows[static_cast<std::size_t>(row)].step);
}

void AlongStrip::mouseMoveEvent(QMouseEvent *event)
{
    const int row = rowAt(event->position().x());
    if (row == m_hovered) return;
    m_hovered = row;
    update();
}

void AlongStrip::leaveEvent(QEvent *)
{
    m_hovered = -1;
    update();
}

bool AlongStrip::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto *help = static_cast<QHelpEvent *>(event);
    const int row = rowAt(help->pos().x());
    if (row >= 0) QToolTip::showText(help->globalPos(), tip(static_cast<std::size_t>(row)), this);
    else QToolTip::hideText();
    return true;
}

} // namespace views
