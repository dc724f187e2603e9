// What ran, in SessionReader: the script and its machine, functions, statistics, events and messages.

#include "profiler/session/store/reader_rows.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace profiler {

namespace {

// A condition on the tables that hold rows of several functions.
std::string of(FunctionId function) { return function == kNoFunction ? "" : "WHERE function=" + std::to_string(raw(function)); }

} // namespace

ScriptInfo SessionReader::script()
{
    std::vector<ScriptInfo> scripts = rows<ScriptInfo>("");
    return scripts.empty() ? ScriptInfo{} : std::move(scripts.front());
}

std::vector<SourceFile> SessionReader::sources() { return rows<SourceFile>("ORDER BY file"); }

std::vector<Flag> SessionReader::flags() { return rows<Flag>("ORDER BY name"); }

std::vector<NameValue> SessionReader::machine() { return rowsOf<NameValue>(*m_database, "machine", "ORDER BY name", nullptr); }

std::vector<Roof> SessionReader::roofs() { return rows<Roof>("ORDER BY device, name"); }

std::vector<DeviceInfo> SessionReader::devices() { return rows<DeviceInfo>("ORDER BY name"); }

std::vector<Clock> SessionReader::clocks() { return rows<Clock>("ORDER BY name"); }

std::vector<FunctionInfo> SessionReader::functions()
{
    std::vector<FunctionInfo> functions = rows<FunctionInfo>("ORDER BY id");
    std::unordered_map<FunctionId, FunctionInfo *> byId;
    for (FunctionInfo &function : functions) byId[function.id] = &function;
    for (FunctionInput &input : rows<FunctionInput>("ORDER BY function, position"))
        if (const auto found = byId.find(input.function); found != byId.end()) found->second->inputs.push_back(std::move(input));
    for (FunctionUpdate &update : rows<FunctionUpdate>("ORDER BY function, output"))
        if (const auto found = byId.find(update.function); found != byId.end()) found->second->updates.push_back(std::move(update));
    return functions;
}

std::vector<Kernel> SessionReader::kernels(FunctionId function)
{
    return rows<Kernel>(of(function) + " ORDER BY function, graph, apply, symbol");
}

std::vector<PlanInfo> SessionReader::plans(FunctionId function) { return rows<PlanInfo>(of(function) + " ORDER BY function, plan"); }

std::vector<PlanItem> SessionReader::planItems(FunctionId function)
{
    std::vector<PlanItem> items = rows<PlanItem>(of(function));
    std::ranges::stable_sort(items, {}, [](const PlanItem &item) { return std::tuple(item.function, item.plan, item.position); });
    return items;
}

std::vector<BufferRow> SessionReader::buffers(FunctionId function)
{
    std::vector<BufferRow> buffers = rows<BufferRow>(of(function));
    std::ranges::stable_sort(buffers, {}, [](const BufferRow &row) { return std::tuple(row.function, row.plan, row.from, row.variable); });
    return buffers;
}

std::vector<ApplyStats> SessionReader::applyStats()
{
    std::vector<ApplyStats> stats = rows<ApplyStats>("");
    std::ranges::stable_sort(stats, {}, [](const ApplyStats &row) {
        return std::tuple(row.function, row.graph, row.apply, std::string_view(row.tier), row.steady);
    });
    return stats;
}

std::vector<Lane> SessionReader::lanes() { return rows<Lane>("ORDER BY id"); }

std::vector<Event> SessionReader::events(std::size_t skip) { return rowsAfter<Event>(skip); }

std::vector<Event> SessionReader::steadySamples(std::span<const FunctionInfo> functions)
{
    std::unordered_map<FunctionId, std::int64_t> warmUp;
    for (const FunctionInfo &function : functions) warmUp[function.id] = function.run.warmupCalls;
    std::vector<Event> samples = rows<Event>("WHERE kind IN ('apply', 'call') ORDER BY id");
    std::erase_if(samples, [&](const Event &event) {
        const auto found = warmUp.find(event.function);
        return found != warmUp.end() && event.call < found->second;
    });
    return samples;
}

std::vector<Transfer> SessionReader::transfers() { return rows<Transfer>("ORDER BY function, graph, apply, direction"); }

std::vector<HostUse> SessionReader::hostUses() { return rows<HostUse>("ORDER BY rowid"); }
std::vector<DeviceWork> SessionReader::deviceWork() { return rows<DeviceWork>("ORDER BY device, what"); }

std::vector<DeviceKernel> SessionReader::deviceKernels() { return rows<DeviceKernel>("ORDER BY device, symbol, function, graph, apply"); }

std::vector<Communication> SessionReader::communication() { return rows<Communication>("ORDER BY total_ns DESC, call, file, line"); }

std::vector<Collective> SessionReader::collectives() { return rows<Collective>("ORDER BY members, number"); }

Job SessionReader::job()
{
    return {rows<RankRow>("ORDER BY rank"), rows<RankFunction>("ORDER BY rank, function"),
            rows<RankCommunication>("ORDER BY call, file, line, rank")};
}

std::vector<MemoryEvent> SessionReader::memoryEvents(std::size_t skip) { return rowsAfter<MemoryEvent>(skip); }

std::vector<OutputText> SessionReader::outputs(std::size_t skip) { return rowsAfter<OutputText>(skip); }

std::vector<Message> SessionReader::messages(std::size_t skip) { return rowsAfter<Message>(skip); }

std::vector<Check> SessionReader::checks(std::size_t skip) { return rowsAfter<Check>(skip); }

std::vector<ValueRow> SessionReader::values() { return rows<ValueRow>("ORDER BY function, call, side DESC, position"); }

std::vector<ValueNote> SessionReader::valueNotes() { return rows<ValueNote>("ORDER BY function, call, side DESC"); }

std::vector<Drop> SessionReader::drops() { return rows<Drop>("ORDER BY what"); }

std::string SessionReader::whyDropped(const std::string &what)
{
    for (const Drop &drop : drops())
        if (drop.what == what) return drop.reason;
    return {};
}

std::size_t SessionReader::sourceCount() { return count("sources"); }

std::size_t SessionReader::kernelCount() { return count("kernels"); }

std::size_t SessionReader::count(const char *table)
{
    if (m_database->columns(table).empty()) return 0;
    return static_cast<std::size_t>(m_database->integer(std::string("SELECT count(*) FROM ") + table));
}

} // namespace profiler
