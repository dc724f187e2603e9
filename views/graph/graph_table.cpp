#include "views/graph/graph_table.h"

#include "views/common/context_menu.h"
#include "views/common/theme.h"
#include "views/graph/node_table_model.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QMenu>
#include <QSortFilterProxyModel>

namespace views {

GraphTable::GraphTable(QWidget *parent)
    : DataTable(new NodeTableModel, NodeTableModel::SortRole, tr("Nodes of the graph"), parent),
      m_model(static_cast<NodeTableModel *>(sorted().sourceModel()))
{
    m_model->setParent(this);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setTextElideMode(Qt::ElideMiddle);
    setSortingEnabled(true);
    sortByColumn(NodeTableModel::NumberColumn, Qt::AscendingOrder);
    horizontalHeader()->setStretchLastSection(true);
    GraphTable::fit();
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (isSilent()) return;
        bool add = false;
        for (const QModelIndex &row : selectionModel()->selectedRows()) {
            Q_EMIT nodeClicked(SceneKey{row.data(NodeTableModel::KeyRole).toULongLong()}, add);
            add = true;
        }
    });
}

void GraphTable::fit()
{
    const Theme &theme = Theme::current();
    verticalHeader()->setDefaultSectionSize(theme.size(Size::Row));
    const int widths[] = {40, 150, 190, 76, 170, 76, 64, 92, 120};
    for (int column = 0; column < NodeTableModel::ColumnCount; ++column) setColumnWidth(column, theme.px(widths[column]));
}

void GraphTable::setScene(const Scene &scene)
{
    withoutSignal([&] { m_model->setScene(scene); });
}

void GraphTable::setSelected(const QSet<SceneKey> &keys)
{
    QItemSelection selection;
    QModelIndex first;
    for (SceneKey key : keys) {
        const int row = m_model->rowOf(key);
        const QModelIndex index = sorted().mapFromSource(m_model->index(row, 0));
        if (row < 0 || !index.isValid()) continue;
        selection.select(index, index);
        first = first.isValid() ? first : index;
    }
    withoutSignal([&] { selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows); });
    if (first.isValid()) scrollTo(first);
}

void GraphTable::contextMenuEvent(QContextMenuEvent *event)
{
    QMenu menu;
    menu.addAction(selectionModel()->hasSelection() ? tr("Copy rows as text") : tr("Copy table as text"), this,
                   [this] { copyText(asText()); });
    menu.exec(event->globalPos());
}

} // namespace views
