#include "views/graph/key_panel.h"

#include "views/common/controls.h"
#include "views/common/palette.h"

#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr int kKind = 18;    // px at 100 %: a line of the key of kinds
constexpr int kOthers = 380; // … and what bars and the panels above the key need of the window

} // namespace

KeyPanel::KeyPanel(SelectionHub &hub, QWidget *parent) : ScrollPicture(parent), m_hub(hub)
{
    setSurface(this, "panel");
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    setAccessibleName(tr("Graph key"));
    connect(&m_hub, &SelectionHub::colourScaleChanged, this, &KeyPanel::refresh);
    connect(&ColourKeys::of(m_hub), &ColourKeys::changed, this, &KeyPanel::refresh);
}

void KeyPanel::refresh()
{
    const ColourScale &scale = m_hub.colourScale();
    const ColourKey &key = ColourKeys::of(m_hub).now();
    QStringList names;
    for (const ColourEntry &entry : key.entries) names << entry.text;
    setAccessibleDescription(!scale.title.isEmpty() ? tr("%1: %2 to %3").arg(scale.title, scale.least, scale.most)
                             : names.isEmpty()      ? QString()
                                                    : tr("%1: %2").arg(key.title, names.join(QStringLiteral(", "))));
    updateGeometry();
    layOut();
    viewport()->update();
}

QSizeF keySize(const Theme &theme, const ColourScale &scale, const ColourKey &key)
{
    const int kinds = (static_cast<int>(key.entries.size()) + 1) / 2; // two in a line
    return QSizeF(theme.px(200), theme.px((scale.title.isEmpty() ? 96 : 148) + (kinds > 0 ? 24 + kinds * kKind : 0)));
}

QSize KeyPanel::sizeHint() const { return keySize(Theme::current(), m_hub.colourScale(), ColourKeys::of(m_hub).now()).toSize(); }

QSize KeyPanel::minimumSizeHint() const
{
    const Theme &theme = Theme::current();
    const int left = window()->height() - theme.px(kOthers);
    return {100, std::min(sizeHint().height(), std::max(theme.px(3 * kKind), left))};
}

void KeyPanel::layOut() { setPictureHeight(sizeHint().height(), Theme::current().px(kKind)); }

void KeyPanel::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme &theme = Theme::current();
    painter.fillRect(viewport()->rect(), theme.color(Color::Panel));
    painter.translate(0, -verticalScrollBar()->value());
    paintKey(painter, viewport()->rect(), theme, m_hub.colourScale(), ColourKeys::of(m_hub).now());
}

namespace {

// A square with its colour and pattern, and what it stands for.
void paintKinds(QPainter &painter, const QRectF &area, double top, const Theme &theme, const ColourKey &key)
{
    const double left = area.left() + theme.px(12), cell = (area.width() - 2 * theme.px(12)) / 2;
    painter.setFont(theme.font(FontRole::Cell));
    painter.setPen(theme.color(Color::TextSecondary));
    painter.drawText(QRectF(left, top, area.right() - left, theme.px(20)), Qt::AlignVCenter, key.title);
    painter.setFont(theme.font(FontRole::Caption));
    const QFontMetricsF metrics(painter.font());
    for (std::size_t i = 0; i < key.entries.size(); ++i) {
        const ColourEntry &entry = key.entries[i];
        const std::size_t row = i / 2, column = i % 2;
        const double x = left + static_cast<double>(column) * cell, y = top + theme.px(20) + static_cast<double>(row) * theme.px(kKind);
        const QRectF square(x, y + theme.px(3), theme.px(12), theme.px(12));
        if (entry.phase.isEmpty()) {
            painter.setBrush(theme.color(entry.fill));
            painter.setPen(theme.color(Color::BorderStrong));
            painter.drawRect(square);
        } else {
            const PhaseStyle phase = theme.phase(entry.phase);
            fillPattern(painter, square, phase.color, phase.pattern);
        }
        painter.setPen(theme.color(Color::TextSecondary));
        const double room = cell - theme.px(18);
        painter.drawText(QRectF(x + theme.px(17), y, room, theme.px(kKind)), Qt::AlignVCenter,
                         metrics.elidedText(entry.text, Qt::ElideRight, room));
    }
}

} // namespace

void paintKey(QPainter &painter, const QRectF &area, const Theme &theme, const ColourScale &scale, const ColourKey &key)
{
    const double left = area.left() + theme.px(12);
    const double length = theme.px(46);
    double y = area.top() + theme.px(16);
    auto row = [&](Color color, double thickness, const QList<qreal> &dash, int head, const QString &text) {
        QPen pen(theme.color(color), thickness);
        if (!dash.isEmpty()) pen.setDashPattern(dash);
        painter.setPen(pen);
        const double end = left + length;
        painter.drawLine(QPointF(left, y), QPointF(end - 6, y));
        QPen solid(theme.color(color), thickness);
        painter.setPen(solid);
        painter.setBrush(head == 1 ? QBrush(theme.color(Color::Panel)) : QBrush(theme.color(color)));
        painter.drawPolygon(QPolygonF{QPointF(end - 7, y - 3), QPointF(end - 7, y + 3), QPointF(end - 1, y)});
        if (head == 2) {
            painter.setPen(QPen(theme.color(color), 1.75));
            painter.drawLine(QPointF(end - 10, y - 4), QPointF(end - 10, y + 4));
        }
        painter.setFont(theme.font(FontRole::Cell));
        painter.setPen(theme.color(Color::TextSecondary));
        painter.drawText(QRectF(end + theme.px(10), y - theme.px(10), area.right() - end - theme.px(10), theme.px(20)), Qt::AlignVCenter,
                         text);
        y += theme.px(20);
    };
    row(Color::DataEdge, 1.25, {}, 0, KeyPanel::tr("value"));
    row(Color::ViewEdge, 1.25, {4, 2}, 1, KeyPanel::tr("view of the input"));
    row(Color::DestroyEdge, 1.75, {}, 2, KeyPanel::tr("destroys the input"));
    row(Color::Transfer, 1.25, {1.5, 2.5}, 0, KeyPanel::tr("transfer"));
    if (!key.entries.empty()) paintKinds(painter, area, y - theme.px(6), theme, key);
    if (scale.title.isEmpty()) return;
    y += theme.px(2);
    painter.setFont(theme.font(FontRole::Cell));
    painter.setPen(theme.color(Color::TextSecondary));
    painter.drawText(QRectF(left, y - theme.px(10), area.right() - left, theme.px(18)), Qt::AlignVCenter, scale.title);
    y += theme.px(10);
    const double room = area.width() - 2 * theme.px(12);
    for (int i = 0; i < 9; ++i) painter.fillRect(QRectF(left + room * i / 9, y, std::ceil(room / 9), theme.px(8)), theme.hot(i / 8.0));
    y += theme.px(10);
    painter.setFont(theme.font(FontRole::Caption));
    const QRectF ends(left, y, room, theme.px(16));
    drawTabular(painter, ends, Qt::AlignLeft, scale.least);
    drawTabular(painter, ends, Qt::AlignRight, scale.most);
}

} // namespace views
