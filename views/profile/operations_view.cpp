#include "views/profile/operations_view.h"

#include "views/common/choice_tabs.h"
#include "views/common/context_menu.h"
#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/icons.h"
#include "views/common/panels.h"
#include "views/common/text_table.h"
#include "views/profile/cost_delegate.h"
#include "views/profile/operation_rows.h"
#include "views/profile/table_export.h"
#include "views/session/function_name.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QMetaEnum>
#include <QSettings>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace views {
namespace {

constexpr CostTableKind kKinds[] = {CostTableKind::Class, CostTableKind::Op,   CostTableKind::Apply,
                                    CostTableKind::Line,  CostTableKind::File, CostTableKind::Device};
constexpr const char *kKindIds[] = {"class", "op", "apply", "line", "module", "device"};

// Where the hidden columns of a kind of table are kept.
QString settingOf(CostTableKind kind) { return QStringLiteral("hiddenColumns/") + QLatin1String(kKindIds[static_cast<int>(kind)]); }

} // namespace

OperationsView::OperationsView(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub)
{
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    auto *barBox = new QWidget;
    barBox->setMinimumWidth(1); // the choices follow the width, not the other way round
    auto *bar = new QHBoxLayout(barBox);
    bar->setContentsMargins(theme.px(12), theme.px(6), theme.px(12), theme.px(6));
    bar->setSpacing(theme.px(10));
    m_kinds = new ChoiceTabs(tr("Kind of table"));
    m_kinds->addChoice(QStringLiteral("class"), tr("Class"));
    m_kinds->addChoice(QStringLiteral("op"), tr("Ops"));
    m_kinds->addChoice(QStringLiteral("apply"), tr("Apply"));
    m_kinds->addChoice(QStringLiteral("line"), tr("Line"));
    m_kinds->addChoice(QStringLiteral("module"), tr("Module"));
    m_kinds->addChoice(QStringLiteral("device"), tr("Device"));
    m_count = new ElidedLabel(QString(), FontRole::Cell, "secondary");
    m_filter = new QLineEdit;
    m_filter->setPlaceholderText(tr("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(theme.px(80));
    m_filter->setMaximumWidth(theme.px(200));
    m_filter->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_filter->setAccessibleName(tr("Filter the table by name"));
    m_copy = iconButton(QStringLiteral("copy"), tr("Copy the table as text"));
    bar->addWidget(m_kinds);
    bar->addWidget(m_count, 1);
    bar->addWidget(m_filter);
    bar->addWidget(m_copy);
    auto *more = iconButton(QStringLiteral("more"), tr("Columns, and the table as a file"));
    more->setObjectName(QStringLiteral("columns"));
    more->setPopupMode(QToolButton::InstantPopup);
    more->setMenu(new QMenu(more));
    connect(more->menu(), &QMenu::aboutToShow, this, [this, more] { fillMenu(*more->menu()); });
    bar->addWidget(more);
    outer->addWidget(barBox);
    outer->addWidget(new Hairline);
    m_stack = new QStackedWidget;
    for (CostTableKind kind : kKinds) {
        makePage(kind);
        m_stack->addWidget(page(kind).table);
    }
    m_empty = new EmptyState;
    m_stack->addWidget(m_empty);
    outer->addWidget(m_stack, 1);

    connect(m_kinds, &ChoiceTabs::currentChanged, this, [this] {
        m_opensOnLines = false;
        m_stack->setCurrentWidget(page(kind()).table);
        followSelection();
        refreshCount();
    });
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        for (Page &each : m_pages) each.proxy->setFilterFixedString(text);
        refreshCount();
    });
    connect(m_copy, &QToolButton::clicked, this, &OperationsView::copyAsText);
    connect(m_empty, &EmptyState::actionTriggered, this, [this] { m_hub.request(Command::Run); });
    connect(&m_hub, &SelectionHub::selectionChanged, this, &OperationsView::followSelection);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &OperationsView::fitKinds);
    setKind(CostTableKind::Op);
    refreshCount();
}

void OperationsView::makePage(CostTableKind kind)
{
    Page &made = page(kind);
    made.model = new CostTableModel(kind, this);
    made.proxy = new QSortFilterProxyModel(this);
    made.proxy->setSourceModel(made.model);
    made.proxy->setSortRole(kSortRole);
    made.proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    made.proxy->setFilterKeyColumn(made.model->columnOf(CostTableModel::Column::Name));
    auto *table = new QTableView;
    made.table = table;
    table->setHorizontalHeader(new CostHeader(table));
    table->setModel(made.proxy);
    table->setItemDelegate(new CostDelegate(table));
    // The default order is that of the rows: large tables are not sorted again.
    QHeaderView *header = table->horizontalHeader();
    header->setSortIndicatorShown(true);
    header->setSortIndicator(0, Qt::DescendingOrder);
    connect(header, &QHeaderView::sortIndicatorChanged, this, [this, kind](int column, Qt::SortOrder order) {
        const bool byRows = column == 0 && order == Qt::DescendingOrder;
        page(kind).proxy->sort(byRows ? -1 : column, order);
    });
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QHeaderView::customContextMenuRequested, this, [this, header](const QPoint &at) {
        QMenu menu;
        fillMenu(menu);
        menu.exec(header->mapToGlobal(at));
    });
    dressTable(*table, tr("Operations"));
    connect(table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this, kind] { rowChosen(kind); });
    connect(table, &QTableView::activated, this, [this] { showNode(); });
    connect(table, &QTableView::doubleClicked, this, [this] { showNode(); });
    table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(table, &QTableView::customContextMenuRequested, this, [this, kind](const QPoint &at) { openMenu(kind, at); });
    auto *copy = new QShortcut(QKeySequence::Copy, table);
    copy->setContext(Qt::WidgetShortcut);
    connect(copy, &QShortcut::activated, this, &OperationsView::copyAsText);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this, kind] { fitColumns(page(kind)); });
    fitColumns(made);
    for (const QString &hidden : QSettings().value(settingOf(kind)).toStringList()) {
        bool isColumn = false;
        const int column = QMetaEnum::fromType<CostTableModel::Column>().keyToValue(hidden.toLatin1().constData(), &isColumn);
        if (isColumn) made.hidden.insert(static_cast<CostTableModel::Column>(column));
    }
    giveWay(made);
}

// Which columns are shown (the name always is), and the table for elsewhere.
void OperationsView::fillMenu(QMenu &menu)
{
    menu.clear();
    Page &shown = page(kind());
    for (int column = 0; column + 1 < shown.model->columnCount(); ++column) {
        const QString title = shown.model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        QAction *action = menu.addAction(title);
        action->setCheckable(true);
        action->setChecked(!shown.table->isColumnHidden(column));
        connect(action, &QAction::toggled, this, [this, &shown, column = shown.model->columnAt(column)](bool on) {
            if (on) shown.hidden.remove(column);
            else shown.hidden.insert(column);
            if (on) shown.wanted.insert(column);
            giveWay(shown);
            keepHidden();
        });
    }
    menu.addSeparator();
    menu.addAction(tr("Copy the table as text"), this, &OperationsView::copyAsText);
    menu.addAction(tr("Save the table as CSV…"), this, [this, &shown] {
        for (int column = 0; column < shown.model->columnCount(); ++column) // a file has room for all
            shown.table->setColumnHidden(column, shown.hidden.contains(shown.model->columnAt(column)));
        const QString error = saveTableAsCsv(*shown.table, QStringLiteral("%1.csv").arg(m_kinds->current()));
        giveWay(shown);
        if (!error.isEmpty()) Q_EMIT m_hub.noticed(error, false);
    });
}

void OperationsView::keepHidden()
{
    QStringList hidden;
    for (CostTableModel::Column column : page(kind()).hidden) hidden << QVariant::fromValue(column).toString();
    QSettings().setValue(settingOf(kind()), hidden);
}

void OperationsView::fitColumns(Page &page)
{
    const Theme &theme = Theme::current();
    page.table->verticalHeader()->setDefaultSectionSize(theme.size(Size::Row));
    page.table->horizontalHeader()->setFixedHeight(theme.size(Size::Row) + 2);
    for (int column = 0; column + 1 < page.model->columnCount(); ++column) {
        switch (page.model->columnAt(column)) {
        case CostTableModel::Column::Share: page.table->setColumnWidth(column, theme.px(140)); break;
        case CostTableModel::Column::PerCall: page.table->setColumnWidth(column, theme.px(152)); break;
        case CostTableModel::Column::WithCalls:
        case CostTableModel::Column::Blocking:
        case CostTableModel::Column::OnDevice:
        case CostTableModel::Column::Seconds: page.table->setColumnWidth(column, theme.px(84)); break;
        case CostTableModel::Column::Code:
        case CostTableModel::Column::Id: page.table->setColumnWidth(column, theme.px(52)); break;
        default: page.table->setColumnWidth(column, theme.px(68));
        }
    }
    giveWay(page);
}

// The name comes last, and has room: in a narrow place other columns give way to it, unless they were asked for. A line of source has more
// room, as long as its numbers stay.
void OperationsView::giveWay(Page &page)
{
    using Column = CostTableModel::Column;
    const int forName = Theme::current().px(200), forLine = Theme::current().px(420);
    int room = width() - forName;
    for (int column = 0; column + 1 < page.model->columnCount(); ++column) {
        const bool isHidden = page.hidden.contains(page.model->columnAt(column));
        page.table->setColumnHidden(column, isHidden);
        if (!isHidden) room -= page.table->columnWidth(column);
    }
    const auto hide = [&](std::initializer_list<Column> columns) {
        for (const Column each : columns) {
            const int column = page.model->columnOf(each);
            if (room >= 0 || !m_hasPlace || column < 0 || page.hidden.contains(each) || page.wanted.contains(each)) continue;
            if (page.table->isColumnHidden(column)) continue;
            room += page.table->columnWidth(column);
            page.table->setColumnHidden(column, true);
        }
    };
    if (page.model->kind() == CostTableKind::Line) {
        room -= forLine - forName;
        hide({Column::Cumulative, Column::Applies, Column::Where, Column::Blocking, Column::OnDevice, Column::Seconds});
        room += forLine - forName;
    }
    hide({Column::Code, Column::Cumulative, Column::Applies, Column::Where, Column::Calls, Column::Blocking, Column::OnDevice,
          Column::PerCall, Column::Seconds});
}

void OperationsView::feed(const ViewFeed &feed)
{
    if (!feed.hasNewFunction() && !feed.hasNew(FeedPart::Run)) return;
    const profiler::FunctionInfo *function = feed.function;
    if (feed.session) {
        const OperationRows &all = feed.session->derived<OperationRows>();
        const auto rows = all.functions.find(function ? function->id : profiler::kNoFunction);
        const OperationRows::Tables *tables = rows == all.functions.end() ? nullptr : rows->second.get();
        if (feed.graph && feed.selection.graph >= 0)
            if (const auto nested = all.nested.find(feed.graph->info.id); nested != all.nested.end()) tables = &nested->second;
        for (CostTableKind kind : kKinds)
            setTable(kind,
                     tables ? std::shared_ptr<const CostTable>(feed.session, &tables->of(kind)) : std::make_shared<const CostTable>());
    }
    if (m_opensOnLines) {
        const CostTableModel &lines = *model(CostTableKind::Line);
        bool hasLine = lines.rowCount() == 0; // nothing ran yet
        for (int row = 0; row < lines.rowCount() && !hasLine; ++row) hasLine = lines.row(row).isOfLine;
        setKind(hasLine ? CostTableKind::Line : CostTableKind::Op);
        m_opensOnLines = true; // it was not chosen by a person
    }
    const bool called = function && function->run.calls > 0;
    setEmpty(called     ? QString()
             : function ? tr("%1 was not called, so there are no times.").arg(functionName(*function))
                        : tr("No function was called yet."),
             feed.canRun ? tr("Run") : QString());
}

// In a narrow place the kinds of table come first; what a menu has, too, gives way.
void OperationsView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const bool roomy = width() >= Theme::current().px(480);
    m_filter->setVisible(roomy);
    m_copy->setVisible(roomy);
    fitKinds();
    m_hasPlace = true;
    for (Page &each : m_pages) giveWay(each);
}

void OperationsView::fitKinds()
{
    constexpr int kOthers = 110, kOthersIfRoomy = 270; // at 100 %: the menu, and filter and copying, with something of the count
    const Theme &theme = Theme::current();
    m_kinds->fitInto(width() - theme.px(m_filter->isHidden() ? kOthers : kOthersIfRoomy));
}

void OperationsView::setRows(CostTableKind kind, std::vector<CostRow> rows)
{
    setTable(kind, std::make_shared<const CostTable>(std::move(rows)));
}

void OperationsView::setTable(CostTableKind kind, std::shared_ptr<const CostTable> table)
{
    m_following = true;
    Page &fed = page(kind);
    const int columns = fed.model->columnCount();
    fed.model->setTable(std::move(table));
    if (fed.model->columnCount() != columns) {
        fed.proxy->setFilterKeyColumn(fed.model->columnOf(CostTableModel::Column::Name));
        fitColumns(fed);
    }
    m_following = false;
    followSelection();
    refreshCount();
}

void OperationsView::setEmpty(const QString &sentence, const QString &action)
{
    if (sentence.isEmpty()) {
        m_stack->setCurrentWidget(page(kind()).table);
    } else {
        m_empty->show(QStringLiteral("operations"), sentence, action);
        m_stack->setCurrentWidget(m_empty);
    }
}

void OperationsView::setKind(CostTableKind kind) { m_kinds->setCurrent(QString::fromLatin1(kKindIds[static_cast<int>(kind)])); }

void OperationsView::openOnLines()
{
    setKind(CostTableKind::Line);
    m_opensOnLines = true;
}

CostTableKind OperationsView::kind() const
{
    for (CostTableKind kind : kKinds)
        if (m_kinds->current() == QLatin1String(kKindIds[static_cast<int>(kind)])) return kind;
    return CostTableKind::Op;
}

QTableView *OperationsView::table(CostTableKind kind) const { return m_pages[static_cast<std::size_t>(kind)].table; }

CostTableModel *OperationsView::model(CostTableKind kind) const { return m_pages[static_cast<std::size_t>(kind)].model; }

void OperationsView::setFilter(const QString &text) { m_filter->setText(text); }

void OperationsView::followSelection()
{
    if (m_following) return;
    m_following = true;
    const NodeRef node = m_hub.selection().node;
    const bool known = node.isValid() && node.side == Side::Optimized && node.kind == NodeKind::Apply;
    for (Page &each : m_pages) {
        const int row = known ? each.model->rowOfApply(node.id) : -1;
        const QModelIndex index = row < 0 ? QModelIndex() : each.proxy->mapFromSource(each.model->index(row, 0));
        if (index.isValid()) {
            if (!each.table->selectionModel()->isRowSelected(index.row())) {
                each.table->selectRow(index.row());
                each.table->scrollTo(index);
            }
        } else {
            each.table->clearSelection();
        }
    }
    m_following = false;
}

void OperationsView::rowChosen(CostTableKind kind)
{
    if (m_following) return;
    const Page &chosen = page(kind);
    const QModelIndexList rows = chosen.table->selectionModel()->selectedRows();
    if (rows.isEmpty()) return;
    const CostRow &row = chosen.model->row(chosen.proxy->mapToSource(rows.first()).row());
    if (row.members.empty()) return;
    const NodeRef now = m_hub.selection().node;
    for (std::int64_t member : row.members)
        if (now == NodeRef{Side::Optimized, NodeKind::Apply, member}) return;
    m_hub.selectNode({Side::Optimized, NodeKind::Apply, row.members.front()});
}

void OperationsView::showNode()
{
    if (m_hub.selection().node.isValid()) m_hub.showIn(QStringLiteral("graph"));
}

void OperationsView::openMenu(CostTableKind kind, const QPoint &at)
{
    const Page &shown = page(kind);
    const QModelIndex index = shown.table->indexAt(at);
    std::vector<MenuItem> items;
    if (index.isValid()) {
        shown.table->selectRow(index.row());
        const CostRow &row = shown.model->row(shown.proxy->mapToSource(index).row());
        items = {{tr("Show in the graph"), [this] { showNode(); }},
                 {tr("Copy name"), [name = row.name] { copyText(name); }},
                 {tr("Copy row as text"), [proxy = shown.proxy, line = index.row()] { copyText(tableAsText(*proxy, {line})); }}};
    }
    items.push_back({tr("Copy the table as text"), [proxy = shown.proxy] { copyText(tableAsText(*proxy)); }});
    openContextMenu(m_hub, shown.table, shown.table->viewport()->mapToGlobal(at), items);
}

void OperationsView::refreshCount()
{
    const Page &shown = page(kind());
    const int all = shown.model->rowCount();
    const int visible = shown.proxy->rowCount();
    using formats::Thing;
    const Thing thing = [&] {
        switch (kind()) {
        case CostTableKind::Class: return Thing::Class;
        case CostTableKind::Op: return Thing::Op;
        case CostTableKind::Apply: break;
        case CostTableKind::Line: return Thing::Line;
        case CostTableKind::File: return Thing::Module;
        case CostTableKind::Device: return Thing::Device;
        }
        return Thing::Apply;
    }();
    const QString count = formats::counted(all, thing);
    m_count->setText(visible == all ? count : tr("%1 out of %2").arg(visible).arg(count));
}

void OperationsView::copyAsText()
{
    const Page &shown = page(kind());
    QList<int> rows;
    if (sender() && qobject_cast<QShortcut *>(sender()))
        for (const QModelIndex &index : shown.table->selectionModel()->selectedRows()) rows << index.row();
    QApplication::clipboard()->setText(tableAsText(*shown.proxy, rows));
}

} // namespace views
