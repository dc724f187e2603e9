#pragma once
// What ran: functions, statistics per apply, events, plans, memory. All times are nanoseconds; points
// in time count from the start of the session on its monotonic host clock.

#include "profiler/session/column.h"
#include "profiler/session/histogram.h"
#include "profiler/session/model_edits.h"

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace profiler {

struct FunctionInput {
    static constexpr const char *kTable = "function_inputs";
    VariableId variable = kNoVariable;
    std::string name;
    std::string type;
    VariableKind kind = VariableKind::Input; // Input or Shared
    FunctionId function = kNoFunction;       // the writer sets it, and the position
    int position = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("position", row.position);
        visit("variable", row.variable);
        visit("name", inLine(row.name));
        visit("type", row.type);
        visit("kind", row.kind);
    }
};

// Output `output` of the graph becomes the new value of `variable`.
struct FunctionUpdate {
    static constexpr const char *kTable = "updates";
    VariableId variable = kNoVariable;
    int output = 0;
    std::string name;
    FunctionId function = kNoFunction; // the writer sets it

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("variable", row.variable);
        visit("output", row.output);
        visit("name", inLine(row.name));
    }
};

struct FunctionTimes { // of compiling
    std::int64_t totalNs = 0;
    std::int64_t graphNs = 0; // cloning, givens, updates
    std::int64_t optimizerNs = 0;
    std::int64_t validateNs = 0; // part of optimizer
    std::int64_t linkerNs = 0;   // stages, graphs inside of applies, checks
    std::int64_t importNs = 0;
    std::int64_t makeThunkNs = 0; // of the first plan: in the first call, no part of compiling

    static void describe(auto &row, auto &&visit)
    {
        visit("compile_ns", row.totalNs);
        visit("graph_ns", row.graphNs);
        visit("optimizer_ns", row.optimizerNs);
        visit("validate_ns", row.validateNs);
        visit("linker_ns", row.linkerNs);
        visit("import_ns", row.importNs);
        visit("make_thunk_ns", row.makeThunkNs);
    }
};

struct FunctionCalls {
    static constexpr const char *kTable = "functions";
    std::int64_t calls = 0;
    std::int64_t totalNs = 0; // Function.__call__
    std::int64_t vmNs = 0;    // Function.fn.__call__
    std::int64_t thunkNs = 0; // sum over applies
    std::int64_t firstCallNs = 0;
    std::int64_t lastCallNs = 0;
    std::int64_t warmupCalls = 0; // before the last change of tier

    static void describe(auto &row, auto &&visit)
    {
        visit("calls", row.calls);
        visit("call_ns", row.totalNs);
        visit("vm_ns", row.vmNs);
        visit("thunk_ns", row.thunkNs);
        visit("first_call_ns", row.firstCallNs);
        visit("last_call_ns", row.lastCallNs);
        visit("warmup_calls", row.warmupCalls);
    }
};

struct FunctionInfo {
    static constexpr const char *kTable = "functions";
    FunctionId id = kNoFunction;
    std::string name;
    SourceLine location;
    std::string mode;   // "FAST_RUN"
    std::string linker; // "cvm"
    std::string device;
    GraphId graph = kNoGraph;
    std::int64_t createdNs = 0;
    int appliesOriginal = 0;
    int appliesOptimized = 0;
    int stepCount = 0;
    int stages = 1; // stretches that run by a plan each: more where sizes are known only as it runs
    FunctionTimes compile;
    FunctionCalls run;
    std::vector<FunctionInput> inputs;
    std::vector<FunctionUpdate> updates;
    std::string message; // of profile='message'
    std::string state;   // "compiling", "ready", "running", "failed"

    static void describe(auto &row, auto &&visit)
    {
        visit("id", row.id);
        visit("name", inLine(row.name));
        visit("file", row.location.file);
        visit("line", row.location.line);
        visit("mode", row.mode);
        visit("linker", row.linker);
        visit("device", row.device);
        visit("graph", row.graph);
        visit("state", row.state);
        visit("created_ns", row.createdNs);
        visit("applies_original", row.appliesOriginal);
        visit("applies_optimized", row.appliesOptimized);
        visit("step_count", row.stepCount);
        FunctionTimes::describe(row.compile, visit);
        FunctionCalls::describe(row.run, visit);
        visit("message", unlessEmpty(row.message));
        visit("stages", row.stages);
    }
};

// Keyed by tier and by warm-up or steady state; sums over the keys are the whole.
struct ApplyStats {
    static constexpr const char *kTable = "stat_pages";
    static constexpr std::array kKey{"function", "graph"};
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    std::string tier = "interpreter"; // "compiled", "library"
    bool steady = true;
    std::int64_t calls = 0;
    std::int64_t totalNs = 0; // host clock
    std::int64_t minNs = 0;
    std::int64_t maxNs = 0;
    double sumSquares = 0; // of nanoseconds
    std::optional<std::int64_t> deviceNs;
    std::optional<std::int64_t> blockingNs; // host clock under CUDA_LAUNCH_BLOCKING=1
    Histogram histogram;

    static auto key(auto &row) { return std::tie(row.function, row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("apply", row.apply);
        visit("tier", row.tier);
        visit("steady", row.steady);
        visit("calls", row.calls);
        visit("total_ns", row.totalNs);
        visit("min_ns", row.minNs);
        visit("max_ns", row.maxNs);
        visit("sum_squares", row.sumSquares);
        visit("device_ns", row.deviceNs);
        visit("blocking_ns", row.blockingNs);
        visit("histogram", row.histogram);
    }
};

enum class LaneKind : std::uint8_t { Host, Stream, Copy, Compiler };

struct Lane {
    static constexpr const char *kTable = "lanes";
    int id = 0;
    LaneKind kind = LaneKind::Host;
    std::string device;
    std::string name;

    static void describe(auto &row, auto &&visit)
    {
        visit("id", row.id);
        visit("kind", row.kind);
        visit("device", row.device);
        visit("name", row.name);
    }
};

enum class EventKind : std::uint8_t { Call, Apply, Kernel, Copy, Compile, Pass, Wait, Range };

// Lanes of the second run of a session are numbered from here, those of the third from twice this …
inline constexpr int kLanesPerRun = 1000;

// A bounded sample of what happened; what did not fit is counted in Drop.
struct Event {
    static constexpr const char *kTable = "events";
    int lane = 0;
    EventKind kind = EventKind::Apply;
    std::int64_t startNs = 0;
    std::int64_t durationNs = 0;
    FunctionId function = kNoFunction;
    std::int64_t call = -1; // number of the call of the function
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    std::int64_t correlation = 0; // launch and device work share it; 0 = none
    std::int64_t bytes = 0;
    std::string name; // empty: the apply or the function names it

    static void describe(auto &row, auto &&visit)
    {
        visit("lane", row.lane);
        visit("kind", row.kind);
        visit("start_ns", row.startNs);
        visit("duration_ns", row.durationNs);
        visit("function", row.function);
        visit("call", orNull(row.call));
        visit("graph", row.graph);
        visit("apply", row.apply);
        visit("correlation", unlessEmpty(row.correlation));
        visit("bytes", unlessEmpty(row.bytes));
        visit("name", unlessEmpty(row.name));
    }
};

// Summed per apply and direction.
struct Transfer {
    static constexpr const char *kTable = "transfers";
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    std::string direction; // "HtoD", "DtoH", "DtoD"
    std::string device;
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    std::int64_t totalNs = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("graph", row.graph);
        visit("apply", row.apply);
        visit("direction", row.direction);
        visit("device", row.device);
        visit("count", row.count);
        visit("bytes", row.bytes);
        visit("total_ns", row.totalNs);
    }
};

// A kernel on a device, summed over its launches; the single ones are events of kind Kernel.
struct DeviceKernel {
    static constexpr const char *kTable = "device_kernels";
    std::string device;
    std::string symbol;
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    std::int64_t launches = 0;
    std::int64_t totalNs = 0; // device clock
    std::int64_t minNs = 0;
    std::int64_t maxNs = 0;
    std::string grid;  // "(450, 1, 1)"
    std::string block; // "(512, 1, 1)"
    int registers = -1;
    std::int64_t sharedBytes = -1;
    double occupancy = -1;
    std::int64_t bytes = -1; // read and written, by the cost model

    static void describe(auto &row, auto &&visit)
    {
        visit("device", row.device);
        visit("symbol", row.symbol);
        visit("function", row.function);
        visit("graph", row.graph);
        visit("apply", row.apply);
        visit("launches", row.launches);
        visit("total_ns", row.totalNs);
        visit("min_ns", row.minNs);
        visit("max_ns", row.maxNs);
        visit("grid", row.grid);
        visit("block", row.block);
        visit("registers", row.registers);
        visit("shared_bytes", row.sharedBytes);
        visit("occupancy", row.occupancy);
        visit("bytes", row.bytes);
    }
};

// What a device's driver tells beside work: summed.
struct DeviceWork {
    static constexpr const char *kTable = "device_work";
    std::string device;
    std::string what; // "taken", "given back", "wait", "overhead"
    std::int64_t count = 0;
    std::int64_t totalNs = 0;
    std::int64_t bytes = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("device", row.device);
        visit("what", row.what);
        visit("count", row.count);
        visit("total_ns", row.totalNs);
        visit("bytes", row.bytes);
    }
};

// What the script did around functions and with shared variables, which Python alone sees. Of calls only some were looked at.
struct HostUse {
    static constexpr const char *kTable = "host_uses";
    FunctionId function = kNoFunction;
    std::string what;  // "call", "converted", "unchanged", "fed back", "unused", "get", "set"
    std::string name;  // of a shared variable
    int position = -1; // of the input, or of the output
    SourceLine source; // where the script did it
    std::int64_t count = 0;
    std::int64_t outOf = 0; // calls that were looked at
    std::int64_t totalNs = 0;
    std::int64_t bytes = 0; // of one value

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("what", row.what);
        visit("name", inLine(row.name));
        visit("position", row.position);
        visit("file", row.source.file);
        visit("line", row.source.line);
        visit("count", row.count);
        visit("out_of", row.outOf);
        visit("total_ns", row.totalNs);
        visit("bytes", row.bytes);
    }
};

struct MemoryEvent {
    static constexpr const char *kTable = "memory_events";
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
        visit("delta_bytes", row.deltaBytes);
        visit("live_bytes", row.liveBytes);
        visit("function", row.function);
        visit("graph", row.graph);
        visit("apply", row.apply);
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
    static constexpr const char *kTable = "plans";
    FunctionId function = kNoFunction;
    int plan = 0;
    std::string key; // shapes, dtypes and strides it was made for, as text
    std::int64_t arenaBytes = 0;
    std::int64_t peakBytes = 0; // with the current setting
    std::int64_t peakNoInplaceBytes = 0;
    std::int64_t peakNoGcBytes = 0;
    std::int64_t noReuseBytes = 0; // every output in a buffer of its own
    std::int64_t workBytes = 0;    // what applies hold beside their outputs

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("plan", row.plan);
        visit("key", row.key);
        visit("arena_bytes", row.arenaBytes);
        visit("peak_bytes", row.peakBytes);
        visit("peak_no_inplace_bytes", row.peakNoInplaceBytes);
        visit("peak_no_gc_bytes", row.peakNoGcBytes);
        visit("no_reuse_bytes", row.noReuseBytes);
        visit("work_bytes", row.workBytes);
        PlanUse::describe(row, visit);
    }
};

// One variable in a plan: where it lies and from which position of the order to which it lives.
struct BufferRow {
    static constexpr const char *kTable = "buffer_pages";
    static constexpr std::array kKey{"function", "plan", "graph"};
    FunctionId function = kNoFunction;
    int plan = 0;
    GraphId graph = kNoGraph;
    VariableId variable = kNoVariable;
    ApplyId apply = kNoApply; // the producer; kNoApply for inputs and constants
    int port = 0;
    int buffer = 0;           // variables that share memory have the same number
    std::int64_t offset = -1; // in the arena; -1 = outside
    std::int64_t bytes = 0;
    std::string device;
    BufferKind kind = BufferKind::Created;
    VariableId of = kNoVariable; // what it views or overwrites
    int from = 0;
    int to = 0; // last position that reads it; what is returned lives to the end
    std::string shape;
    std::string strides;

    static auto key(auto &row) { return std::tie(row.function, row.plan, row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("variable", row.variable);
        visit("apply", row.apply);
        visit("port", row.port);
        visit("buffer", row.buffer);
        visit("offset", orNull(row.offset));
        visit("bytes", row.bytes);
        visit("device", row.device);
        visit("kind", row.kind);
        visit("of", row.of);
        visit("from_position", row.from);
        visit("to_position", row.to);
        visit("shape", row.shape);
        visit("strides", row.strides);
    }
};

// The order in which a plan runs; applies with the same group run as one kernel.
struct PlanItem {
    static constexpr const char *kTable = "plan_item_pages";
    static constexpr std::array kKey{"function", "plan", "graph"};
    FunctionId function = kNoFunction;
    int plan = 0;
    int position = 0;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    int group = -1;
    std::string runs;            // "interpreter", "kernel", "library", "view", "python"
    std::int64_t prepareNs = -1; // making its thunk

    static auto key(auto &row) { return std::tie(row.function, row.plan, row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("position", row.position);
        visit("apply", row.apply);
        visit("grp", row.group);
        visit("runs", row.runs);
        visit("prepare_ns", orNull(row.prepareNs));
    }
};

struct Kernel {
    static constexpr const char *kTable = "kernels";
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    std::string language; // "C", "CUDA C", "OpenCL C"
    std::string symbol;
    std::string source;
    std::string flags;
    std::string cacheKey;
    bool fromCache = false;
    std::int64_t compileNs = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("graph", row.graph);
        visit("apply", row.apply);
        visit("language", row.language);
        visit("symbol", row.symbol);
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
