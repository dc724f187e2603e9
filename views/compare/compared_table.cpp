#include "views/compare/compared_table.h"

#include "views/common/theme.h"
#include "views/compare/blocking_rows.h"

namespace views {

ComparedTable::ComparedTable(QWidget *parent) : TextTableView(tr("Comparison"), parent), m_delegate(new CompareDelegate(this))
{
    setItemDelegate(m_delegate);
}

void ComparedTable::showRows(std::shared_ptr<const CompareRows> rows, CompareTable table)
{
    sortByColumn(-1, Qt::AscendingOrder);
    setSortingEnabled(table != CompareTable::Script); // its lines keep their order
    m_delegate->setRows(rows, table);
    setTable(rows->table(table));
    giveWay();
}

void ComparedTable::showBlocking(const BlockingRows &rows)
{
    sortByColumn(-1, Qt::AscendingOrder);
    setSortingEnabled(true);
    m_delegate->setDeltas(rows.deltas());
    setTable(rows.table());
    giveWay();
}

void ComparedTable::fit()
{
    TextTableView::fit();
    giveWay();
}

// The name comes last, and has room: in a narrow place what stands between it and the difference gives way, from the right.
void ComparedTable::giveWay()
{
    constexpr int kKept = 4; // A, B, the bar and the difference
    const int names = rows()->columnCount() - 1;
    int room = width() - Theme::current().px(150);
    for (int column = 0; column < names; ++column) {
        setColumnHidden(column, false);
        room -= columnWidth(column);
    }
    for (int column = names - 1; column >= kKept && room < 0; --column) {
        room += columnWidth(column);
        setColumnHidden(column, true);
    }
    if (const int bar = m_delegate->barColumn(); room < 0 && bar >= 0) setColumnHidden(bar, true); // its number says the same
}

} // namespace views
