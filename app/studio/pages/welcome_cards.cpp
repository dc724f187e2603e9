#include "app/studio/pages/welcome_cards.h"

#include "profiler/session/store/reader.h"
#include "views/common/controls.h"
#include "views/common/icons.h"
#include "views/common/theme.h"
#include "views/common/tips.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>

#include <cmath>

namespace app {

using namespace views;

namespace {

struct NodeLook {
    Color fill;
    Color line;
    double width;
    bool round;
    Qt::PenStyle style;
};

NodeLook lookOf(const QString &kind)
{
    if (kind == "input") return {Color::SoftInput, Color::Input, 1, true, Qt::SolidLine};
    if (kind == "shared") return {Color::SoftShared, Color::Shared, 1, true, Qt::SolidLine};
    if (kind == "created") return {Color::DiffSoftCreated, Color::DiffCreated, 2, false, Qt::SolidLine};
    if (kind == "fused") return {Color::DiffSoftFused, Color::DiffFused, 1.5, false, Qt::DashDotLine};
    if (kind == "dead") return {Color::DiffSoftDead, Color::DiffDead, 1.5, false, Qt::DashLine};
    if (kind == "output") return {Color::Panel, Color::Output, 2, false, Qt::SolidLine};
    return {Color::Panel, Color::BorderStrong, 1, false, Qt::SolidLine};
}

} // namespace

SampleButton::SampleButton(SampleCard card, QWidget *parent) : QAbstractButton(parent), m_card(std::move(card))
{
    setAccessibleName(m_card.title);
    setAccessibleDescription(m_card.subtitle + ". " + m_card.sees);
    if (!m_card.sees.isEmpty()) setToolTip(tipText(tr("You will see: %1").arg(m_card.sees)));
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_run = iconButton(QStringLiteral("run"), tr("Run %1 and record it").arg(m_card.title), this);
    m_run->setAutoFillBackground(true);
    connect(m_run, &QToolButton::clicked, this, &SampleButton::runRequested);
}

void SampleButton::resizeEvent(QResizeEvent *event)
{
    QAbstractButton::resizeEvent(event);
    const QSize size = m_run->sizeHint();
    m_run->setGeometry(QRect(QPoint(width() - size.width() - Theme::current().px(8), Theme::current().px(8)), size));
}

QSize SampleButton::sizeHint() const { return {Theme::current().px(280), Theme::current().px(202)}; }

QRectF SampleButton::nodeRect(const SampleCard::Node &node, const QRectF &area) const
{
    const Theme &theme = Theme::current();
    const QFontMetricsF metrics(theme.font(FontRole::Node));
    const double width = std::max<double>(theme.px(38), metrics.horizontalAdvance(node.text) + theme.px(18));
    const double height = theme.px(21);
    int rows = 1;
    for (const SampleCard::Node &each : m_card.nodes) rows = std::max(rows, each.row + 1);
    const double pitch = area.height() / rows;
    const double y = area.top() + pitch * (node.row + 0.5);
    return {area.left() + node.x * area.width() - width / 2, y - height / 2, width, height};
}

void SampleButton::paintPicture(QPainter &painter, const QRectF &area) const
{
    const Theme &theme = Theme::current();
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.color(Color::GridDot));
    for (double y = area.top() + 10; y < area.bottom(); y += 16)
        for (double x = area.left() + 10; x < area.right(); x += 16) painter.drawEllipse(QPointF(x, y), 0.7, 0.7);
    const QRectF inner = area.adjusted(theme.px(8), theme.px(4), -theme.px(8), -theme.px(4));
    const int count = static_cast<int>(m_card.nodes.size());
    for (const auto &[from, to] : m_card.edges) {
        if (from < 0 || to < 0 || from >= count || to >= count) continue;
        const QRectF a = nodeRect(m_card.nodes[static_cast<std::size_t>(from)], inner);
        const QRectF b = nodeRect(m_card.nodes[static_cast<std::size_t>(to)], inner);
        const double spread = std::clamp((a.center().x() - b.center().x()) * 0.2, -b.width() * 0.3, b.width() * 0.3);
        const QPointF start(a.center().x(), a.bottom());
        const QPointF end(b.center().x() + spread, b.top() - 6);
        QPainterPath path(start);
        const double half = (end.y() - start.y()) / 2;
        path.cubicTo(start + QPointF(0, half), end - QPointF(0, half), end);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.color(Color::DataEdge), 1.25));
        painter.drawPath(path);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.color(Color::DataEdge));
        painter.drawPolygon(QPolygonF{end + QPointF(-3.5, 0), end + QPointF(3.5, 0), end + QPointF(0, 6)});
    }
    for (const SampleCard::Node &node : m_card.nodes) {
        const NodeLook look = lookOf(node.kind);
        const QRectF rect = nodeRect(node, inner).adjusted(0.5, 0.5, -0.5, -0.5);
        QColor fill = theme.color(look.fill);
        if (node.kind == "hot") fill = theme.hot(0.85);
        else if (node.kind == "warm") fill = theme.hot(0.3);
        painter.setBrush(fill);
        painter.setPen(QPen(theme.color(look.line), look.width, look.style));
        const double radius = look.round ? rect.height() / 2 : 4;
        painter.drawRoundedRect(rect, radius, radius);
        painter.setFont(theme.font(look.round ? FontRole::Mono : FontRole::Node));
        const bool hot = node.kind == "hot" || node.kind == "warm";
        painter.setPen(hot ? Theme::textOn(fill) : theme.color(Color::TextPrimary));
        painter.drawText(rect, Qt::AlignCenter, node.text);
    }
}

void SampleButton::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF card = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    QPainterPath shape;
    shape.addRoundedRect(card, 8, 8);
    painter.fillPath(shape, theme.color(Color::Panel));
    const double pictureHeight = theme.px(124);
    painter.save();
    painter.setClipPath(shape);
    const QRectF picture(card.left(), card.top(), card.width(), pictureHeight);
    painter.fillRect(picture, theme.color(Color::Canvas));
    paintPicture(painter, picture);
    painter.restore();
    painter.fillRect(QRectF(card.left(), picture.bottom(), card.width(), 1), theme.color(Color::Border));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.color(underMouse() ? Color::BorderStrong : Color::Border), 1));
    painter.drawPath(shape);

    const double left = card.left() + theme.px(12);
    const double room = card.width() - theme.px(24);
    double y = picture.bottom() + theme.px(9);
    painter.setFont(theme.font(FontRole::BodyStrong));
    painter.setPen(theme.color(Color::TextPrimary));
    painter.drawText(QRectF(left, y, room, theme.px(20)), Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(m_card.title, Qt::ElideRight, room));
    y += theme.px(19);
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(theme.color(Color::TextMuted));
    painter.drawText(QRectF(left, y, room, theme.px(16)), Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(m_card.subtitle, Qt::ElideRight, room));
    y += theme.px(21);
    double x = left;
    QFont font = theme.font(FontRole::Caption);
    font.setWeight(QFont::Medium);
    painter.setFont(font);
    for (const QString &tag : m_card.tags) {
        const double width = QFontMetricsF(font).horizontalAdvance(tag) + theme.px(14);
        if (x + width > left + room) break;
        const QRectF pill(x, y, width, theme.px(19));
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.color(Color::Sunken));
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
        painter.setPen(theme.color(Color::TextSecondary));
        painter.drawText(pill, Qt::AlignCenter, tag);
        x += width + theme.px(5);
    }
}

RecentButton::RecentButton(const QString &path, QWidget *parent) : QAbstractButton(parent), m_path(path)
{
    setAccessibleName(tr("Open %1").arg(path));
    setToolTip(tipText(path));
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void RecentButton::setState(const RecentState &state)
{
    m_state = state;
    setAccessibleDescription(state.text);
    update();
}

RecentState recentState(const QString &path)
{
    const QFileInfo info(path);
    const QString when = QLocale().toString(info.lastModified(), QLocale::ShortFormat);
    const auto said = [&when](const QString &state, bool good) { return RecentState{state + QStringLiteral(" · ") + when, good}; };
    if (info.suffix().toLower() != QLatin1String("croton")) return said(RecentButton::tr("changed"), true);
    try {
        const profiler::SessionInfo session = profiler::SessionReader::open(path.toStdString())->info();
        switch (session.state) {
        case profiler::SessionState::Running: return said(RecentButton::tr("being written"), true);
        case profiler::SessionState::CutOff: return said(RecentButton::tr("cut off"), false);
        default:
            return session.exitStatus == 0 ? said(RecentButton::tr("finished"), true)
                                           : said(RecentButton::tr("ended with an error"), false);
        }
    } catch (const std::exception &) { // damaged, or of another version: opening it says what is wrong
        return said(RecentButton::tr("cannot be read"), false);
    }
}

QSize RecentButton::sizeHint() const { return {200, Theme::current().px(40)}; }

void RecentButton::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse()) painter.fillRect(rect(), theme.color(Color::Hover));
    const QFileInfo info(m_path);
    const double icon = theme.px(18);
    paintIcon(painter, info.suffix() == "py" ? QStringLiteral("code") : QStringLiteral("document"),
              QRectF(2, (height() - icon) / 2, icon, icon), theme.color(Color::TextSecondary));
    const double left = icon + theme.px(10);
    const double room = width() - left;
    painter.setFont(theme.font(FontRole::BodyStrong));
    painter.setPen(theme.color(Color::TextPrimary));
    painter.drawText(QRectF(left, theme.px(3), room, theme.px(18)), Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(info.fileName(), Qt::ElideMiddle, room));
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(theme.color(Color::TextMuted));
    const QFontMetricsF metrics(painter.font());
    const QRectF second(left, theme.px(20), room, theme.px(16));
    painter.setPen(theme.color(m_state.good ? Color::TextMuted : Color::Warn));
    const QString state = metrics.elidedText(m_state.text, Qt::ElideRight, room);
    painter.drawText(second, Qt::AlignVCenter, state);
    painter.setPen(theme.color(Color::TextMuted));
    const double taken = state.isEmpty() ? 0 : metrics.horizontalAdvance(state + QStringLiteral(" · "));
    if (room - taken > theme.px(50))
        painter.drawText(second.adjusted(taken, 0, 0, 0), Qt::AlignVCenter,
                         metrics.elidedText(info.absolutePath(), Qt::ElideMiddle, room - taken));
    painter.fillRect(QRectF(0, height() - 1, width(), 1), theme.color(Color::Border));
}

QSize DropHint::sizeHint() const { return {200, Theme::current().px(46)}; }

void DropHint::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(theme.color(Color::BorderStrong), 1);
    pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    painter.setFont(theme.font(FontRole::Body));
    painter.setPen(theme.color(Color::TextSecondary));
    const QString text = tr("Drop a .py, .json or .croton file");
    painter.drawText(rect(), Qt::AlignCenter, painter.fontMetrics().elidedText(text, Qt::ElideRight, width() - theme.px(16)));
}

WideButton::WideButton(const QString &icon, const QString &text, const QString &shortcut, bool primary)
    : m_icon(icon), m_shortcut(shortcut), m_primary(primary)
{
    setText(text);
    setAccessibleName(text);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred); // fixed, it would be as high as one line
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

QSize WideButton::sizeHint() const { return {200, Theme::current().px(36)}; }

QRect WideButton::wordsIn(const QRect &rect) const
{
    const Theme &theme = Theme::current();
    return rect.adjusted(theme.px(37), 0, -theme.px(12), 0);
}

int WideButton::heightForWidth(int width) const
{
    const Theme &theme = Theme::current();
    const QFontMetrics metrics(theme.font(m_primary ? FontRole::BodyStrong : FontRole::Body));
    const QRect room = wordsIn(QRect(0, 0, width, 10 * theme.px(36)));
    return std::max(theme.px(36), metrics.boundingRect(room, Qt::TextWordWrap, text()).height() + theme.px(12));
}

void WideButton::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool on = isEnabled();
    const Color fill =
        m_primary ? (underMouse() ? Color::AccentHover : Color::Accent) : (underMouse() && on ? Color::Hover : Color::Raised);
    painter.setPen(m_primary ? Qt::NoPen : QPen(theme.color(Color::Border), 1));
    painter.setBrush(theme.color(fill));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const QColor ink = theme.color(!on ? Color::TextDisabled : m_primary ? Color::TextOnAccent : Color::TextPrimary);
    const double icon = theme.px(16);
    paintIcon(painter, m_icon, QRectF(theme.px(12), (height() - icon) / 2, icon, icon), ink);
    painter.setFont(theme.font(m_primary ? FontRole::BodyStrong : FontRole::Body));
    painter.setPen(ink);
    const QRect words = wordsIn(rect());
    painter.drawText(words, Qt::AlignVCenter | Qt::TextWordWrap, text());
    const int left = words.width() - painter.fontMetrics().horizontalAdvance(text());
    painter.setFont(theme.font(FontRole::Body));
    if (left > painter.fontMetrics().horizontalAdvance(m_shortcut) + theme.px(8))
        painter.drawText(words, Qt::AlignVCenter | Qt::AlignRight, m_shortcut);
}

} // namespace app
