#include "views/transfers/transfers_view.h"

#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/text.h"
#include "views/session/cost_texts.h"
#include "views/session/function_name.h"

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
    for (const profiler::Transfer &transfer : session.profile.devices.transfers) {
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

TransfersView::TransfersView(SelectionHub &hub, QWidget *parent)
    : TablePanel(parent), m_hub(hub), m_table(new TextTableView(tr("Transfers")))
{
    addPage(m_table);
    connect(m_table, &TextTableView::keyChosen, this, [this](qint64 key) {
        if (!m_session) return;
        const profiler::Transfer &transfer = m_session->profile.devices.transfers[static_cast<std::size_t>(key)];
        m_hub.selectApply(raw(transfer.apply), raw(transfer.function));
    });
}

void TransfersView::feed(const ViewFeed &feed)
{
    if (!feed.hasNew(FeedPart::Opened | FeedPart::Session)) return;
    m_session = feed.session;
    const bool any = m_session && !m_session->profile.devices.transfers.empty();
    setBarVisible(any);
    setEmpty(QStringLiteral("transfer"), any ? QString() : whyNoTransfers(m_session.get()));
    if (!any) return;
    m_table->setTable(transferTable(*m_session));
    std::int64_t count = 0, bytes = 0, ns = 0;
    for (const profiler::Transfer &transfer : m_session->profile.devices.transfers) {
        count += transfer.count;
        bytes += transfer.bytes;
        ns += transfer.totalNs;
    }
    const QString amount = formats::bytes(bytes);
    setCaption(m_session->info.simulated.empty()
                   ? tr("%1, %2 in %3").arg(formats::counted(count, formats::Thing::Copy), amount, formats::timeNs(ns))
                   : tr("%1, %2; what a simulation takes for them says nothing of a card")
                         .arg(formats::counted(count, formats::Thing::Copy), amount));
}

} // namespace views
