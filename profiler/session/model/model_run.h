#pragma once
// What ran: functions, statistics per apply, events, plans, memory. All times are nanoseconds; points
// in time count from the start of the session on its monotonic host clock.

#include "profiler/session/codec/histogram.h"
#include "profiler/session/model/column.h"
#include "profiler/session/model/model_edits.h"

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace profiler {

struct FunctionInput {
    static constexpr SessionTable kTable{.name = "function_inputs", .about = "Inputs of functions, shared variables included."};
    VariableId variable = kNoVariable;
    std::string name;
    std::string type;
    VariableKind kind = VariableKind::Input;
    FunctionId function = kNoFunction; // the writer sets it, and the position
    int position = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", primary(row.function));
        visit("position", primary(row.position));
        visit("variable", row.variable, "of functions.graph");
        visit("name", inLine(row.name));
        visit("type", row.type);
        visit("kind", row.kind, "input, shared");
    }
};

struct FunctionUpdate {
    static constexpr SessionTable kTable{
        .name = "updates", .about = "Output number `output` of the graph becomes the new value of shared variable `variable`."};
    VariableId variable = kNoVariable;
    int output = 0;
    std::string name;
    FunctionId function = kNoFunction; // the writer sets it

    static void describe(auto &row, auto &&visit)
    {
        visit("function", primary(row.function));
        visit("variable", primary(row.variable));
        visit("output", row.output);
        visit("name", inLine(row.name));
    }
};

struct FunctionTimes { // of compiling
    std::int64_t totalNs = 0;
    std::int64_t graphNs = 0;
    std::int64_t optimizerNs = 0;
    std::int64_t validateNs = 0;
    std::int64_t linkerNs = 0;
    std::int64_t importNs = 0;
    std::int64_t makeThunkNs = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("compile_ns", row.totalNs, "total");
        visit("graph_ns", row.graphNs, "clone, givens, updates");
        visit("optimizer_ns", row.optimizerNs);
        visit("validate_ns", row.validateNs, "part of optimizer_ns");
        visit("linker_ns", row.linkerNs, "stages, graphs inside of applies, checks: kernels and thunks are made in calls");
        visit("import_ns", row.importNs);
        visit("make_thunk_ns", row.makeThunkNs, "thunks of the first plan, made in the first call: part of call_ns");
    }
};

struct FunctionCalls {
    static constexpr const char *kTable = "functions";
    std::int64_t calls = 0;
    std::int64_t totalNs = 0;
    std::int64_t vmNs = 0;
    std::int64_t thunkNs = 0;
    std::int64_t firstCallNs = 0;
    std::int64_t lastCallNs = 0;
    std::int64_t warmupCalls = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("calls", row.calls);
        visit("call_ns", row.totalNs, "Function.__call__");
        visit("vm_ns", row.vmNs, "Function.fn.__call__");
        visit("thunk_ns", row.thunkNs, "sum over applies");
        visit("first_call_ns", row.firstCallNs, "point in time");
        visit("last_call_ns", row.lastCallNs, "point in time, end of the last call");
        visit("warmup_calls", row.warmupCalls, "calls before the last change of tier");
    }
};

struct FunctionInfo {
    static constexpr SessionTable kTable{.name = "functions", .about = "Compiled functions, in the order of creation."};
    FunctionId id = kNoFunction;
    std::string name;
    SourceLine location;
    std::string mode;
    std::string linker; // "cvm"
    std::string device;
    GraphId graph = kNoGraph;
    std::int64_t createdNs = 0;
    int appliesOriginal = 0;
    int appliesOptimized = 0;
    int stepCount = 0;
    int stages = 1;
    FunctionTimes compile;
    FunctionCalls run;
    std::vector<FunctionInput> inputs;
    std::vector<FunctionUpdate> updates;
    std::string message;
    std::string state;

    static void describe(auto &row, auto &&visit)
    {
        visit("id", primary(row.id));
        visit("name", inLine(row.name));
        visit("file", row.location.file, "where it was made");
        visit("line", row.location.line);
        visit("mode", row.mode, "FAST_RUN, FAST_COMPILE, DebugMode ...");
        visit("linker", row.linker);
        visit("device", row.device);
        visit("graph", orNull(row.graph), "graphs.id of its own graph");
        visit("state", row.state, "compiling, ready, running, failed");
        visit("created_ns", row.createdNs);
        visit("applies_original", row.appliesOriginal);
        visit("applies_optimized", row.appliesOptimized);
        visit("step_count", row.stepCount);
        FunctionTimes::describe(row.compile, visit);
        FunctionCalls::describe(row.run, visit);
        visit("message", unlessEmpty(row.message), "what profile='message' said, NULL = nothing");
        visit("stages", row.stages, "stretches that run by a plan each: more than 1 where sizes are known only as it runs");
    }
};

struct ApplyStats {
    static constexpr SessionTable kTable{.name = "stat_pages",
                                         .about = "Times per apply, refreshed every 200 ms. Add over tier and steady for the whole.",
                                         .view = "apply_stats"};
    static constexpr std::array kKey{"function", "graph"};
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    std::string tier = "interpreter";
    bool steady = true;
    std::int64_t calls = 0;
    std::int64_t totalNs = 0;
    std::int64_t minNs = 0;
    std::int64_t maxNs = 0;
    double sumSquares = 0; // of nanoseconds
    std::optional<std::int64_t> deviceNs;
    std::optional<std::int64_t> blockingNs;
    Histogram histogram;

    static auto key(auto &row) { return std::tie(row.function, row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("apply", row.apply);
        visit("tier", row.tier, "interpreter, compiled, library");
        visit("steady", row.steady, "0 = warm-up, 1 = steady state");
        visit("calls", row.calls);
        visit("total_ns", row.totalNs, "host clock");
        visit("min_ns", row.minNs);
        visit("max_ns", row.maxNs);
        visit("sum_squares", row.sumSquares, "of ns");
        visit("device_ns", row.deviceNs, "device clock, NULL = not measured");
        visit("blocking_ns", row.blockingNs, "host clock under CUDA_LAUNCH_BLOCKING=1, NULL = not measured");
        visit("histogram", row.histogram, "[bucket, count, bucket, count ...], 8 buckets per octave: histogram.h");
    }
};

enum class LaneKind : std::uint8_t { Host, Stream, Copy, Compiler };

struct Lane {
    static constexpr SessionTable kTable{.name = "lanes", .about = "Lanes of the timeline."};
    int id = 0;
    LaneKind kind = LaneKind::Host;
    std::string device;
    std::string name;

    static void describe(auto &row, auto &&visit)
    {
        visit("id", primary(row.id));
        visit("kind", row.kind);
        visit("device", row.device);
        visit("name", row.name);
    }
};

enum class EventKind : std::uint8_t { Call, Apply, Kernel, Copy, Compile, Pass, Wait, Range };

// Lanes of the second run of a session are numbered from here, those of the third from twice this …
inline constexpr int kLanesPerRun = 1000;

struct Event {
    static constexpr SessionTable kTable{.name = "events",
                                         .about = "A bounded sample of what happened; dropped ones are counted in drops."};
    int lane = 0;
    EventKind kind = EventKind::Apply;
    std::int64_t startNs = 0;
    std::int64_t durationNs = 0;
    FunctionId function = kNoFunction;
    std::int64_t call = -1;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    std::int64_t correlation = 0;
    std::int64_t bytes = 0;
    std::string name; // empty: the apply or the function names it

    static void describe(auto &row, auto &&visit)
    {
        visit("lane", row.lane);
        visit("kind", row.kind);
        visit("start_ns", row.startNs);
        visit("duration_ns", row.durationNs);
        visit("function", orNull(row.function));
        visit("call", orNull(row.call), "number of the call");
        visit("graph", orNull(row.graph));
        visit("apply", orNull(row.apply));
        visit("correlation", unlessEmpty(row.correlation), "joins a launch with its work on the device");
        visit("bytes", unlessEmpty(row.bytes));
        visit("name", unlessEmpty(row.name),
              "on the lane \"garbage collection\": \"generation 2\" (of Python's objects), \"given back\" (memory of a call)");
    }
};

struct Transfer {
    static constexpr SessionTable kTable{.name = "transfers", .about = "Bytes moved, summed per apply and direction.", .hasIndex = true};
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    std::string direction;
    std::string device;
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    std::int64_t totalNs = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", primary(row.function));
        visit("graph", primary(row.graph));
        visit("apply", primary(row.apply));
        visit("direction", primary(row.direction), "HtoD, DtoH, DtoD");
        visit("device", primary(row.device));
        visit("count", row.count);
        visit("bytes", row.bytes);
        visit("total_ns", row.totalNs);
    }
};

struct DeviceKernel {
    static constexpr SessionTable kTable{.name = "device_kernels",
                                         .about = "Kernels that ran on a device, summed per apply and kernel; single launches are events.",
                                         .hasIndex = true};
    std::string device;
    std::string symbol;
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    std::int64_t launches = 0;
    std::int64_t totalNs = 0;
    std::int64_t minNs = 0;
    std::int64_t maxNs = 0;
    std::string grid;
    std::string block;
    int registers = -1;
    std::int64_t sharedBytes = -1;
    double occupancy = -1;
    std::int64_t bytes = -1;

    static void describe(auto &row, auto &&visit)
    {
        visit("device", primary(row.device));
        visit("symbol", primary(row.symbol));
        visit("function", primary(row.function));
        visit("graph", primary(row.graph));
        visit("apply", primary(row.apply));
        visit("launches", row.launches);
        visit("total_ns", row.totalNs, "device clock");
        visit("min_ns", row.minNs);
        visit("max_ns", row.maxNs);
        visit("grid", row.grid, "blocks of the last launch: (450, 1, 1)");
        visit("block", row.block, "threads of a block: (512, 1, 1)");
        visit("registers", row.registers, "per thread, -1 = unknown");
        visit("shared_bytes", row.sharedBytes, "per block, -1 = unknown");
        visit("occupancy", row.occupancy, "0 to 1, -1 = unknown");
        visit("bytes", row.bytes, "read and written by all launches, by the cost model; -1 = unknown");
    }
};

struct DeviceWork {
    static constexpr SessionTable kTable{.name = "device_work", .about = "What a device's driver told beside the work of applies, summed."};
    std::string device;
    std::string what;
    std::int64_t count = 0;
    std::int64_t totalNs = 0;
    std::int64_t bytes = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("device", primary(row.device));
        visit("what", primary(row.what),
              "taken (memory of the driver's), given back, wait (of the host), overhead (that watching took), kernel of "
              "the script (started by itself, outside of functions)");
        visit("count", row.count);
        visit("total_ns", row.totalNs);
        visit("bytes", row.bytes);
    }
};

struct HostUse {
    static constexpr SessionTable kTable{
        .name = "host_uses", .about = "What the script did around its functions and with shared variables. Written at the end of the run."};
    FunctionId function = kNoFunction;
    std::string what;
    std::string name;
    int position = -1;
    SourceLine source; // where the script did it
    std::int64_t count = 0;
    std::int64_t outOf = 0;
    std::int64_t totalNs = 0;
    std::int64_t bytes = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", orNull(row.function), "functions.id, NULL = of a shared variable");
        visit("what", row.what,
              "call (from that line), converted (an input was no array of its type), unchanged (an input was the same "
              "in all calls), fed back (an input was what the call before returned), unused (an output that the line "
              "does not keep), get and set (of a shared variable's value), put back (what is set is what this function "
              "returned)");
        visit("name", inLine(row.name), "of a shared variable");
        visit("position", row.position, "of the input or the output, -1 = none");
        visit("file", row.source.file, "where the script did it");
        visit("line", row.source.line);
        visit("count", row.count, "how often");
        visit("out_of", row.outOf, "calls that were looked at: the first, then ever more rarely");
        visit("total_ns", row.totalNs);
        visit("bytes", row.bytes, "of one value");
    }
};

struct MemoryEvent {
    static constexpr SessionTable kTable{.name = "memory_events", .about = "Allocations as the allocator saw them (bounded sample)."};
    std::int64_t timeNs = 0;
    std::string device;
    std::int64_t deltaBytes = 0; // > 0 allocated, < 0 freed
    std::int64_t liveBytes = 0;  // after it, by the allocator
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;

    static void describe(auto &row, auto &&visit)
    {
        visit("time_ns", row.timeNs);
        visit("device", row.device);
        visit("delta_bytes", row.deltaBytes, "negative: freed");
        visit("live_bytes", row.liveBytes, "after it");
        visit("function", orNull(row.function));
        visit("graph", orNull(row.graph));
        visit("apply", orNull(row.apply));
    }
};

enum class BufferKind : std::uint8_t { Created, View, Inplace, Input, Shared, Constant };

// What is known better with each run.
struct PlanUse {
    static constexpr const char *kTable = "plans";
    std::int64_t measuredPeakBytes = -1;
    std::int64_t uses = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("measured_peak_bytes", orNull(row.measuredPeakBytes));
        visit("uses", row.uses);
    }
};

struct PlanInfo : PlanUse {
    static constexpr SessionTable kTable{
        .name = "plans",
        .about = "Plans: one per set of shapes that a function met. Graphs inside of its applies (OpFromGraph) have none here."};
    FunctionId function = kNoFunction;
    int plan = 0;
    std::string key; // shapes, dtypes and strides it was made for, as text
    std::int64_t arenaBytes = 0;
    std::int64_t peakBytes = 0; // with the current setting
    std::int64_t peakNoInplaceBytes = 0;
    std::int64_t peakNoGcBytes = 0;
    std::int64_t noReuseBytes = 0; // every output in a buffer of its own
    std::int64_t workBytes = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", primary(row.function));
        visit("plan", primary(row.plan));
        visit("key", row.key);
        visit("arena_bytes", row.arenaBytes);
        visit("peak_bytes", row.peakBytes);
        visit("peak_no_inplace_bytes", row.peakNoInplaceBytes);
        visit("peak_no_gc_bytes", row.peakNoGcBytes);
        visit("no_reuse_bytes", row.noReuseBytes);
        visit("work_bytes", row.workBytes, "what applies hold beside their outputs: for themselves, for the graphs inside of them");
        PlanUse::describe(row, visit);
    }
};

struct BufferRow {
    static constexpr SessionTable kTable{
        .name = "buffer_pages", .about = "Where each variable of a plan lies and how long it lives.", .view = "buffers"};
    static constexpr std::array kKey{"function", "plan", "graph"};
    FunctionId function = kNoFunction;
    int plan = 0;
    GraphId graph = kNoGraph;
    VariableId variable = kNoVariable;
    ApplyId apply = kNoApply; // the producer; kNoApply for inputs and constants
    int port = 0;
    int buffer = 0; // variables that share memory have the same number
    std::int64_t offset = -1;
    std::int64_t bytes = 0;
    std::string device;
    BufferKind kind = BufferKind::Created;
    VariableId of = kNoVariable;
    int from = 0;
    int to = 0; // last position that reads it; what is returned lives to the end
    std::string shape;
    std::string strides;

    static auto key(auto &row) { return std::tie(row.function, row.plan, row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("variable", row.variable);
        visit("apply", row.apply, "producer, NULL = input or constant");
        visit("port", row.port);
        visit("buffer", row.buffer, "the same number = the same memory");
        visit("offset", orNull(row.offset), "in the arena, NULL = outside");
        visit("bytes", row.bytes);
        visit("device", row.device);
        visit("kind", row.kind);
        visit("of", row.of, "variable that it views or overwrites");
        visit("from_position", row.from);
        visit("to_position", row.to, "last reader");
        visit("shape", row.shape);
        visit("strides", row.strides);
    }
};

struct PlanItem {
    static constexpr SessionTable kTable{.name = "plan_item_pages", .about = "Execution order of a plan.", .view = "plan_items"};
    static constexpr std::array kKey{"function", "plan", "graph"};
    FunctionId function = kNoFunction;
    int plan = 0;
    int position = 0;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    int group = -1;
    std::string runs;
    std::int64_t prepareNs = -1;

    static auto key(auto &row) { return std::tie(row.function, row.plan, row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("position", row.position);
        visit("apply", row.apply);
        visit("grp", row.group, "applies with the same number run as one kernel, -1 = alone");
        visit("runs", row.runs, "interpreter, kernel, library, view, python");
        visit("prepare_ns", orNull(row.prepareNs), "making its thunk");
    }
};

struct Kernel {
    static constexpr SessionTable kTable{
        .name = "kernels", .about = "Generated sources. What does the work of several applies stands at each of them.", .hasIndex = true};
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    std::string language;
    std::string symbol;
    std::string source;
    std::string flags;
    std::string cacheKey;
    bool fromCache = false;
    std::int64_t compileNs = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", primary(row.function));
        visit("graph", primary(row.graph));
        visit("apply", primary(row.apply));
        visit("language", primary(row.language), "C, CUDA C, OpenCL C");
        visit("symbol", primary(row.symbol));
        visit("source", row.source);
        visit("flags", row.flags);
        visit("cache_key", row.cacheKey);
        visit("from_cache", row.fromCache);
        visit("compile_ns", row.compileNs);
    }
};

[[nodiscard]] const char *eventKindName(EventKind kind);
[[nodiscard]] const char *laneKindName(LaneKind kind);

} // namespace profiler
