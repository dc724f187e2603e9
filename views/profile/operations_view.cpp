#include "views/profile/operations_view.h"

#include "views/common/choice_tabs.h"
#include "views/common/context_menu.h"
#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/profile/operation_rows.h"
#include "views/session/function_name.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>

namespace views {

OperationsView::OperationsView(SelectionHub &hub, QWidget *parent) : TablePanel(parent), m_hub(hub)
{
    const Theme &theme = Theme::current();
    m_kinds = new ChoiceTabs(tr("Kind of table"));
    const QString titles[] = {tr("Class"), tr("Ops"), tr("Apply"), tr("Line"), tr("Module"), tr("Device")};
    for (std::size_t i = 0; i < m_tables.size(); ++i) {
        const auto kind = static_cast<CostTableKind>(i);
        m_kinds->addChoice(CostTableView::idOf(kind), titles[i]);
        m_tables[i] = new CostTableView(kind);
        connectTable(m_tables[i]);
        addPage(m_tables[i]);
    }
    m_filter = searchBox(tr("Filter"), tr("Filter the table by name"));
    m_filter->setMinimumWidth(theme.px(80));
    m_filter->setMaximumWidth(theme.px(200));
    addLeft(m_kinds);
    addRight(m_filter);
    auto *more = iconButton(QStringLiteral("more"), tr("Columns, and the table as a file"));
    more->setObjectName(QStringLiteral("columns"));
    more->setPopupMode(QToolButton::InstantPopup);
    more->setMenu(new QMenu(more));
    connect(more->menu(), &QMenu::aboutToShow, this, [this, more] { fillMenu(*more->menu()); });
    addLast(more);

    connect(m_kinds, &ChoiceTabs::currentChanged, this, [this] {
        m_opensOnLines = false;
        showPage(table(kind()));
        followSelection();
        refreshCount();
    });
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        for (CostTableView *each : m_tables) each->setFilter(text);
        refreshCount();
    });
    connect(this, &TablePanel::actionTriggered, this, [this] { m_hub.request(Command::Run); });
    connect(&m_hub, &SelectionHub::selectionChanged, this, &OperationsView::followSelection);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &OperationsView::fitKinds);
    setKind(CostTableKind::Op);
    refreshCount();
}

void OperationsView::connectTable(CostTableView *table)
{
    QHeaderView *header = table->horizontalHeader();
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QHeaderView::customContextMenuRequested, this, [this, header](const QPoint &at) {
        QMenu menu;
        fillMenu(menu);
        menu.exec(header->mapToGlobal(at));
    });
    connect(table, &DataTable::rowChosen, this, [this, table](int row) { rowChosen(table->rows()->row(row)); });
    connect(table, &QTableView::activated, this, &OperationsView::showNode);
    connect(table, &QTableView::doubleClicked, this, &OperationsView::showNode);
    table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(table, &QTableView::customContextMenuRequested, this, [this, table](const QPoint &at) { openMenu(table, at); });
}

// Which columns are shown (the name always is), and the table for elsewhere.
void OperationsView::fillMenu(QMenu &menu)
{
    menu.clear();
    CostTableView *shown = table(kind());
    shown->addColumns(menu);
    menu.addSeparator();
    menu.addAction(tr("Copy the table as text"), this, &OperationsView::copyAsText);
    menu.addAction(tr("Save the table as CSV…"), this, [this, shown] {
        if (const QString error = shown->saveAsCsv(); !error.isEmpty()) Q_EMIT m_hub.noticed(error, false);
    });
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
        for (const CostTableView *each : m_tables) {
            const CostTableKind kind = each->rows()->kind();
            setTable(kind,
                     tables ? std::shared_ptr<const CostTable>(feed.session, &tables->of(kind)) : std::make_shared<const CostTable>());
        }
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
    TablePanel::resizeEvent(event);
    const bool roomy = width() >= Theme::current().px(480);
    m_filter->setVisible(roomy);
    copyButton()->setVisible(roomy);
    fitKinds();
    for (CostTableView *each : m_tables) each->setRoom(width());
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

void OperationsView::setTable(CostTableKind kind, std::shared_ptr<const CostTable> rows)
{
    table(kind)->setTable(std::move(rows));
    followSelection();
    refreshCount();
}

void OperationsView::setKind(CostTableKind kind) { m_kinds->setCurrent(CostTableView::idOf(kind)); }

void OperationsView::openOnLines()
{
    setKind(CostTableKind::Line);
    m_opensOnLines = true;
}

CostTableKind OperationsView::kind() const
{
    for (const CostTableView *each : m_tables)
        if (m_kinds->current() == each->id()) return each->rows()->kind();
    return CostTableKind::Op;
}

void OperationsView::setFilter(const QString &text) { m_filter->setText(text); }

void OperationsView::followSelection()
{
    const NodeRef node = m_hub.selection().node;
    const bool known = node.isValid() && node.side == Side::Optimized && node.kind == NodeKind::Apply;
    for (CostTableView *each : m_tables) each->markRow(known ? each->rows()->rowOfApply(node.id) : -1);
}

void OperationsView::rowChosen(const CostRow &row)
{
    if (row.members.empty()) return;
    const NodeRef now = m_hub.selection().node;
    for (std::int64_t member : row.members)
        if (now == NodeRef{Side::Optimized, NodeKind::Apply, member}) return;
    m_hub.selectNode({Side::Optimized, NodeKind::Apply, row.members.front()}); // in the graph that is shown, a nested one, too
}

void OperationsView::showNode()
{
    if (m_hub.selection().node.isValid()) m_hub.showIn(QStringLiteral("graph"));
}

void OperationsView::openMenu(CostTableView *table, const QPoint &at)
{
    const QModelIndex index = table->indexAt(at);
    std::vector<MenuItem> items;
    if (index.isValid()) {
        table->selectRow(index.row());
        items = {{tr("Show in the graph"), [this] { showNode(); }},
                 {tr("Copy name"), [name = table->rows()->row(table->modelRow(index)).name] { copyText(name); }},
                 {tr("Copy row as text"), [table, line = index.row()] { copyText(tableAsText(*table->model(), {line})); }}};
    }
    items.push_back({tr("Copy the table as text"), [table] { copyText(table->wholeAsText()); }});
    openContextMenu(m_hub, table, table->viewport()->mapToGlobal(at), items);
}

void OperationsView::refreshCount()
{
    const CostTableView &shown = *table(kind());
    const int all = shown.rows()->rowCount();
    const int visible = shown.model()->rowCount();
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
    setCaption(visible == all ? count : tr("%1 out of %2").arg(visible).arg(count));
}

} // namespace views
