#include "views/worth/worth_canvas.h"

#include "views/common/axis_break.h"
#include "views/common/palette.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace views {

using Kind = WorthLine::Kind;

namespace {

constexpr int kLine = 24, kGap = 12, kBar = 10, kSide = 12, kBadge = 16; // px at 100 %

}

WorthCanvas::WorthCanvas(QWidget *parent) : ScrollPicture(parent) { setAccessibleName(tr("What each rewrite changes")); }

QSize WorthCanvas::sizeHint() const { return {Theme::current().px(520), Theme::current().px(320)}; }
QSize WorthCanvas::minimumSizeHint() const { return {Theme::current().px(280), Theme::current().px(96)}; }

void WorthCanvas::setRows(std::shared_ptr<const WorthRows> rows, std::shared_ptr<const SessionData> session)
{
    m_rows = std::move(rows);
    m_session = std::move(session);
    m_chosen = m_hovered = -1;
    layOut();
    viewport()->update();
}

void WorthCanvas::setChosen(int line)
{
    m_chosen = line < count() ? line : -1;
    bringIntoView(lineRect(m_chosen), headHeight());
    viewport()->update();
}

double WorthCanvas::headHeight() const { return Theme::current().px(28); }

double WorthCanvas::nameWidth() const { return std::min(viewport()->width() * 0.42, double(Theme::current().px(280))); }

double WorthCanvas::textWidth() const { return Theme::current().px(76); }

// Where nothing is on the left of zero, the bars have all the room.
double WorthCanvas::zero() const
{
    const Theme &theme = Theme::current();
    double least = 0, most = 0;
    if (m_rows)
        for (const WorthLine &line : m_rows->lines) least = std::min(least, line.place), most = std::max(most, line.place);
    const double from = nameWidth() + theme.px(kSide), to = viewport()->width() - theme.px(kSide) - textWidth();
    const double span = most - least;
    return span <= 0 ? from : from + std::max(0.0, to - from) * (-least / span);
}

// The sums, and the pairs, stand apart from the rewrites.
double WorthCanvas::gapBefore(int line) const
{
    double gap = 0;
    for (int i = 1; i <= line; ++i) {
        const Kind kind = m_rows->lines[static_cast<std::size_t>(i)].kind, before = m_rows->lines[static_cast<std::size_t>(i - 1)].kind;
        const bool begins = (before == Kind::Rewrite && kind != Kind::Rewrite) || (before != Kind::Pair && kind == Kind::Pair);
        if (begins) gap += Theme::current().px(kGap);
    }
    return gap;
}

QRectF WorthCanvas::lineRect(int line) const
{
    if (line < 0 || line >= count()) return {};
    const double height = Theme::current().px(kLine);
    return {0, headHeight() + gapBefore(line) + line * height - verticalScrollBar()->value(), double(viewport()->width()), height};
}

QRectF WorthCanvas::barOf(int index) const
{
    const QRectF rect = lineRect(index);
    if (rect.isEmpty()) return {};
    const Theme &theme = Theme::current();
    const WorthLine &line = m_rows->lines[static_cast<std::size_t>(index)];
    if (!line.instead.isEmpty()) return {};
    double least = 0, most = 0;
    for (const WorthLine &one : m_rows->lines) least = std::min(least, one.place), most = std::max(most, one.place);
    const double from = nameWidth() + theme.px(kSide), to = viewport()->width() - theme.px(kSide) - textWidth();
    const double length = most > least ? std::fabs(line.place) * std::max(0.0, to - from) / (most - least) : 0;
    const double width = line.worth != 0 ? std::max(1.0, length) : 0;
    return {line.place < 0 ? zero() - width : zero(), rect.center().y() - theme.px(kBar) / 2.0, width, double(theme.px(kBar))};
}

int WorthCanvas::lineAt(const QPointF &place) const
{
    if (place.y() < headHeight()) return -1;
    for (int i = 0; i < count(); ++i)
        if (lineRect(i).contains(place)) return i;
    return -1;
}

void WorthCanvas::layOut()
{
    const double height =
        count() ? headHeight() + gapBefore(count() - 1) + count() * Theme::current().px(kLine) + Theme::current().px(8) : 0;
    setPictureHeight(height, Theme::current().px(kLine));
}

void WorthCanvas::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), theme.color(Color::Panel));
    if (!m_rows) return;
    for (int i = 0; i < count(); ++i) {
        const QRectF rect = lineRect(i);
        if (rect.bottom() >= headHeight() && rect.top() < viewport()->height()) paintLine(painter, i);
    }
    const double x = std::round(zero()) - 0.5;
    painter.setPen(QPen(theme.color(Color::BorderStrong), 1));
    painter.drawLine(QPointF(x, headHeight()), QPointF(x, viewport()->height()));
    paintHead(painter);
}

void WorthCanvas::paintHead(QPainter &painter) const
{
    const Theme &theme = Theme::current();
    const QRectF head(0, 0, viewport()->width(), headHeight());
    painter.fillRect(head, theme.color(Color::Panel));
    painter.fillRect(QRectF(0, head.bottom() - 1, head.width(), 1), theme.color(Color::Border));
    painter.setFont(theme.font(FontRole::Overline));
    painter.setPen(theme.color(Color::TextSecondary));
    const double side = theme.px(kSide), from = nameWidth() + side;
    painter.drawText(QRectF(side, 0, nameWidth() - side, head.height()), Qt::AlignLeft | Qt::AlignVCenter, tr("Left out"));
    painter.setFont(theme.font(FontRole::Caption));
    const QString without = tr("◂ better without it"), with = tr("better with it ▸");
    const QFontMetricsF metrics(painter.font());
    const double leftRoom = zero() - from - side / 2, rightRoom = viewport()->width() - zero() - side;
    painter.setPen(theme.color(Color::Worse));
    if (metrics.horizontalAdvance(without) < leftRoom)
        painter.drawText(QRectF(from, 0, leftRoom, head.height()), Qt::AlignRight | Qt::AlignVCenter, without);
    painter.setPen(theme.color(Color::Better));
    if (metrics.horizontalAdvance(with) < rightRoom)
        painter.drawText(QRectF(zero() + side / 2, 0, rightRoom, head.height()), Qt::AlignLeft | Qt::AlignVCenter, with);
}

void WorthCanvas::paintLine(QPainter &painter, int index) const
{
    const Theme &theme = Theme::current();
    const WorthLine &line = m_rows->lines[static_cast<std::size_t>(index)];
    const QRectF rect = lineRect(index);
    if (index == m_chosen) painter.fillRect(rect, theme.color(hasFocus() ? Color::SelectionFill : Color::SelectionFillInactive));
    else if (index == m_hovered) painter.fillRect(rect, theme.color(Color::Sunken));
    painter.fillRect(QRectF(rect.left(), rect.bottom() - 1, rect.width(), 1), theme.color(Color::Border));
    const double side = theme.px(kSide);
    double left = side;
    if (!line.phase.isEmpty()) {
        const double badge = theme.px(kBadge);
        painter.setRenderHint(QPainter::Antialiasing);
        paintPhaseBadge(painter, QRectF(left, rect.center().y() - badge / 2, badge, badge), theme.phase(line.phase));
        painter.setRenderHint(QPainter::Antialiasing, false);
        left += badge + theme.px(6);
    }
    const bool isSum = line.kind == Kind::Sum || line.kind == Kind::All;
    painter.setFont(theme.font(isSum ? FontRole::CellStrong : FontRole::Cell));
    painter.setPen(theme.color(line.instead.isEmpty() ? Color::TextPrimary : Color::TextMuted));
    painter.drawText(QRectF(left, rect.top(), nameWidth() - left, rect.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(line.name, Qt::ElideMiddle, nameWidth() - left));
    if (!line.instead.isEmpty()) {
        const QRectF place(zero() + theme.px(8), rect.top(), viewport()->width() - zero() - theme.px(16), rect.height());
        painter.setFont(theme.font(FontRole::Caption));
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(painter.font()).elidedText(line.instead, Qt::ElideRight, place.width()));
        return;
    }
    const QRectF bar = barOf(index);
    const QColor ink = theme.color(isSum ? Color::TextSecondary : line.worth < 0 ? Color::Worse : Color::Better);
    if (bar.width() > 0) {
        if (line.sure || isSum) painter.fillRect(bar, ink);
        else {
            fillHatched(painter, bar, theme.color(Color::Same)); // it may be chance
            painter.setPen(QPen(theme.color(Color::Same), 1));
            painter.setBrush(Qt::NoBrush);
            if (bar.width() > 3) painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
        }
    }
    if (line.beyond)
        paintAxisBreak(painter, bar, line.worth > 0,
                       theme.color(index != m_chosen ? Color::Panel
                                   : hasFocus()      ? Color::SelectionFill
                                                     : Color::SelectionFillInactive));
    painter.setFont(theme.font(line.sure ? FontRole::CellStrong : FontRole::Cell));
    painter.setPen(theme.color(line.sure ? Color::TextPrimary : Color::TextMuted));
    const QRectF place(line.place < 0 ? zero() + theme.px(6) : bar.right() + theme.px(6), rect.top(), textWidth(), rect.height());
    drawTabular(painter, place, Qt::AlignLeft | Qt::AlignVCenter, line.sure ? line.text : QStringLiteral("~ ") + line.text);
}

void WorthCanvas::choose(int line)
{
    if (line < 0 || line >= count()) return;
    setChosen(line);
    Q_EMIT chosenByPerson(line);
}

void WorthCanvas::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton) choose(lineAt(event->position()));
}

void WorthCanvas::mouseMoveEvent(QMouseEvent *event)
{
    const int line = lineAt(event->position());
    if (line == m_hovered) return;
    m_hovered = line;
    viewport()->update();
}

void WorthCanvas::keyPressEvent(QKeyEvent *event)
{
    const int page = std::max(1, static_cast<int>((viewport()->height() - headHeight()) / Theme::current().px(kLine)) - 1);
    switch (event->key()) {
    case Qt::Key_Down:
    case Qt::Key_J: return choose(std::min(count() - 1, m_chosen + 1));
    case Qt::Key_Up:
    case Qt::Key_K: return choose(std::max(0, m_chosen - 1));
    case Qt::Key_PageDown: return choose(std::min(count() - 1, m_chosen + page));
    case Qt::Key_PageUp: return choose(std::max(0, m_chosen - page));
    case Qt::Key_Home: return choose(0);
    case Qt::Key_End: return choose(count() - 1);
    default: ScrollPicture::keyPressEvent(event);
    }
}

QString WorthCanvas::tipAt(const QPointF &place) const
{
    const int line = lineAt(place);
    return line < 0 ? QString() : m_rows->tip(*m_session, static_cast<std::size_t>(line));
}

} // namespace views
