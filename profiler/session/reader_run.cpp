// Functions, statistics, events and messages of SessionReader.

#include "profiler/session/names.h"
#include "profiler/session/pages.h"
#include "profiler/session/reader.h"
#include "profiler/session/rows.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace profiler {

namespace {

FunctionInfo functionInfo(Row &row)
{
    FunctionInfo function;
    function.id = row.id<FunctionId>();
    function.name = row.name();
    function.location.file = row.text();
    function.location.line = row.small();
    function.mode = row.text();
    function.linker = row.text();
    function.device = row.text();
    function.graph = row.id<GraphId>();
    function.state = row.text();
    function.createdNs = row.integer();
    function.appliesOriginal = row.small();
    function.appliesOptimized = row.small();
    function.stepCount = row.small();
    function.compile.totalNs = row.integer();
    function.compile.graphNs = row.integer();
    function.compile.optimizerNs = row.integer();
    function.compile.validateNs = row.integer();
    function.compile.linkerNs = row.integer();
    function.compile.importNs = row.integer();
    function.compile.makeThunkNs = row.integer();
    function.run.calls = row.integer();
    function.run.totalNs = row.integer();
    function.run.vmNs = row.integer();
    function.run.thunkNs = row.integer();
    function.run.firstCallNs = row.integer();
    function.run.lastCallNs = row.integer();
    function.run.warmupCalls = row.integer();
    function.message = row.text();
    return function;
}

// Caps a limit or an offset of a query to what SQLite takes.
std::int64_t capped(std::size_t value)
{
    return static_cast<std::int64_t>(std::min<std::size_t>(value, std::numeric_limits<std::int64_t>::max()));
}

} // namespace

std::vector<FunctionInfo> SessionReader::functions()
{
    std::vector<FunctionInfo> functions = collect(*m_database, "functions",
                                                  {"id",
                                                   "name",
                                                   "file",
                                                   "line",
                                                   "mode",
                                                   "linker",
                                                   "device",
                                                   "graph",
                                                   "state",
                                                   "created_ns",
                                                   "applies_original",
                                                   "applies_optimized",
                                                   "step_count",
                                                   "compile_ns",
                                                   "graph_ns",
                                                   "optimizer_ns",
                                                   "validate_ns",
                                                   "linker_ns",
                                                   "import_ns",
                                                   "make_thunk_ns",
                                                   "calls",
                                                   "call_ns",
                                                   "vm_ns",
                                                   "thunk_ns",
                                                   "first_call_ns",
                                                   "last_call_ns",
                                                   "warmup_calls",
                                                   "message"},
                                                  "ORDER BY id", functionInfo);
    std::unordered_map<std::uint32_t, FunctionInfo *> byId;
    for (FunctionInfo &function : functions) byId[raw(function.id)] = &function;
    for (auto &[id, input] : collect(*m_database, "function_inputs", {"function", "variable", "name", "type", "kind"},
                                     "ORDER BY function, position", [](Row &row) {
                                         const FunctionId id = row.id<FunctionId>();
                                         FunctionInput input;
                                         input.variable = row.id<VariableId>();
                                         input.name = row.name();
                                         input.type = row.text();
                                         input.kind = variableKindOf(row.text());
                                         return std::pair(id, input);
                                     }))
        if (const auto found = byId.find(raw(id)); found != byId.end()) found->second->inputs.push_back(input);
    for (auto &[id, update] :
         collect(*m_database, "updates", {"function", "variable", "output", "name"}, "ORDER BY function, output", [](Row &row) {
             const FunctionId id = row.id<FunctionId>();
             FunctionUpdate update;
             update.variable = row.id<VariableId>();
             update.output = row.small();
             update.name = row.name();
             return std::pair(id, update);
         }))
        if (const auto found = byId.find(raw(id)); found != byId.end()) found->second->updates.push_back(update);
    return functions;
}

std::vector<Kernel> SessionReader::kernels(FunctionId function)
{
    return collect(
        *m_database, "kernels",
        {"function", "graph", "apply", "language", "symbol", "source", "flags", "cache_key", "from_cache", "compile_ns"},
        "WHERE function=? ORDER BY graph, apply, symbol",
        [](Row &row) {
            Kernel kernel;
            kernel.function = row.id<FunctionId>();
            kernel.graph = row.id<GraphId>();
            kernel.apply = row.id<ApplyId>();
            kernel.language = row.text();
            kernel.symbol = row.text();
            kernel.source = row.text();
            kernel.flags = row.text();
            kernel.cacheKey = row.text();
            kernel.fromCache = row.flag();
            kernel.compileNs = row.integer();
            return kernel;
        },
        function);
}

std::vector<PlanInfo> SessionReader::plans(FunctionId function)
{
    return collect(
        *m_database, "plans",
        {"function", "plan", "key", "arena_bytes", "peak_bytes", "peak_no_inplace_bytes", "peak_no_gc_bytes", "no_reuse_bytes",
         "measured_peak_bytes", "uses"},
        "WHERE function=? ORDER BY plan",
        [](Row &row) {
            PlanInfo plan;
            plan.function = row.id<FunctionId>();
            plan.plan = row.small();
            plan.key = row.text();
            plan.arenaBytes = row.integer();
            plan.peakBytes = row.integer();
            plan.peakNoInplaceBytes = row.integer();
            plan.peakNoGcBytes = row.integer();
            plan.noReuseBytes = row.integer();
            plan.measuredPeakBytes = row.integerOrNegative();
            plan.uses = row.integer();
            return plan;
        },
        function);
}

std::vector<PlanItem> SessionReader::planItems(FunctionId function)
{
    std::vector<PlanItem> items = pagedRows<PlanItem>(*m_database, "WHERE function=?", function);
    std::ranges::stable_sort(items, {}, [](const PlanItem &item) { return std::pair(item.plan, item.position); });
    return items;
}

std::vector<BufferRow> SessionReader::buffers(FunctionId function)
{
    std::vector<BufferRow> rows = pagedRows<BufferRow>(*m_database, "WHERE function=?", function);
    std::ranges::stable_sort(rows, {}, [](const BufferRow &row) { return std::tuple(row.plan, row.from, row.variable); });
    return rows;
}

std::vector<ApplyStats> SessionReader::applyStats()
{
    std::vector<ApplyStats> rows = pagedRows<ApplyStats>(*m_database, "");
    std::ranges::stable_sort(rows, {}, [](const ApplyStats &row) {
        return std::tuple(row.function, row.graph, row.apply, std::string_view(row.tier), row.steady);
    });
    return rows;
}

std::vector<Lane> SessionReader::lanes()
{
    return collect(*m_database, "lanes", {"id", "kind", "device", "name"}, "ORDER BY id", [](Row &row) {
        Lane lane;
        lane.id = row.small();
        lane.kind = laneKindOf(row.text());
        lane.device = row.text();
        lane.name = row.text();
        return lane;
    });
}

namespace {

constexpr std::initializer_list<const char *> kEventColumns{"lane",  "kind",  "start_ns",    "duration_ns", "function", "call",
                                                            "graph", "apply", "correlation", "bytes",       "name"};

Event eventOf(Row &row)
{
    Event event;
    event.lane = row.small();
    event.kind = eventKindOf(row.text());
    event.startNs = row.integer();
    event.durationNs = row.integer();
    event.function = row.id<FunctionId>();
    event.call = row.integerOrNegative();
    event.graph = row.id<GraphId>();
    event.apply = row.id<ApplyId>();
    event.correlation = row.integer();
    event.bytes = row.integer();
    event.name = row.text();
    return event;
}

} // namespace

std::vector<Event> SessionReader::events(std::int64_t fromNs, std::int64_t toNs, std::size_t limit)
{
    return collect(*m_database, "events", kEventColumns, "WHERE start_ns<?2 AND start_ns+duration_ns>=?1 ORDER BY start_ns, id LIMIT ?3",
                   eventOf, fromNs, toNs, capped(limit));
}

std::vector<Event> SessionReader::steadySamples()
{
    std::unordered_map<std::uint32_t, std::int64_t> warmUp;
    for (const FunctionInfo &function : functions()) warmUp[raw(function.id)] = function.run.warmupCalls;
    std::vector<Event> samples = collect(*m_database, "events", kEventColumns, "WHERE kind IN ('apply', 'call') ORDER BY id", eventOf);
    std::erase_if(samples, [&](const Event &event) {
        const auto found = warmUp.find(raw(event.function));
        return found != warmUp.end() && event.call < found->second;
    });
    return samples;
}

std::vector<Transfer> SessionReader::transfers()
{
    return collect(*m_database, "transfers", {"function", "graph", "apply", "direction", "device", "count", "bytes", "total_ns"},
                   "ORDER BY function, graph, apply, direction", [](Row &row) {
                       Transfer transfer;
                       transfer.function = row.id<FunctionId>();
                       transfer.graph = row.id<GraphId>();
                       transfer.apply = row.id<ApplyId>();
                       transfer.direction = row.text();
                       transfer.device = row.text();
                       transfer.count = row.integer();
                       transfer.bytes = row.integer();
                       transfer.totalNs = row.integer();
                       return transfer;
                   });
}

std::vector<DeviceKernel> SessionReader::deviceKernels()
{
    return collect(*m_database, "device_kernels",
                   {"device", "symbol", "function", "graph", "apply", "launches", "total_ns", "min_ns", "max_ns", "grid", "block",
                    "registers", "shared_bytes", "occupancy", "bytes"},
                   "ORDER BY device, symbol, function, graph, apply", [](Row &row) {
                       DeviceKernel kernel;
                       kernel.device = row.text();
                       kernel.symbol = row.text();
                       kernel.function = row.id<FunctionId>();
                       kernel.graph = row.id<GraphId>();
                       kernel.apply = row.id<ApplyId>();
                       kernel.launches = row.integer();
                       kernel.totalNs = row.integer();
                       kernel.minNs = row.integer();
                       kernel.maxNs = row.integer();
                       kernel.grid = row.text();
                       kernel.block = row.text();
                       kernel.registers = row.smallOrNegative();
                       kernel.sharedBytes = row.integerOrNegative();
                       kernel.occupancy = row.realOrNegative();
                       kernel.bytes = row.integerOrNegative();
                       return kernel;
                   });
}

std::vector<MemoryEvent> SessionReader::memoryEvents()
{
    return collect(*m_database, "memory_events", {"time_ns", "device", "delta_bytes", "live_bytes", "function", "graph", "apply"},
                   "ORDER BY time_ns, id", [](Row &row) {
                       MemoryEvent event;
                       event.timeNs = row.integer();
                       event.device = row.text();
                       event.deltaBytes = row.integer();
                       event.liveBytes = row.integer();
                       event.function = row.id<FunctionId>();
                       event.graph = row.id<GraphId>();
                       event.apply = row.id<ApplyId>();
                       return event;
                   });
}

std::vector<OutputText> SessionReader::outputs(std::size_t skip)
{
    return collect(
        *m_database, "outputs", {"time_ns", "stream", "text"}, "ORDER BY id LIMIT -1 OFFSET ?",
        [](Row &row) {
            OutputText output;
            output.timeNs = row.integer();
            output.stream = row.small();
            output.text = row.text();
            return output;
        },
        capped(skip));
}

std::vector<Message> SessionReader::messages(std::size_t skip)
{
    return collect(
        *m_database, "messages", {"time_ns", "severity", "text", "hint", "detail", "file", "line", "function", "graph", "apply"},
        "ORDER BY id LIMIT -1 OFFSET ?",
        [](Row &row) {
            Message message;
            message.timeNs = row.integer();
            message.severity = severityOf(row.text());
            message.text = row.text();
            message.hint = row.text();
            message.detail = row.text();
            message.source.file = row.text();
            message.source.line = row.small();
            message.function = row.id<FunctionId>();
            message.graph = row.id<GraphId>();
            message.apply = row.id<ApplyId>();
            return message;
        },
        capped(skip));
}

std::vector<Check> SessionReader::checks()
{
    return collect(*m_database, "checks", {"function", "graph", "apply", "step", "kind", "passed", "text", "max_absolute", "max_relative"},
                   "ORDER BY id", [](Row &row) {
                       Check check;
                       check.function = row.id<FunctionId>();
                       check.graph = row.id<GraphId>();
                       check.apply = row.id<ApplyId>();
                       check.step = row.small();
                       check.kind = row.text();
                       check.passed = row.flag();
                       check.text = row.text();
                       check.maxAbsolute = row.real();
                       check.maxRelative = row.real();
                       return check;
                   });
}

std::vector<Drop> SessionReader::drops()
{
    return collect(*m_database, "drops", {"what", "count", "reason"}, "ORDER BY what", [](Row &row) {
        Drop drop;
        drop.what = row.text();
        drop.count = row.integer();
        drop.reason = row.text();
        return drop;
    });
}

std::string SessionReader::whyDropped(const std::string &what)
{
    for (const Drop &drop : drops())
        if (drop.what == what) return drop.reason;
    return {};
}

} // namespace profiler
