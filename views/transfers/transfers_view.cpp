#include "views/transfers/transfers_view.h"

#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/panels.h"
#include "views/common/text.h"
#include "views/session/cost_texts.h"
#include "views/session/function_name.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace views {
namespace {

QString directionText(const std::string &direction)
{
    if (direction == "HtoD") return TransfersView::tr("host to device");
    if (direction == "DtoH") return TransfersView::tr("device to host");
    if (direction == "DtoD") return TransfersView::tr("device to device");
    return text(direction);
}

// Other ops may copy something besides what they compute.
QString nameOf(const profiler::ApplyRow *apply)
{
    if (!apply) return {};
    const QString label = text(apply->label);
    return profiler::roleOf(*apply) == profiler::OpRole::Transfer ? label : TransfersView::tr("within %1").arg(label);
}

} // namespace

TextTable transferTable(const SessionData &session)
{
    TextTable table;
    const auto tr = [](const char *source) { return TransfersView::tr(source); };
    table.columns = {
        {tr("Direction"), {}, false, false, 130},        {tr("Device"), {}, false, false, 90},
        {tr("Count"), tr("How often"), true, false, 84}, {tr("Bytes"), tr("In all"), true, false, 96},
        {tr("Time"), tr("In all"), true, false, 96},     {tr("Rate"), tr("Bytes divided by time"), true, false, 104},
        {tr("Function"), {}, false, false, 120},         {tr("Name"), tr("The apply that copies"), false, true, 240},
    };
    std::int64_t key = 0;
    for (const profiler::Transfer &transfer : session.profile.transfers) {
        const auto graph = session.graphs.find(transfer.graph);
        const profiler::ApplyRow *apply = graph == session.graphs.end() ? nullptr : graph->second->apply(raw(transfer.apply));
        const profiler::FunctionInfo *function = session.function(raw(transfer.function));
        const bool isSimulated = !session.info.simulated.empty(); // no time of a card
        const double rate = transfer.totalNs > 0 && !isSimulated ? static_cast<double>(transfer.bytes) / seconds(transfer.totalNs) : 0;
        table.rows.push_back({{{directionText(transfer.direction), 0},
                               {deviceText(transfer.device, session.info.simulated), 0},
                               numberCell(formats::count(transfer.count), static_cast<double>(transfer.count)),
                               numberCell(formats::bytes(transfer.bytes), static_cast<double>(transfer.bytes)),
                               numberCell(isSimulated ? QStringLiteral("–") : formats::timeNs(transfer.totalNs),
                                          isSimulated ? 0 : static_cast<double>(transfer.totalNs)),
                               numberCell(rate > 0 ? formats::byteRate(rate) : QStringLiteral("–"), rate),
                               {function ? functionName(*function) : QString(), 0},
                               {nameOf(apply), 0}},
                              key++});
    }
    return table;
}

QString whyNoTransfers(const SessionData *session)
{
    if (!session) return TransfersView::tr("No session is open.");
    const bool called =
        std::any_of(session->functions.begin(), session->functions.end(), [](const auto &function) { return function.run.calls > 0; });
    if (!called) return TransfersView::tr("No function was called yet, so nothing was copied.");
    for (const profiler::FunctionInfo &function : session->functions)
        if (function.run.calls > 0 && !function.device.empty() && function.device != "cpu")
            return TransfersView::tr("%1 ran on %2 and copied nothing between devices.").arg(functionName(function), text(function.device));
    for (const profiler::DeviceInfo &device : session->devices)
        if (device.name != "cpu" && !device.available && !device.reason.empty())
            return TransfersView::tr("Everything ran on the CPU, so nothing was copied between devices. %1: %2")
                .arg(text(device.name), text(device.reason));
    return TransfersView::tr("Everything ran on the CPU, so nothing was copied between devices.");
}

TransfersView::TransfersView(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub)
{
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    m_list = new QWidget;
    auto *column = new QVBoxLayout(m_list);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(theme.px(12), theme.px(6), theme.px(12), theme.px(6));
    m_sum = new ElidedLabel(QString(), FontRole::Cell, "secondary");
    auto *copy = iconButton(QStringLiteral("copy"), tr("Copy the table as text"));
    bar->addWidget(m_sum, 1);
    bar->addWidget(copy);
    column->addLayout(bar);
    column->addWidget(new Hairline);
    m_model = new TextTableModel(this);
    auto *proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(m_model);
    proxy->setSortRole(TextTableModel::kValueRole);
    m_table = makeTable(proxy, tr("Transfers"));
    column->addWidget(m_table, 1);
    m_empty = new EmptyState;
    outer->addWidget(m_list);
    outer->addWidget(m_empty);
    connect(copy, &QToolButton::clicked, this, [proxy] { QApplication::clipboard()->setText(tableAsText(*proxy)); });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const QModelIndexList rows = m_table->selectionModel()->selectedRows();
        if (rows.isEmpty() || !m_session) return;
        const profiler::Transfer &transfer =
            m_session->profile.transfers[static_cast<std::size_t>(rows.first().data(TextTableModel::kKeyRole).toLongLong())];
        m_hub.selectApply(raw(transfer.apply), raw(transfer.function));
    });
}

QString TransfersView::sentence() const { return m_list->isVisibleTo(this) ? QString() : m_empty->sentence(); }

void TransfersView::feed(const ViewFeed &feed)
{
    if (!feed.hasNew(FeedPart::Opened | FeedPart::Session)) return;
    m_session = feed.session;
    const bool any = m_session && !m_session->profile.transfers.empty();
    m_list->setVisible(any);
    m_empty->setVisible(!any);
    if (!any) {
        m_empty->show(QStringLiteral("transfer"), whyNoTransfers(m_session.get()));
        return;
    }
    m_model->setTable(transferTable(*m_session));
    const Theme &theme = Theme::current();
    m_table->verticalHeader()->setDefaultSectionSize(theme.size(Size::Row));
    m_table->horizontalHeader()->setFixedHeight(theme.size(Size::Row) + 2);
    const std::vector<TextTable::Column> &columns = m_model->table().columns;
    for (std::size_t i = 0; i + 1 < columns.size(); ++i) m_table->setColumnWidth(static_cast<int>(i), theme.px(columns[i].width));
    std::int64_t count = 0, bytes = 0, ns = 0;
    for (const profiler::Transfer &transfer : m_session->profile.transfers) {
        count += transfer.count;
        bytes += transfer.bytes;
        ns += transfer.totalNs;
    }
    const QString amount = formats::bytes(bytes);
    m_sum->setText(m_session->info.simulated.empty()
                       ? tr("%1, %2 in %3").arg(formats::counted(count, formats::Thing::Copy), amount, formats::timeNs(ns))
                       : tr("%1, %2; what a simulation takes for them says nothing of a card")
                             .arg(formats::counted(count, formats::Thing::Copy), amount));
}

} // namespace views
