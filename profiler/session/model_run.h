#pragma once
// What ran: functions, statistics per apply, events, plans, memory. All times are nanoseconds; points
// in time count from the start of the session on its monotonic host clock.

#include "profiler/session/histogram.h"
#include "profiler/session/model_graph.h"

#include <optional>
#include <string>
#include <vector>

namespace profiler {

struct FunctionInput {
    VariableId variable = kNoVariable;
    std::string name;
    std::string type;
    VariableKind kind = VariableKind::Input; // Input or Shared
};

// Output `output` of the graph becomes the new value of `variable`.
struct FunctionUpdate {
    VariableId variable = kNoVariable;
    int output = 0;
    std::string name;
};

struct FunctionTimes { // of compiling
    std::int64_t totalNs = 0;
    std::int64_t graphNs = 0; // cloning, givens, updates
    std::int64_t optimizerNs = 0;
    std::int64_t validateNs = 0; // part of optimizer
    std::int64_t linkerNs = 0;   // code generation, compilers, thunks
    std::int64_t importNs = 0;
    std::int64_t makeThunkNs = 0; // part of linker
};

struct FunctionCalls {
    std::int64_t calls = 0;
    std::int64_t totalNs = 0; // Function.__call__
    std::int64_t vmNs = 0;    // Function.fn.__call__
    std::int64_t thunkNs = 0; // sum over applies
    std::int64_t firstCallNs = 0;
    std::int64_t lastCallNs = 0;
    std::int64_t warmupCalls = 0; // before the last change of tier
};

struct FunctionInfo {
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
    FunctionTimes compile;
    FunctionCalls run;
    std::vector<FunctionInput> inputs;
    std::vector<FunctionUpdate> updates;
    std::string message; // of profile='message'
    std::string state;   // "compiling", "ready", "running", "failed"
};

// Keyed by tier and by warm-up or steady state; sums over the keys are the whole.
struct ApplyStats {
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
};

enum class LaneKind : std::uint8_t { Host, Stream, Copy, Compiler };

struct Lane {
    int id = 0;
    LaneKind kind = LaneKind::Host;
    std::string device;
    std::string name;
};

enum class EventKind : std::uint8_t { Call, Apply, Kernel, Copy, Compile, Pass, Wait, Range };

// Lanes of the second run of a session are numbered from here, those of the third from twice this …
inline constexpr int kLanesPerRun = 1000;

// A bounded sample of what happened; what did not fit is counted in Drop.
struct Event {
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
};

struct Transfer { // aggregate per apply and direction
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    std::string direction; // "HtoD", "DtoH", "DtoD"
    std::string device;
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    std::int64_t totalNs = 0;
};

// A kernel on a device, summed over its launches; the single ones are events of kind Kernel.
struct DeviceKernel {
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
};

struct MemoryEvent {
    std::int64_t timeNs = 0;
    std::string device;
    std::int64_t deltaBytes = 0; // > 0 allocated, < 0 freed
    std::int64_t liveBytes = 0;  // after it, by the allocator
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
};

enum class BufferKind : std::uint8_t { Created, View, Inplace, Input, Shared, Constant };

struct PlanInfo {
    FunctionId function = kNoFunction;
    int plan = 0;
    std::string key; // shapes, dtypes and strides it was made for, as text
    std::int64_t arenaBytes = 0;
    std::int64_t peakBytes = 0; // with the current setting
    std::int64_t peakNoInplaceBytes = 0;
    std::int64_t peakNoGcBytes = 0;
    std::int64_t noReuseBytes = 0; // every output in a buffer of its own
    std::int64_t measuredPeakBytes = -1;
    std::int64_t uses = 0;
};

// One variable in a plan: where it lies and from which position of the order to which it lives.
struct BufferRow {
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
};

// The order in which a plan runs; applies with the same group run as one kernel.
struct PlanItem {
    FunctionId function = kNoFunction;
    int plan = 0;
    int position = 0;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    int group = -1;
    std::string runs;            // "interpreter", "kernel", "library", "view", "python"
    std::int64_t prepareNs = -1; // making its thunk
};

struct Kernel {
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
};

[[nodiscard]] const char *eventKindName(EventKind kind);
[[nodiscard]] const char *laneKindName(LaneKind kind);
[[nodiscard]] const char *bufferKindName(BufferKind kind);

} // namespace profiler
