#include "views/profile/cost_table_view.h"

#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/profile/cost_delegate.h"
#include "views/profile/table_export.h"

#include <QHeaderView>
#include <QMenu>
#include <QMetaEnum>
#include <QSettings>
#include <QSortFilterProxyModel>

namespace views {
namespace {

constexpr const char *kKindIds[] = {"class", "op", "apply", "line", "module", "device"};

// Where the hidden columns of a kind of table are kept.
QString settingOf(CostTableKind kind) { return QStringLiteral("hiddenColumns/") + CostTableView::idOf(kind); }

} // namespace

CostTableView::CostTableView(CostTableKind kind, QWidget *parent)
    : DataTable(new CostTableModel(kind), kSortRole, tr("Operations"), parent),
      m_rows(static_cast<CostTableModel *>(sorted().sourceModel()))
{
    m_rows->setParent(this);
    setFilterColumn(m_rows->columnOf(CostTableModel::Column::Name));
    setHorizontalHeader(new CostHeader(this));
    setItemDelegate(new CostDelegate(this));
    // The default order is that of the rows: large tables are not sorted again.
    QHeaderView *header = horizontalHeader();
    header->setSortIndicatorShown(true);
    header->setSortIndicator(0, Qt::DescendingOrder);
    connect(header, &QHeaderView::sortIndicatorChanged, this, [this](int column, Qt::SortOrder order) {
        const bool byRows = column == 0 && order == Qt::DescendingOrder;
        sortBy(byRows ? -1 : column, order);
    });
    for (const QString &hidden : QSettings().value(settingOf(kind)).toStringList()) {
        bool isColumn = false;
        const int column = QMetaEnum::fromType<CostTableModel::Column>().keyToValue(hidden.toLatin1().constData(), &isColumn);
        if (isColumn) m_hidden.insert(static_cast<CostTableModel::Column>(column));
    }
    CostTableView::fit();
}

QString CostTableView::idOf(CostTableKind kind) { return QString::fromLatin1(kKindIds[static_cast<int>(kind)]); }
QString CostTableView::id() const { return idOf(m_rows->kind()); }

void CostTableView::setTable(std::shared_ptr<const CostTable> table)
{
    const int columns = m_rows->columnCount();
    withoutSignal([&] { m_rows->setTable(std::move(table)); });
    if (m_rows->columnCount() == columns) return;
    setFilterColumn(m_rows->columnOf(CostTableModel::Column::Name));
    fit();
}

void CostTableView::setRoom(int width)
{
    m_room = width;
    giveWay();
}

void CostTableView::addColumns(QMenu &menu)
{
    for (int column = 0; column + 1 < m_rows->columnCount(); ++column) {
        QAction *action = menu.addAction(m_rows->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        action->setCheckable(true);
        action->setChecked(!isColumnHidden(column));
        connect(action, &QAction::toggled, this, [this, column = m_rows->columnAt(column)](bool on) {
            if (on) m_hidden.remove(column);
            else m_hidden.insert(column);
            if (on) m_wanted.insert(column);
            giveWay();
            keepHidden();
        });
    }
}

QString CostTableView::saveAsCsv()
{
    for (int column = 0; column < m_rows->columnCount(); ++column) // a file has room for all
        setColumnHidden(column, m_hidden.contains(m_rows->columnAt(column)));
    const QString error = saveTableAsCsv(*this, QStringLiteral("%1.csv").arg(id()));
    giveWay();
    return error;
}

void CostTableView::keepHidden()
{
    QStringList hidden;
    for (CostTableModel::Column column : m_hidden) hidden << QVariant::fromValue(column).toString();
    QSettings().setValue(settingOf(m_rows->kind()), hidden);
}

void CostTableView::fit()
{
    DataTable::fit();
    const Theme &theme = Theme::current();
    for (int column = 0; column + 1 < m_rows->columnCount(); ++column) {
        switch (m_rows->columnAt(column)) {
        case CostTableModel::Column::Share: setColumnWidth(column, theme.px(140)); break;
        case CostTableModel::Column::PerCall: setColumnWidth(column, theme.px(152)); break;
        case CostTableModel::Column::WithCalls:
        case CostTableModel::Column::Blocking:
        case CostTableModel::Column::OnDevice:
        case CostTableModel::Column::Seconds: setColumnWidth(column, theme.px(84)); break;
        case CostTableModel::Column::Code:
        case CostTableModel::Column::Id: setColumnWidth(column, theme.px(52)); break;
        default: setColumnWidth(column, theme.px(68));
        }
    }
    giveWay();
}

// A line of source has more room than a name, as long as its numbers stay. Columns that were asked for do not give way.
void CostTableView::giveWay()
{
    using Column = CostTableModel::Column;
    const int forName = Theme::current().px(200), forLine = Theme::current().px(420);
    int room = m_room - forName;
    for (int column = 0; column + 1 < m_rows->columnCount(); ++column) {
        const bool isHidden = m_hidden.contains(m_rows->columnAt(column));
        setColumnHidden(column, isHidden);
        if (!isHidden) room -= columnWidth(column);
    }
    const auto hide = [&](std::initializer_list<Column> columns) {
        for (const Column each : columns) {
            const int column = m_rows->columnOf(each);
            if (room >= 0 || m_room < 0 || column < 0 || m_hidden.contains(each) || m_wanted.contains(each)) continue;
            if (isColumnHidden(column)) continue;
            room += columnWidth(column);
            setColumnHidden(column, true);
        }
    };
    if (m_rows->kind() == CostTableKind::Line) {
        room -= forLine - forName;
        hide({Column::Cumulative, Column::Applies, Column::Where, Column::Blocking, Column::OnDevice, Column::Seconds});
        room += forLine - forName;
    }
    hide({Column::Code, Column::Cumulative, Column::Applies, Column::Where, Column::Calls, Column::Blocking, Column::OnDevice,
          Column::PerCall, Column::Seconds});
}

} // namespace views
