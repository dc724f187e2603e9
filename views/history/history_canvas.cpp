#include "views/history/history_canvas.h"

#include "views/common/text.h"
#include "views/common/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr int kRow = 132, kMostRow = 220, kHead = 24, kMargin = 12, kRadius = 4; // px at 100 %

QPolygonF diamond(const QPointF &at, double radius)
{
    return QPolygonF({at + QPointF(0, -radius), at + QPointF(radius, 0), at + QPointF(0, radius), at + QPointF(-radius, 0)});
}

} // namespace

HistoryCanvas::HistoryCanvas(QWidget *parent) : QWidget(parent)
{
    setAccessibleName(tr("History of the script"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

QSize HistoryCanvas::sizeHint() const
{
    const Theme &theme = Theme::current();
    const int functions = m_rows ? static_cast<int>(m_rows->history.functions.size()) : 1;
    return {theme.px(640), functions * theme.px(kRow) + theme.px(kMargin)};
}

void HistoryCanvas::setRows(std::shared_ptr<const HistoryRows> rows)
{
    m_rows = std::move(rows);
    m_chosen = m_other = -1;
    setMinimumHeight(sizeHint().height());
    updateGeometry();
    update();
}

void HistoryCanvas::setChosen(int session, int other)
{
    m_chosen = session;
    m_other = other;
    update();
}

double HistoryCanvas::rowHeight() const
{
    const Theme &theme = Theme::current();
    const double functions = std::max<double>(1, static_cast<double>(m_rows->history.functions.size()));
    return std::clamp<double>((height() - theme.px(kMargin)) / functions, theme.px(kRow), theme.px(kMostRow));
}

QRectF HistoryCanvas::cellOf(int function, Measure measure) const
{
    const Theme &theme = Theme::current();
    const double margin = theme.px(kMargin), count = kMeasures.size();
    const double width = (this->width() - margin) / count;
    return {margin + static_cast<double>(measure) * width, margin / 2 + function * rowHeight(), width - margin, rowHeight() - margin};
}

QRectF HistoryCanvas::plotOf(int function, Measure measure) const
{
    const Theme &theme = Theme::current();
    return cellOf(function, measure).adjusted(theme.px(8), theme.px(kHead + 20), -theme.px(8), -theme.px(8));
}

double HistoryCanvas::largest(int function, Measure measure) const
{
    double most = 0;
    for (const profiler::HistoryPoint &point : m_rows->history.functions[static_cast<std::size_t>(function)].points)
        most = std::max(most, HistoryRows::value(point, measure));
    return most;
}

QPointF HistoryCanvas::placeOf(int function, Measure measure, int point) const
{
    const QRectF plot = plotOf(function, measure);
    const profiler::HistoryPoint &one =
        m_rows->history.functions[static_cast<std::size_t>(function)].points[static_cast<std::size_t>(point)];
    const std::size_t last = m_rows->history.sessions.size() - 1;
    const double across = last > 0 ? static_cast<double>(one.session) / static_cast<double>(last) : 0.5, most = largest(function, measure);
    const double up = most > 0 ? std::max(0.0, HistoryRows::value(one, measure)) / most : 0;
    return {plot.left() + across * plot.width(), plot.bottom() - up * plot.height()};
}

HistoryCanvas::Hit HistoryCanvas::hitAt(const QPointF &place) const
{
    Hit best;
    if (!m_rows) return best;
    double nearest = 1e9;
    for (int function = 0; function < static_cast<int>(m_rows->history.functions.size()); ++function)
        for (const Measure measure : kMeasures) {
            if (!cellOf(function, measure).contains(place)) continue;
            const auto &points = m_rows->history.functions[static_cast<std::size_t>(function)].points;
            for (int i = 0; i < static_cast<int>(points.size()); ++i) {
                const double away = std::abs(placeOf(function, measure, i).x() - place.x());
                if (away >= nearest) continue;
                nearest = away;
                best = {function, i};
            }
        }
    return best;
}

int HistoryCanvas::sessionAt(const QPointF &place) const
{
    const Hit hit = hitAt(place);
    if (hit.point < 0) return -1;
    return static_cast<int>(
        m_rows->history.functions[static_cast<std::size_t>(hit.function)].points[static_cast<std::size_t>(hit.point)].session);
}

void HistoryCanvas::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.color(Color::Panel));
    if (!m_rows) return;
    painter.setRenderHint(QPainter::Antialiasing);
    for (int function = 0; function < static_cast<int>(m_rows->history.functions.size()); ++function)
        for (const Measure measure : kMeasures) paintCell(painter, function, measure);
}

void HistoryCanvas::paintCell(QPainter &painter, int function, Measure measure) const
{
    const Theme &theme = Theme::current();
    const QRectF cell = cellOf(function, measure), plot = plotOf(function, measure);
    const profiler::FunctionHistory &of = m_rows->history.functions[static_cast<std::size_t>(function)];
    painter.setPen(QPen(theme.color(Color::Border), 1));
    painter.setBrush(theme.color(Color::Canvas));
    painter.drawRect(cell);
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
    const QRectF head = cell.adjusted(theme.px(8), theme.px(4), -theme.px(8), 0);
    painter.setFont(theme.font(FontRole::BodyStrong));
    painter.setPen(theme.color(Color::TextPrimary));
    const QFontMetricsF strong(painter.font());
    const QString name = measure == kMeasures.front() ? QStringLiteral("%1 · ").arg(views::text(of.name)) : QString();
    painter.drawText(head, Qt::AlignLeft | Qt::AlignTop,
                     strong.elidedText(name + HistoryRows::title(measure), Qt::ElideMiddle, head.width()));
    const int count = static_cast<int>(of.points.size());
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(theme.color(Color::TextSecondary));
    int shown = -1; // whose value is said: the chosen session, else the youngest
    for (int i = 0; i < count; ++i)
        if (static_cast<int>(of.points[static_cast<std::size_t>(i)].session) == m_chosen || (m_chosen < 0 && i == count - 1)) shown = i;
    if (shown >= 0)
        painter.drawText(head.adjusted(0, theme.px(17), 0, 0), Qt::AlignLeft | Qt::AlignTop,
                         HistoryRows::text(of.points[static_cast<std::size_t>(shown)], measure));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.color(Color::Accent), 1.5));
    QPolygonF line;
    for (int i = 0; i < count; ++i)
        if (HistoryRows::value(of.points[static_cast<std::size_t>(i)], measure) >= 0) line << placeOf(function, measure, i);
    painter.drawPolyline(line);
    const bool crowded = count > 1 && plot.width() / count < 2.5 * theme.px(kRadius);
    for (int i = 0; i < count; ++i) {
        const profiler::HistoryPoint &point = of.points[static_cast<std::size_t>(i)];
        if (HistoryRows::value(point, measure) < 0) continue;
        const int session = static_cast<int>(point.session);
        const bool marked = session == m_chosen || session == m_other, changed = m_rows->isChanged(point);
        if (crowded && !marked && !changed) continue;
        const QPointF at = placeOf(function, measure, i);
        const double radius = theme.px(kRadius);
        painter.setPen(QPen(theme.color(Color::Canvas), 1));
        painter.setBrush(theme.color(changed ? Color::Warn : Color::Accent));
        if (changed) painter.drawPolygon(diamond(at, radius * 1.4));
        else painter.drawEllipse(at, radius, radius);
        if (!marked) continue;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.color(session == m_chosen ? Color::SelectionRing : Color::SelectionLinkedRing), 2));
        painter.drawEllipse(at, radius + 4, radius + 4);
    }
}

void HistoryCanvas::choose(int session, int other)
{
    if (session < 0 || (session == m_chosen && other == m_other)) return;
    setChosen(session, other);
    Q_EMIT chosenByPerson(m_chosen, m_other);
}

void HistoryCanvas::mousePressEvent(QMouseEvent *event)
{
    const int session = sessionAt(event->position());
    if (event->button() != Qt::LeftButton || session < 0) return;
    const bool second = m_chosen >= 0 && m_other < 0 && session != m_chosen;
    choose(session, second ? m_chosen : -1);
    if (second) Q_EMIT compareWanted();
}

void HistoryCanvas::keyPressEvent(QKeyEvent *event)
{
    if (!m_rows || m_rows->history.sessions.empty()) return QWidget::keyPressEvent(event);
    const int last = static_cast<int>(m_rows->history.sessions.size()) - 1;
    switch (event->key()) {
    case Qt::Key_Left: return choose(m_chosen < 0 ? last : std::max(0, m_chosen - 1), m_other);
    case Qt::Key_Right: return choose(m_chosen < 0 ? last : std::min(last, m_chosen + 1), m_other);
    case Qt::Key_Home: return choose(0, m_other);
    case Qt::Key_End: return choose(last, m_other);
    case Qt::Key_Space: return setChosen(m_chosen, m_chosen); // the first of two
    case Qt::Key_Escape: return setChosen(-1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_other >= 0 && m_other != m_chosen) Q_EMIT compareWanted();
        return;
    default: QWidget::keyPressEvent(event);
    }
}

bool HistoryCanvas::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto *help = static_cast<QHelpEvent *>(event);
    const Hit hit = hitAt(help->pos());
    if (hit.point < 0) QToolTip::hideText();
    else {
        const profiler::FunctionHistory &of = m_rows->history.functions[static_cast<std::size_t>(hit.function)];
        QToolTip::showText(help->globalPos(), m_rows->tip(of, of.points[static_cast<std::size_t>(hit.point)]), this);
    }
    return true;
}

} // namespace views
