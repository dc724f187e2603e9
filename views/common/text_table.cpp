#include "views/common/text_table.h"

#include "views/common/palette.h"

#include <QPainter>

namespace views {

void TextTableModel::setTable(TextTable table)
{
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

int TextTableModel::rowOf(std::int64_t key) const
{
    for (std::size_t row = 0; row < m_table.rows.size(); ++row)
        if (m_table.rows[row].key == key) return static_cast<int>(row);
    return -1;
}

int TextTableModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size()); }
int TextTableModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size()); }

QVariant TextTableModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid()) return {};
    const TextTable::Row &row = m_table.rows[static_cast<std::size_t>(index.row())];
    const TextTable::Column &column = m_table.columns[static_cast<std::size_t>(index.column())];
    const TextTable::Cell &cell = row.cells[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole: return cell.text;
    case kValueRole: return column.number ? QVariant(cell.value) : QVariant(cell.text);
    case kKeyRole: return QVariant::fromValue(row.key);
    case Qt::TextAlignmentRole: return static_cast<int>((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::FontRole: return Theme::current().font(column.mono ? FontRole::Mono : FontRole::Cell);
    default: return {};
    }
}

QVariant TextTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const TextTable::Column &column = m_table.columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::ToolTipRole) return column.tip;
    if (role == Qt::TextAlignmentRole) return static_cast<int>((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

void TextTableDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const Theme &theme = Theme::current();
    painter->save();
    const QRectF cell(option.rect);
    if (option.state & QStyle::State_Selected) painter->fillRect(cell, theme.color(Color::SelectionFill));
    else if (option.state & QStyle::State_MouseOver) painter->fillRect(cell, theme.color(Color::Hover));
    painter->fillRect(QRectF(cell.left(), cell.bottom() - 1, cell.width(), 1), theme.color(Color::Border));
    painter->setFont(index.data(Qt::FontRole).value<QFont>());
    painter->setPen(inkOf(index));
    const auto alignment = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt());
    const QString text = index.data(Qt::DisplayRole).toString();
    const QRectF inner = cell.adjusted(theme.px(8), 0, -theme.px(8), 0);
    if (alignment & Qt::AlignRight) {
        drawTabular(*painter, inner, alignment, text);
    } else {
        const QString shown = QFontMetricsF(painter->font()).elidedText(text, Qt::ElideMiddle, inner.width());
        painter->drawText(inner, static_cast<int>(alignment), shown);
    }
    painter->restore();
}

QColor TextTableDelegate::inkOf(const QModelIndex &) const { return Theme::current().color(Color::TextPrimary); }

QString tableAsText(const QAbstractItemModel &model, const QList<int> &rows)
{
    QStringList lines;
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column)
        cells << model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    lines << cells.join(QLatin1Char('\t'));
    auto add = [&](int row) {
        cells.clear();
        for (int column = 0; column < model.columnCount(); ++column) cells << model.index(row, column).data(Qt::DisplayRole).toString();
        lines << cells.join(QLatin1Char('\t'));
    };
    if (rows.isEmpty()) {
        for (int row = 0; row < model.rowCount(); ++row) add(row);
    } else {
        for (int row : rows) add(row);
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace views
