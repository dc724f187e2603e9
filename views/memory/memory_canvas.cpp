#include "views/memory/memory_canvas.h"

#include "views/common/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace views {

using profiler::Lifetime;

MemoryCanvas::MemoryCanvas(QWidget *parent) : ScrollPicture(parent) {}

QSize MemoryCanvas::sizeHint() const { return {Theme::current().px(640), Theme::current().px(240)}; }
QSize MemoryCanvas::minimumSizeHint() const { return {Theme::current().px(240), Theme::current().px(120)}; }

void MemoryCanvas::setContents(MemoryPicture picture, std::shared_ptr<const MemoryRows> rows, const MemoryRows::OfFunction *function)
{
    if (function != m_function) m_chosen = m_hovered = -1;
    m_picture = picture;
    m_rows = std::move(rows);
    m_function = function;
    layOut();
    viewport()->update();
}

void MemoryCanvas::setChosen(int lifetime)
{
    m_chosen = lifetime;
    if (m_picture == MemoryPicture::Lifetimes) bringIntoView(rectOf(lifetime), piecesTop());
    viewport()->update();
}

int MemoryCanvas::positions() const
{
    if (!m_function) return 1;
    return std::max<int>(1, static_cast<int>(std::max(m_function->memory.report.liveBytes.size(), m_function->memory.order.size())));
}

double MemoryCanvas::left() const { return Theme::current().px(76); }
double MemoryCanvas::right() const { return viewport()->width() - Theme::current().px(176); } // names of the levels stand there
double MemoryCanvas::courseHeight() const
{
    return std::clamp(viewport()->height() * 0.4, double(Theme::current().px(64)), double(Theme::current().px(180)));
}
double MemoryCanvas::piecesTop() const { return courseHeight() + Theme::current().px(28); }
double MemoryCanvas::barStep() const { return Theme::current().px(15); }
double MemoryCanvas::xOf(double position) const { return left() + position / positions() * (right() - left()); }

int MemoryCanvas::positionAt(const QPointF &place) const
{
    if (!m_function || place.x() < left() || place.x() >= right()) return -1;
    return static_cast<int>((place.x() - left()) / (right() - left()) * positions());
}

void MemoryCanvas::layOut()
{
    const double pieces = m_function && m_picture == MemoryPicture::Lifetimes
                              ? piecesTop() + static_cast<double>(m_function->memory.lifetimes.size()) * barStep() + Theme::current().px(6)
                              : 0;
    setPictureHeight(pieces, barStep());
}

QRectF MemoryCanvas::rectOf(int index) const
{
    if (!m_function || m_picture == MemoryPicture::OverTime || index < 0 || index >= static_cast<int>(m_function->memory.lifetimes.size()))
        return {};
    const Lifetime &life = m_function->memory.lifetimes[static_cast<std::size_t>(index)];
    const double from = xOf(life.from), to = std::min(xOf(life.to + 1), right());
    const double width = std::max(to - from - 1, 1.0);
    if (m_picture == MemoryPicture::Lifetimes)
        return {from, piecesTop() + index * barStep() - verticalScrollBar()->value(), width, barStep() - Theme::current().px(3)};
    if (life.offset < 0) return {};
    const double room = viewport()->height() - piecesTop() - Theme::current().px(6);
    const double whole = static_cast<double>(std::max<std::int64_t>(m_function->memory.arenaUsed, 1));
    const double bottom = piecesTop() + room;
    const double height = std::max(static_cast<double>(life.bytes) / whole * room - 1, 2.0);
    return {from, bottom - static_cast<double>(life.offset) / whole * room - height, width, height};
}

int MemoryCanvas::lifetimeAt(const QPointF &place) const
{
    if (!m_function || place.y() < piecesTop()) return -1;
    for (int i = 0; i < static_cast<int>(m_function->memory.lifetimes.size()); ++i)
        if (rectOf(i).adjusted(-1, -1, 1, 1).contains(place)) return i;
    return -1;
}

void MemoryCanvas::mousePressEvent(QMouseEvent *event)
{
    const int found = lifetimeAt(event->position());
    if (event->button() != Qt::LeftButton || found < 0) return;
    setChosen(found);
    Q_EMIT chosenByPerson(found);
}

void MemoryCanvas::mouseMoveEvent(QMouseEvent *event)
{
    const int position = m_picture == MemoryPicture::OverTime ? -1 : positionAt(event->position());
    if (position == m_hovered) return;
    m_hovered = position;
    viewport()->update();
}

void MemoryCanvas::keyPressEvent(QKeyEvent *event)
{
    const bool down = event->key() == Qt::Key_Down || event->key() == Qt::Key_Right;
    const bool up = event->key() == Qt::Key_Up || event->key() == Qt::Key_Left;
    if (!m_function || m_picture == MemoryPicture::OverTime || (!up && !down)) return ScrollPicture::keyPressEvent(event);
    const int last = static_cast<int>(m_function->memory.lifetimes.size()) - 1;
    int next = m_chosen < 0 ? 0 : m_chosen + (down ? 1 : -1);
    while (next >= 0 && next <= last && rectOf(next).isEmpty()) next += down ? 1 : -1; // outside of the arena
    if (next < 0 || next > last) return;
    setChosen(next);
    Q_EMIT chosenByPerson(next);
}

QString MemoryCanvas::tipAt(const QPointF &place) const
{
    const int found = lifetimeAt(place);
    return found < 0 ? QString() : MemoryRows::tip(*m_function, static_cast<std::size_t>(found));
}

} // namespace views
