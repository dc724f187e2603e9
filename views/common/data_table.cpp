#include "views/common/data_table.h"

#include "views/common/context_menu.h"
#include "views/common/theme.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QSortFilterProxyModel>

#include <algorithm>

namespace views {

DataTable::DataTable(QAbstractItemModel *rows, int sortRole, const QString &name, QWidget *parent)
    : QTableView(parent), m_sorted(new QSortFilterProxyModel(this))
{
    m_sorted->setSourceModel(rows);
    m_sorted->setSortRole(sortRole);
    m_sorted->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_sorted->setFilterKeyColumn(-1);
    setModel(m_sorted);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setShowGrid(false);
    setMouseTracking(true);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setFrameShape(QFrame::NoFrame);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    setAccessibleName(name);
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (const int row = chosenRow(); !m_isSilent && row >= 0) Q_EMIT rowChosen(row);
    });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { fit(); });
}

void DataTable::setFilter(const QString &text) { m_sorted->setFilterFixedString(text); }
void DataTable::setFilterColumn(int column) { m_sorted->setFilterKeyColumn(column); }

int DataTable::modelRow(const QModelIndex &shown) const { return m_sorted->mapToSource(shown).row(); }

int DataTable::chosenRow() const
{
    const QModelIndexList chosen = selectionModel()->selectedRows();
    return chosen.isEmpty() ? -1 : modelRow(chosen.first());
}

void DataTable::markRow(int row)
{
    withoutSignal([this, row] {
        const QModelIndex index = row < 0 ? QModelIndex() : m_sorted->mapFromSource(m_sorted->sourceModel()->index(row, 0));
        if (!index.isValid()) return clearSelection();
        if (selectionModel()->isRowSelected(index.row())) return;
        selectRow(index.row());
        scrollTo(index);
    });
}

QString DataTable::asText() const
{
    QList<int> chosen;
    for (const QModelIndex &index : selectionModel()->selectedRows()) chosen << index.row();
    std::sort(chosen.begin(), chosen.end());
    return tableAsText(*m_sorted, chosen);
}

QString DataTable::wholeAsText() const { return tableAsText(*m_sorted); }

void DataTable::sortBy(int column, Qt::SortOrder order) { m_sorted->sort(column, order); }

void DataTable::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy)) copyText(asText());
    else QTableView::keyPressEvent(event);
}

void DataTable::fit()
{
    const Theme &theme = Theme::current();
    verticalHeader()->setDefaultSectionSize(theme.size(Size::Row));
    horizontalHeader()->setFixedHeight(theme.size(Size::Row) + 2);
}

TextTableView::TextTableView(const QString &name, QWidget *parent)
    : DataTable(new TextTableModel, TextTableModel::kValueRole, name, parent), m_rows(static_cast<TextTableModel *>(sorted().sourceModel()))
{
    m_rows->setParent(this);
    setItemDelegate(new TextTableDelegate(this));
    setSortingEnabled(true);
    sortByColumn(-1, Qt::DescendingOrder);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setStretchLastSection(true);
    TextTableView::fit();
    connect(this, &DataTable::rowChosen, this,
            [this](int row) { Q_EMIT keyChosen(m_rows->table().rows[static_cast<std::size_t>(row)].key); });
}

void TextTableView::setTable(TextTable table)
{
    const auto isAsWide = [](const TextTable::Column &a, const TextTable::Column &b) { return a.width == b.width && a.title == b.title; };
    const std::vector<TextTable::Column> &now = m_rows->table().columns, &next = table.columns;
    const bool isSame = std::equal(now.begin(), now.end(), next.begin(), next.end(), isAsWide);
    withoutSignal([&] { m_rows->setTable(std::move(table)); });
    if (!isSame) fit(); // otherwise a person may have made columns wider
}

void TextTableView::markKey(std::int64_t key) { markRow(key < 0 ? -1 : m_rows->rowOf(key)); }

void TextTableView::fit()
{
    DataTable::fit();
    const std::vector<TextTable::Column> &columns = m_rows->table().columns;
    for (std::size_t column = 0; column + 1 < columns.size(); ++column)
        setColumnWidth(static_cast<int>(column), Theme::current().px(columns[column].width));
}

} // namespace views
