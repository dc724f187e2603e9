#include "views/graph/graph_table.h"

#include "views/common/text_table.h"
#include "views/common/theme.h"
#include "views/graph/node_table_model.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QSortFilterProxyModel>

namespace views {

GraphTable::GraphTable(QWidget *parent) : QTableView(parent), m_model(new NodeTableModel(this)), m_sorted(new QSortFilterProxyModel(this))
{
    const Theme &theme = Theme::current();
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(NodeTableModel::SortRole);
    m_sorted->setFilterKeyColumn(-1);
    m_sorted->setFilterCaseSensitivity(Qt::CaseInsensitive);
    setModel(m_sorted);
    dressTable(*this, tr("Nodes of the graph"));
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setTextElideMode(Qt::ElideMiddle);
    setSortingEnabled(true);
    sortByColumn(NodeTableModel::NumberColumn, Qt::AscendingOrder);
    verticalHeader()->setDefaultSectionSize(theme.size(Size::Row));
    horizontalHeader()->setStretchLastSection(true);
    const int widths[] = {40, 150, 190, 76, 170, 76, 64, 92, 120};
    for (int column = 0; column < NodeTableModel::ColumnCount; ++column) setColumnWidth(column, theme.px(widths[column]));
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (m_setting) return;
        bool add = false;
        const QModelIndexList rows = selectionModel()->selectedRows();
        for (const QModelIndex &row : rows) {
            Q_EMIT nodeClicked(SceneKey{row.data(NodeTableModel::KeyRole).toULongLong()}, add);
            add = true;
        }
    });
}

void GraphTable::setScene(const Scene &scene)
{
    m_setting = true;
    m_model->setScene(scene);
    m_setting = false;
}

void GraphTable::setSelected(const QSet<SceneKey> &keys)
{
    m_setting = true;
    QItemSelection selection;
    QModelIndex first;
    for (SceneKey key : keys) {
        const int row = m_model->rowOf(key);
        const QModelIndex index = m_sorted->mapFromSource(m_model->index(row, 0));
        if (row < 0 || !index.isValid()) continue;
        selection.select(index, index);
        first = first.isValid() ? first : index;
    }
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (first.isValid()) scrollTo(first);
    m_setting = false;
}

QString GraphTable::asText() const
{
    QStringList lines, cells;
    for (int column = 0; column < NodeTableModel::ColumnCount; ++column)
        cells << m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    lines << cells.join(u'\t');
    const bool all = !selectionModel()->hasSelection();
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        if (!all && !selectionModel()->isRowSelected(row)) continue;
        cells.clear();
        for (int column = 0; column < NodeTableModel::ColumnCount; ++column) cells << m_sorted->index(row, column).data().toString();
        lines << cells.join(u'\t');
    }
    return lines.join(u'\n') + u'\n';
}

void GraphTable::copy() const { QApplication::clipboard()->setText(asText()); }

void GraphTable::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy)) {
        copy();
        return;
    }
    QTableView::keyPressEvent(event);
}

void GraphTable::contextMenuEvent(QContextMenuEvent *event)
{
    QMenu menu;
    menu.addAction(selectionModel()->hasSelection() ? tr("Copy rows as text") : tr("Copy table as text"), this, [this] { copy(); });
    menu.exec(event->globalPos());
}

} // namespace views
