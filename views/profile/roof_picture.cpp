#include "views/profile/roof_picture.h"

#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/node_title.h"
#include "views/common/palette.h"
#include "views/common/text.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace views {

using profiler::HeadroomPart;
using profiler::HeadroomShare;

namespace {

constexpr std::size_t kShown = 6;
constexpr int kRow = 20, kBar = 10, kHead = 20; // px at 100 %

Color inkOf(const HeadroomShare &share)
{
    if (share.part == HeadroomPart::Unknown || share.part == HeadroomPart::Around) return Color::Same;
    if (share.apply && share.apply->isTransfer) return Color::Transfer;
    return share.apply && share.apply->what.device != "cpu" ? Color::Gpu : Color::Cpu;
}

QString boundText(profiler::Bound bound)
{
    switch (bound) {
    case profiler::Bound::Arithmetic: return RoofPicture::tr("bound by arithmetic");
    case profiler::Bound::Bytes: return RoofPicture::tr("bound by the bytes that it moves");
    case profiler::Bound::Beginning: return RoofPicture::tr("bound by what beginning an apply takes");
    case profiler::Bound::Unknown: break;
    }
    return RoofPicture::tr("no bound is known");
}

} // namespace

RoofPicture::RoofPicture(const profiler::Headroom &room, QWidget *parent)
    : QWidget(parent), m_room(room), m_shares(profiler::headroomShares(room, kShown))
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setAccessibleName(tr("A call now and at the roofs"));
    setAccessibleDescription(asText());
    for (const HeadroomShare &share : m_shares) m_largest = std::max(m_largest, share.nowNs);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &QWidget::updateGeometry);
}

void RoofPicture::setThen(std::optional<double> predictedNs, std::optional<double> verifiedNs)
{
    m_predicted = predictedNs;
    m_verified = verifiedNs;
    updateGeometry();
    update();
}

QSize RoofPicture::sizeHint() const
{
    const Theme &theme = Theme::current();
    return {theme.px(280), (totals() + static_cast<int>(m_shares.size())) * theme.px(kRow) + theme.px(kHead)};
}

QSize RoofPicture::minimumSizeHint() const { return {Theme::current().px(160), sizeHint().height()}; }

double RoofPicture::nameWidth() const { return std::min<double>(Theme::current().px(104), width() * 0.36); }
double RoofPicture::textWidth() const { return std::min<double>(Theme::current().px(62), width() * 0.24); }
double RoofPicture::scale() const { return std::max({m_room.nowNs, m_predicted.value_or(0), m_verified.value_or(0), 1.0}); }

QRectF RoofPicture::barPlace(double top) const
{
    const Theme &theme = Theme::current();
    const double left = nameWidth() + theme.px(8);
    return {left, top + (theme.px(kRow) - theme.px(kBar)) / 2.0, std::max(8.0, width() - left - textWidth() - theme.px(6)),
            double(theme.px(kBar))};
}

QRectF RoofPicture::rowRect(int share) const
{
    const Theme &theme = Theme::current();
    return {0, double(totals() * theme.px(kRow) + theme.px(kHead) + share * theme.px(kRow)), double(width()), double(theme.px(kRow))};
}

int RoofPicture::rowAt(const QPointF &place) const
{
    for (int i = 0; i < static_cast<int>(m_shares.size()); ++i)
        if (rowRect(i).contains(place)) return i;
    return -1;
}

QString RoofPicture::nameOf(const HeadroomShare &share) const
{
    switch (share.part) {
    case HeadroomPart::Apply: return friendlyName(text(share.apply->what.name));
    case HeadroomPart::Others: return formats::counted(share.applies, formats::Thing::Other);
    case HeadroomPart::Unknown: return tr("without a bound");
    case HeadroomPart::Around: return tr("around applies");
    }
    return {};
}

QString RoofPicture::tip(const HeadroomShare &share) const
{
    const QString times = tr("%1 a call now, at least %2").arg(formats::timeNs(share.nowNs), formats::timeNs(share.leastNs));
    switch (share.part) {
    case HeadroomPart::Apply:
        return text(share.apply->what.label).left(160) + u'\n' + times + QStringLiteral(": ") + boundText(share.apply->bound);
    case HeadroomPart::Others: return tr("%1 more").arg(formats::counted(share.applies, formats::Thing::Apply)) + u'\n' + times;
    case HeadroomPart::Unknown:
        return tr("%1 with no known bound: that time counts as it is").arg(formats::counted(share.applies, formats::Thing::Apply));
    case HeadroomPart::Around: return tr("The call itself, the order of its applies, Python: it stays as it is");
    }
    return {};
}

QString RoofPicture::asText() const
{
    QStringList lines{tr("part\tnow\tat the roof\tcould be saved")};
    const auto add = [&](const QString &name, double now, double least) {
        lines << QStringList{name, formats::timeNs(now), formats::timeNs(least), formats::timeNs(now - least)}.join(u'\t');
    };
    add(tr("call"), m_room.nowNs, m_room.leastNs);
    for (const HeadroomShare &share : m_shares) add(nameOf(share), share.nowNs, share.leastNs);
    return lines.join(u'\n');
}

void RoofPicture::paintTotal(QPainter &painter, double top, const QString &name, double ns, bool filled) const
{
    const Theme &theme = Theme::current();
    const QRectF place = barPlace(top);
    painter.setFont(theme.font(FontRole::CellStrong));
    painter.setPen(theme.color(Color::TextPrimary));
    painter.drawText(QRectF(0, top, nameWidth(), theme.px(kRow)), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(name, Qt::ElideRight, nameWidth()));
    const QRectF bar(place.left(), place.top(), std::max(1.0, ns / scale() * place.width()), place.height());
    const QColor ink = theme.color(filled ? Color::Cpu : Color::Accent);
    if (filled) painter.fillRect(bar, ink);
    else {
        painter.fillRect(bar, theme.color(Color::AccentSoft));
        painter.setPen(QPen(ink, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    painter.setPen(theme.color(Color::TextPrimary));
    drawTabular(painter, QRectF(width() - textWidth(), top, textWidth(), theme.px(kRow)), Qt::AlignRight | Qt::AlignVCenter,
                formats::timeNs(ns));
}

void RoofPicture::paintShare(QPainter &painter, const HeadroomShare &share, double top, bool current) const
{
    const Theme &theme = Theme::current();
    if (current && hasFocus()) painter.fillRect(QRectF(0, top, width(), theme.px(kRow)), theme.color(Color::SelectionFill));
    const QRectF place = barPlace(top);
    painter.setFont(theme.font(FontRole::Cell));
    painter.setPen(theme.color(share.part == HeadroomPart::Apply ? Color::TextPrimary : Color::TextMuted));
    painter.drawText(QRectF(0, top, nameWidth(), theme.px(kRow)), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(nameOf(share), Qt::ElideMiddle, nameWidth()));
    const double whole = std::max(m_largest, 1.0);
    const QRectF least(place.left(), place.top(), std::max(1.0, share.leastNs / whole * place.width()), place.height());
    const QRectF gain(least.right(), place.top(), share.gainNs() / whole * place.width(), place.height());
    const QColor ink = theme.color(inkOf(share));
    painter.fillRect(least, ink);
    if (gain.width() > 1) {
        fillHatched(painter, gain, ink);
        painter.setPen(QPen(ink, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(gain.adjusted(0, 0.5, -0.5, -0.5));
    }
    painter.setPen(theme.color(share.gainNs() > 0 ? Color::TextPrimary : Color::TextMuted));
    drawTabular(painter, QRectF(width() - textWidth(), top, textWidth(), theme.px(kRow)), Qt::AlignRight | Qt::AlignVCenter,
                share.gainNs() > 0 ? formats::timeNs(-share.gainNs()) : QStringLiteral("–"));
}

void RoofPicture::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    double top = 0;
    paintTotal(painter, top, tr("now"), m_room.nowNs, true);
    paintTotal(painter, top += theme.px(kRow), tr("at the roofs"), m_room.leastNs, true);
    if (totals() == 3) {
        top += theme.px(kRow);
        if (m_predicted) paintTotal(painter, top, tr("as chosen"), *m_predicted, false);
        else {
            painter.setFont(theme.font(FontRole::CellStrong));
            painter.setPen(theme.color(Color::TextPrimary));
            painter.drawText(QRectF(0, top, nameWidth(), theme.px(kRow)), Qt::AlignLeft | Qt::AlignVCenter, tr("as chosen"));
            drawTabular(painter, QRectF(width() - textWidth(), top, textWidth(), theme.px(kRow)), Qt::AlignRight | Qt::AlignVCenter,
                        formats::timeNs(*m_verified));
        }
        if (m_verified) { // a tick where a run stood
            const QRectF place = barPlace(top);
            const double x = std::round(place.left() + *m_verified / scale() * place.width());
            painter.fillRect(QRectF(x - 2, place.top() - 3, 4, place.height() + 6), theme.color(Color::Panel));
            painter.fillRect(QRectF(x - 1, place.top() - 3, 2, place.height() + 6), theme.color(Color::TextPrimary));
        }
    }
    top += theme.px(kRow);
    painter.setFont(theme.font(FontRole::Overline));
    painter.setPen(theme.color(Color::TextSecondary));
    const QRectF head(0, top, width(), theme.px(kHead));
    painter.drawText(head, Qt::AlignLeft | Qt::AlignBottom,
                     QFontMetricsF(painter.font()).elidedText(tr("Where the difference lies"), Qt::ElideRight, head.width()));
    for (int i = 0; i < static_cast<int>(m_shares.size()); ++i)
        paintShare(painter, m_shares[static_cast<std::size_t>(i)], rowRect(i).top(), i == m_current);
}

void RoofPicture::mousePressEvent(QMouseEvent *event)
{
    m_current = rowAt(event->position());
    update();
    if (event->button() != Qt::LeftButton || m_current < 0) return;
    const HeadroomShare &share = m_shares[static_cast<std::size_t>(m_current)];
    if (share.apply) Q_EMIT applyClicked(raw(share.apply->what.apply.apply));
}

void RoofPicture::keyPressEvent(QKeyEvent *event)
{
    const int last = static_cast<int>(m_shares.size()) - 1;
    if (event->key() == Qt::Key_Down && m_current < last) ++m_current;
    else if (event->key() == Qt::Key_Up && m_current > 0) --m_current;
    else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_current >= 0) {
        if (const HeadroomShare &share = m_shares[static_cast<std::size_t>(m_current)]; share.apply)
            Q_EMIT applyClicked(raw(share.apply->what.apply.apply));
    } else return QWidget::keyPressEvent(event);
    update();
}

bool RoofPicture::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto *help = static_cast<QHelpEvent *>(event);
    const int row = rowAt(help->pos());
    if (row >= 0) QToolTip::showText(help->globalPos(), tip(m_shares[static_cast<std::size_t>(row)]), this);
    else QToolTip::hideText();
    return true;
}

} // namespace views
