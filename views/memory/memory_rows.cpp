#include "views/memory/memory_rows.h"

#include "profiler/stats/times/profile_parts.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/node_title.h"
#include "views/common/text.h"
#include "views/session/function_name.h"

#include <algorithm>

namespace views {

using profiler::BufferKind;
using profiler::Lifetime;

MemoryRows::MemoryRows(const SessionData &session)
{
    const profiler::ProfileParts parts(session.profile);
    for (const profiler::FunctionInfo &function : session.functions) {
        OfFunction made;
        made.memory = profiler::callMemory(parts.of(function.id), function.id);
        made.function = functionName(function);
        const auto graph = session.graphs.find(function.graph);
        const GraphData *data = graph == session.graphs.end() ? nullptr : graph->second.get();
        const auto opOf = [&](const profiler::ApplyKey &key) {
            const profiler::ApplyRow *apply = data && key.apply != profiler::kNoApply ? data->apply(raw(key.apply)) : nullptr;
            return !apply ? QString() : friendlyName(text(apply->friendly.empty() ? apply->op : apply->friendly));
        };
        for (const Lifetime &life : made.memory.lifetimes) {
            const profiler::VariableRow *variable = data ? data->variable(raw(life.variable)) : nullptr;
            QString name = variable ? text(variable->name.empty() ? variable->value : variable->name) : QString();
            if (name.isEmpty()) name = opOf(life.maker);
            made.names.push_back(name.isEmpty() ? tr("variable %1").arg(raw(life.variable)) : name);
        }
        for (const profiler::ApplyKey &key : made.memory.order) made.positions.push_back(opOf(key));
        functions.emplace(function.id, std::move(made));
    }
    if (!session.trace) return;
    events = session.trace->memoryEvents;
    for (const profiler::MemoryEvent &event : events) {
        if (event.liveBytes <= highest) continue;
        highest = event.liveBytes;
        highestNs = event.timeNs;
    }
}

const MemoryRows::OfFunction *MemoryRows::of(const profiler::FunctionInfo *function) const
{
    const auto found = function ? functions.find(function->id) : functions.end();
    return found == functions.end() || found->second.memory.lifetimes.empty() ? nullptr : &found->second;
}

QString MemoryRows::kindText(BufferKind kind)
{
    switch (kind) {
    case BufferKind::Created: return tr("created");
    case BufferKind::View: return tr("view");
    case BufferKind::Inplace: return tr("in place");
    case BufferKind::Input: return tr("input");
    case BufferKind::Shared: return tr("shared variable");
    case BufferKind::Constant: return tr("constant");
    }
    return {};
}

QString MemoryRows::tip(const OfFunction &function, std::size_t index)
{
    const Lifetime &life = function.memory.lifetimes[index];
    QStringList lines{QStringLiteral("%1 · %2 · %3").arg(function.names[index].left(100), formats::bytes(life.bytes), text(life.shape))};
    lines << tr("%1, lives from step %2 to %3 of the call").arg(kindText(life.kind)).arg(life.from).arg(life.to);
    lines << (life.offset >= 0 ? tr("in the arena at %1").arg(formats::bytes(life.offset)) : tr("outside of the arena"));
    if (!life.sharers.empty())
        lines << (life.overwritten.empty()
                      ? tr("shared with %1 more").arg(life.sharers.size())
                      : tr("shared with %1 more, written over %2")
                            .arg(life.sharers.size())
                            .arg(formats::counted(static_cast<std::int64_t>(life.overwritten.size()), formats::Thing::Time)));
    if (life.atPeak) lines << tr("holds %1 of the peak").arg(formats::percent(life.shareOfPeak));
    return lines.join(QLatin1Char('\n'));
}

QString MemoryRows::caption(const OfFunction &function)
{
    const profiler::CallMemory &memory = function.memory;
    // What is measured is the host's alone: what lies on devices is planned, and stands for itself.
    const auto host = memory.devicePeaks.find("cpu");
    const std::int64_t planned = host == memory.devicePeaks.end() ? 0 : host->second;
    QString result = tr("%1 · peak %2 planned").arg(function.function, formats::bytes(planned));
    if (memory.plan.measuredPeakBytes >= 0) result += tr(", %1 measured").arg(formats::bytes(memory.plan.measuredPeakBytes));
    for (const auto &[device, peak] : memory.devicePeaks)
        if (device != "cpu") result += tr(" on the host · %1 planned on %2").arg(formats::bytes(peak), text(device));
    result += tr(" · arena %1").arg(formats::bytes(memory.plan.arenaBytes));
    if (memory.plans > 1) result += tr(" · the most used of %1 plans").arg(memory.plans);
    return result;
}

QString MemoryRows::overTimeCaption() const
{
    return tr("live bytes of arrays, measured · at most %1 at %2").arg(formats::bytes(highest), formats::timeNs(highestNs));
}

TextTable MemoryRows::table(const OfFunction &function)
{
    TextTable table;
    table.columns = {
        {tr("Size"), tr("Of the memory; views and what is written over it need none of their own"), true, false, 84},
        {tr("% of peak"), tr("Share of what is held when most is held"), true, false, 84},
        {tr("From"), tr("Position in the order of execution at which it is made"), true, false, 60},
        {tr("To"), tr("Last position that needs it"), true, false, 60},
        {tr("In arena at"), tr("Where it lies in the memory that the plan keeps; – is outside of it"), true, false, 96},
        {tr("Kind"), tr("Inputs, shared variables and constants are not counted in the peak"), false, false, 120},
        {tr("Shared with"), tr("Views of it and what is written over it"), true, false, 92},
        {tr("Shape"), {}, false, true, 110},
        {tr("Name"), tr("The variable, or the op that makes it"), false, true, 200},
    };
    for (std::size_t i = 0; i < function.memory.lifetimes.size(); ++i) {
        const Lifetime &life = function.memory.lifetimes[i];
        table.rows.push_back(
            {{numberCell(formats::bytes(life.bytes), static_cast<double>(life.bytes)),
              numberCell(life.atPeak ? formats::percent(life.shareOfPeak) : QStringLiteral("–"), life.shareOfPeak),
              numberCell(QString::number(life.from), life.from),
              numberCell(QString::number(life.to), life.to),
              numberCell(life.offset < 0 ? QStringLiteral("–") : formats::bytes(life.offset), static_cast<double>(life.offset)),
              {kindText(life.kind), 0},
              numberCell(QString::number(life.sharers.size()), static_cast<double>(life.sharers.size())),
              {text(life.shape), 0},
              {function.names[i], 0}},
             static_cast<std::int64_t>(i)});
    }
    return table;
}

TextTable MemoryRows::overTimeTable() const
{
    TextTable table;
    table.columns = {
        {tr("Time"), tr("From the start of the session"), true, false, 110},
        {tr("Change"), tr("Allocated, or freed where negative"), true, false, 110},
        {tr("Live"), tr("After it"), true, false, 110},
        {tr("Where"), {}, false, false, 80},
    };
    for (std::size_t i = 0; i < events.size(); ++i) {
        const profiler::MemoryEvent &event = events[i];
        table.rows.push_back({{numberCell(formats::timeNs(event.timeNs), static_cast<double>(event.timeNs)),
                               numberCell(formats::bytes(event.deltaBytes), static_cast<double>(event.deltaBytes)),
                               numberCell(formats::bytes(event.liveBytes), static_cast<double>(event.liveBytes)),
                               {text(event.device), 0}},
                              static_cast<std::int64_t>(i)});
    }
    return table;
}

} // namespace views
