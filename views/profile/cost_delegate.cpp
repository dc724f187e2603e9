#include "views/profile/cost_delegate.h"

#include "views/common/palette.h"
#include "views/common/theme.h"
#include "views/profile/cost_table_model.h"

#include <QPainter>

#include <cmath>

namespace views {
namespace {

constexpr int kPadding = 8;

Color colorRole(const QModelIndex &index, int role) { return static_cast<Color>(index.data(role).toInt()); }

void paintPill(QPainter &painter, const QRectF &cell, const QModelIndex &index, const QString &text)
{
    const Theme &theme = Theme::current();
    QFont font = theme.font(FontRole::Caption);
    font.setWeight(QFont::Medium);
    painter.setFont(font);
    const double width = QFontMetricsF(font).horizontalAdvance(text) + theme.px(12);
    const double height = theme.px(17);
    const QRectF pill(cell.left() + theme.px(kPadding), cell.center().y() - height / 2, width, height);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.color(colorRole(index, kFillRole)));
    painter.drawRoundedRect(pill, height / 2, height / 2);
    painter.setPen(theme.color(colorRole(index, kInkRole)));
    painter.drawText(pill, Qt::AlignCenter, text);
}

} // namespace

CostHeader::CostHeader(QWidget *parent) : QHeaderView(Qt::Horizontal, parent)
{
    setSectionsClickable(true);
    setHighlightSections(false);
    setStretchLastSection(true);
    setSectionsMovable(true);
}

void CostHeader::paintSection(QPainter *painter, const QRect &rect, int section) const
{
    const Theme &theme = Theme::current();
    painter->save();
    painter->fillRect(rect, theme.color(Color::Panel));
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.color(Color::Border));
    const bool sorted = isSortIndicatorShown() && sortIndicatorSection() == section;
    QString text = model()->headerData(section, orientation(), Qt::DisplayRole).toString();
    if (sorted) text += sortIndicatorOrder() == Qt::DescendingOrder ? QStringLiteral(" ↓") : QStringLiteral(" ↑");
    painter->setFont(theme.font(FontRole::Overline));
    painter->setPen(theme.color(sorted ? Color::TextPrimary : Color::TextSecondary));
    const int alignment = model()->headerData(section, orientation(), Qt::TextAlignmentRole).toInt();
    const QRect inner = rect.adjusted(theme.px(kPadding), 0, -theme.px(kPadding), 0);
    painter->drawText(inner, (alignment & Qt::AlignRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
                      QFontMetrics(painter->font()).elidedText(text, Qt::ElideRight, inner.width() + 2));
    painter->restore();
}

void CostDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const Theme &theme = Theme::current();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF cell(option.rect);
    const bool selected = option.state & QStyle::State_Selected;
    if (selected) painter->fillRect(cell, theme.color(Color::SelectionFill));
    else if (option.state & QStyle::State_MouseOver) painter->fillRect(cell, theme.color(Color::Hover));
    painter->fillRect(QRectF(cell.left(), cell.bottom() - 1, cell.width(), 1), theme.color(Color::Border));

    const QString text = index.data(Qt::DisplayRole).toString();
    const QString pill = index.data(kPillRole).toString();
    const QVariant bar = index.data(kBarRole);
    const double padding = theme.px(kPadding);
    if (!pill.isEmpty()) {
        paintPill(*painter, cell, index, pill);
    } else if (bar.isValid()) {
        painter->setFont(theme.font(FontRole::Cell));
        painter->setPen(theme.color(Color::TextPrimary));
        const bool secondary = colorRole(index, kBarColorRole) == Color::BorderStrong;
        const double number = theme.px(secondary ? 62 : 44);
        drawTabular(*painter, QRectF(cell.left(), cell.top(), number, cell.height()), Qt::AlignRight, text);
        const double left = cell.left() + number + theme.px(6);
        const double room = cell.right() - left - theme.px(8);
        const double thick = theme.px(secondary ? 8 : 10);
        const double value = bar.toDouble();
        QRectF shape(left, std::round(cell.center().y() - thick / 2), room, thick);
        if (secondary) painter->fillRect(shape, theme.color(Color::Sunken));
        if (value > 0) {
            shape.setWidth(std::max(1.0, std::round(room * std::min(1.0, value))));
            if (index.data(kHatchRole).toBool() || index.data(kDoubtRole).toBool())
                fillHatched(*painter, shape, theme.color(colorRole(index, kBarColorRole)));
            else painter->fillRect(shape, theme.color(colorRole(index, kBarColorRole)));
        }
    } else {
        const bool mono = index.data(kMonoRole).toBool();
        const auto alignment = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt());
        painter->setFont(theme.font(mono ? FontRole::Mono : FontRole::Cell));
        painter->setPen(theme.color(index.data(kQuietRole).toBool() ? Color::TextSecondary : Color::TextPrimary));
        const QRectF inner = cell.adjusted(padding, 0, -padding, 0);
        if (alignment & Qt::AlignRight) {
            drawTabular(*painter, inner, alignment, text);
        } else {
            const auto elide = index.data(kElideEndRole).toBool() ? Qt::ElideRight : Qt::ElideMiddle;
            const QString shown = QFontMetricsF(painter->font()).elidedText(text, elide, inner.width());
            painter->drawText(inner, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), shown);
        }
    }
    painter->restore();
}

QSize CostDelegate::sizeHint(const QStyleOptionViewItem &, const QModelIndex &index) const
{
    return {columnWidth(index), Theme::current().size(Size::Row)};
}

int CostDelegate::columnWidth(const QModelIndex &index)
{
    const Theme &theme = Theme::current();
    if (index.data(kBarRole).isValid()) return theme.px(colorRole(index, kBarColorRole) == Color::BorderStrong ? 148 : 136);
    if (index.data(kMonoRole).toBool()) return 0;
    return theme.px(76);
}

} // namespace views
