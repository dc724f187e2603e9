#include "views/memory/choices_canvas.h"

#include "views/common/axis_break.h"
#include "views/common/formats.h"
#include "views/common/palette.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr int kHead = 30, kRow = 22, kBar = 12, kRepeat = 20; // px at 100 %
constexpr double kKeyStep = 0.01;                             // of the scale
constexpr int kNear = 7;                                      // px: of the line

} // namespace

ChoicesCanvas::ChoicesCanvas(QWidget *parent) : ScrollPicture(parent) { setAccessibleName(tr("What the memory of a call could be")); }

QSize ChoicesCanvas::sizeHint() const { return {Theme::current().px(640), Theme::current().px(240)}; }
QSize ChoicesCanvas::minimumSizeHint() const { return {Theme::current().px(240), Theme::current().px(96)}; }

void ChoicesCanvas::setRows(std::shared_ptr<const ChoicesRows> rows)
{
    const bool same = rows && m_rows && rows->function == m_rows->function;
    m_rows = std::move(rows);
    if (!same) {
        m_plan.reset();
        m_budget = m_rows && !m_rows->choices.all.empty() ? m_rows->now() : 0;
    }
    layOut();
    viewport()->update();
}

void ChoicesCanvas::setPlan(std::optional<profiler::MemoryAlternative> plan, std::int64_t ofBudget)
{
    m_plan = std::move(plan);
    m_planBudget = ofBudget;
    layOut();
    viewport()->update();
}

void ChoicesCanvas::setBudget(std::int64_t value)
{
    if (!m_rows || m_rows->choices.all.empty()) return;
    const std::int64_t next = std::clamp<std::int64_t>(value, 1, m_rows->scale());
    if (next == m_budget) return;
    m_budget = next;
    setAccessibleDescription(tr("Budget %1").arg(formats::bytes(m_budget)));
    viewport()->update();
    Q_EMIT budgetMoved(m_budget);
}

int ChoicesCanvas::rowCount() const { return m_rows ? static_cast<int>(m_rows->choices.all.size()) + (m_plan ? 1 : 0) : 0; }

const profiler::MemoryAlternative *ChoicesCanvas::at(int row) const
{
    if (row < 0 || row >= rowCount()) return nullptr;
    const auto index = static_cast<std::size_t>(row);
    return index < m_rows->choices.all.size() ? &m_rows->choices.all[index] : &*m_plan;
}

double ChoicesCanvas::left() const { return std::min<double>(Theme::current().px(190), viewport()->width() * 0.3); }
double ChoicesCanvas::right() const { return viewport()->width() - std::min<double>(Theme::current().px(210), viewport()->width() * 0.32); }
double ChoicesCanvas::rowTop(int row) const
{
    return Theme::current().px(kHead) + row * Theme::current().px(kRow) - verticalScrollBar()->value();
}
double ChoicesCanvas::repeatsTop() const { return rowTop(rowCount()) + Theme::current().px(8); }

double ChoicesCanvas::xOf(std::int64_t value) const
{
    const double share = m_rows ? static_cast<double>(value) / static_cast<double>(m_rows->scale()) : 0;
    return left() + std::min(1.0, share) * std::max(1.0, right() - left());
}

QRectF ChoicesCanvas::barOf(int row) const
{
    const profiler::MemoryAlternative *one = at(row);
    if (!one) return {};
    const Theme &theme = Theme::current();
    const double top = rowTop(row) + (theme.px(kRow) - theme.px(kBar)) / 2.0;
    return {left(), top, std::max(1.0, xOf(one->bytes) - left()), double(theme.px(kBar))};
}

int ChoicesCanvas::rowAt(const QPointF &place) const
{
    const int row = static_cast<int>(std::floor((place.y() - rowTop(0)) / Theme::current().px(kRow)));
    return place.y() >= Theme::current().px(kHead) && row >= 0 && row < rowCount() ? row : -1;
}

int ChoicesCanvas::repeatAt(const QPointF &place) const
{
    if (!m_plan || place.y() < repeatsTop() + Theme::current().px(kRepeat)) return -1;
    const int row = static_cast<int>((place.y() - repeatsTop()) / Theme::current().px(kRepeat)) - 1;
    return row >= 0 && row < static_cast<int>(m_plan->repeats.size()) ? row : -1;
}

void ChoicesCanvas::layOut()
{
    const Theme &theme = Theme::current();
    const auto repeats = m_plan ? static_cast<int>(m_plan->repeats.size()) : 0;
    const int height =
        theme.px(kHead) + rowCount() * theme.px(kRow) + (repeats ? theme.px(8) + (repeats + 1) * theme.px(kRepeat) : 0) + theme.px(8);
    setPictureHeight(height, theme.px(kRow));
}

void ChoicesCanvas::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), theme.color(Color::Panel));
    if (!m_rows || m_rows->choices.all.empty()) return;
    for (int row = 0; row < rowCount(); ++row) paintRow(painter, row);
    paintRepeats(painter);
    paintBudget(painter);
}

void ChoicesCanvas::paintRow(QPainter &painter, int row) const
{
    const Theme &theme = Theme::current();
    const profiler::MemoryAlternative &one = *at(row);
    const bool isPlan = row == static_cast<int>(m_rows->choices.all.size());
    const double top = rowTop(row), height = theme.px(kRow);
    if (top + height < 0 || top > viewport()->height()) return;
    painter.setFont(theme.font(row == 0 || isPlan ? FontRole::CellStrong : FontRole::Cell));
    painter.setPen(theme.color(isPlan ? Color::Accent : Color::TextPrimary));
    const QRectF name(theme.px(12), top, left() - theme.px(20), height);
    painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(m_rows->name(one), Qt::ElideRight, name.width()));
    const QRectF bar = barOf(row);
    const bool over = one.bytes > m_budget && m_budget < m_rows->now(); // it does not keep what is asked for
    const QColor ink = theme.color(isPlan ? Color::Accent : Color::Memory);
    if (row == 0 || isPlan) painter.fillRect(bar, ink);
    else {
        painter.fillRect(bar, theme.color(Color::SoftMemory));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(ink, 1, over ? Qt::DashLine : Qt::SolidLine));
        painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    if (one.bytes > m_rows->scale()) paintAxisBreak(painter, bar, true, theme.color(Color::Panel));
    if (const auto seen = m_rows->measured(one)) { // a tick where a run stood
        const double x = std::round(xOf(*seen));
        painter.fillRect(QRectF(x - 2, bar.top() - 3, 4, bar.height() + 6), theme.color(Color::Panel));
        painter.fillRect(QRectF(x - 1, bar.top() - 3, 2, bar.height() + 6), theme.color(Color::TextPrimary));
    }
    const QRectF said(right() + theme.px(10), top, viewport()->width() - right() - theme.px(14), height);
    painter.setFont(theme.font(FontRole::Cell));
    painter.setPen(theme.color(Color::TextPrimary));
    const double numbers = theme.px(66);
    drawTabular(painter, QRectF(said.left(), top, std::min(numbers, said.width()), height), Qt::AlignRight | Qt::AlignVCenter,
                formats::bytes(one.bytes));
    const QRectF rest = said.adjusted(numbers + theme.px(8), 0, 0, 0);
    if (rest.width() < theme.px(24)) return;
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(theme.color(Color::TextMuted));
    const QString text = m_rows->measuredText(one);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(text.isEmpty() ? tr("predicted") : text, Qt::ElideRight, rest.width()));
}

void ChoicesCanvas::paintRepeats(QPainter &painter) const
{
    if (!m_plan || m_plan->repeats.empty()) return;
    const Theme &theme = Theme::current();
    const double height = theme.px(kRepeat);
    double top = repeatsTop();
    painter.fillRect(QRectF(0, top, viewport()->width(), 1), theme.color(Color::Border));
    painter.setFont(theme.font(FontRole::Overline));
    painter.setPen(theme.color(Color::TextSecondary));
    painter.drawText(QRectF(theme.px(12), top, viewport()->width() - theme.px(24), height), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("Computed again in place of being kept: what each takes, and what it costs a call"));
    for (const profiler::RepeatedApply &repeat : m_plan->repeats) {
        top += height;
        if (top + height < 0 || top > viewport()->height()) continue;
        painter.setFont(theme.font(FontRole::Cell));
        painter.setPen(theme.color(Color::TextPrimary));
        drawTabular(painter, QRectF(theme.px(12), top, theme.px(72), height), Qt::AlignRight | Qt::AlignVCenter,
                    formats::bytes(repeat.bytes));
        drawTabular(painter, QRectF(theme.px(92), top, theme.px(72), height), Qt::AlignRight | Qt::AlignVCenter,
                    formats::timeNs(repeat.ns));
        const QRectF name(theme.px(180), top, viewport()->width() - theme.px(192), height);
        painter.setFont(theme.font(FontRole::Mono));
        painter.setPen(theme.color(Color::TextSecondary));
        painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(painter.font()).elidedText(m_rows->nameOf(repeat), Qt::ElideMiddle, name.width()));
    }
}

void ChoicesCanvas::paintBudget(QPainter &painter) const
{
    const Theme &theme = Theme::current();
    const double head = theme.px(kHead), x = std::round(xOf(m_budget)) + 0.5,
                 bottom = std::min<double>(rowTop(rowCount()), viewport()->height());
    painter.fillRect(QRectF(0, 0, viewport()->width(), head - 4), theme.color(Color::Panel));
    QColor taken = theme.color(Color::Accent);
    taken.setAlphaF(0.06F);
    painter.fillRect(QRectF(x, head - 6, std::max(0.0, right() - x), bottom - head + 6), taken); // what is not to be used
    painter.setPen(QPen(theme.color(Color::Accent), hasFocus() ? 2 : 1.5));
    painter.drawLine(QPointF(x, head - 8), QPointF(x, bottom));
    painter.setFont(theme.font(FontRole::CellStrong));
    const QString text = tr("budget %1").arg(formats::bytes(m_budget));
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + theme.px(16);
    const QRectF label(std::clamp(x - width / 2, 2.0, std::max(2.0, viewport()->width() - width - 2)), 3, width, head - theme.px(11));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.color(Color::Accent));
    painter.drawRoundedRect(label, theme.px(4), theme.px(4));
    painter.drawPolygon(QPolygonF({{x - 5, label.bottom()}, {x + 5, label.bottom()}, {x, label.bottom() + 5}}));
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(theme.color(Color::TextOnAccent));
    painter.drawText(label, Qt::AlignCenter, text);
}

void ChoicesCanvas::moveTo(double x)
{
    if (!m_rows || m_rows->choices.all.empty()) return;
    const double share = std::clamp((x - left()) / std::max(1.0, right() - left()), 0.0, 1.0);
    setBudget(static_cast<std::int64_t>(share * static_cast<double>(m_rows->scale())));
}

void ChoicesCanvas::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_rows || m_rows->choices.all.empty()) return;
    if (const int repeat = repeatAt(event->position()); repeat >= 0) {
        Q_EMIT repeatChosen(raw(m_plan->repeats[static_cast<std::size_t>(repeat)].apply.apply));
        return;
    }
    if (event->position().y() > rowTop(rowCount())) return;
    m_drags = true;
    moveTo(event->position().x());
}

void ChoicesCanvas::mouseMoveEvent(QMouseEvent *event)
{
    if (m_drags) moveTo(event->position().x());
    const bool near = std::abs(event->position().x() - xOf(m_budget)) <= kNear && event->position().y() < rowTop(rowCount());
    viewport()->setCursor(m_drags || near ? Qt::SplitHCursor : Qt::ArrowCursor);
}

void ChoicesCanvas::mouseReleaseEvent(QMouseEvent *) { m_drags = false; }

void ChoicesCanvas::keyPressEvent(QKeyEvent *event)
{
    if (!m_rows || m_rows->choices.all.empty()) return ScrollPicture::keyPressEvent(event);
    const auto step = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(kKeyStep * (event->modifiers() & Qt::ShiftModifier ? 10 : 1) * static_cast<double>(m_rows->scale())));
    switch (event->key()) {
    case Qt::Key_Left: return setBudget(m_budget - step);
    case Qt::Key_Right: return setBudget(m_budget + step);
    case Qt::Key_Home: return setBudget(1);
    case Qt::Key_End: return setBudget(m_rows->now());
    default: ScrollPicture::keyPressEvent(event);
    }
}

QString ChoicesCanvas::tipAt(const QPointF &place) const
{
    if (const profiler::MemoryAlternative *one = at(rowAt(place))) return m_rows->tip(*one);
    const int repeat = repeatAt(place);
    return repeat < 0 ? QString() : m_rows->nameOf(m_plan->repeats[static_cast<std::size_t>(repeat)]);
}

} // namespace views
