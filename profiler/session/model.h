#pragma once
// Everything that a session holds, as plain structs. The schema (schema.sql) has a table for each.

#include "profiler/session/model_graph.h"
#include "profiler/session/model_run.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace profiler {

// A file that cannot be read or written: one sentence, and what to do about it.
class SessionError : public std::runtime_error {
public:
    explicit SessionError(const std::string &message, std::string hint = {}) : std::runtime_error(message), m_hint(std::move(hint)) {}
    [[nodiscard]] const std::string &hint() const { return m_hint; }

private:
    std::string m_hint;
};

enum class SessionState : std::uint8_t { Running, Finished, CutOff };

// Where the run stands, or stood when it was cut off.
struct Progress {
    std::string activity; // "compiling", "running", "script"
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    GraphId graph = kNoGraph;
    int step = -1;
    std::int64_t timeNs = 0;
};

struct SessionInfo {
    std::string path;
    int schemaMajor = 0;
    int schemaMinor = 0;
    std::string crotonVersion;
    std::string label;
    std::string command;   // the exact command line
    std::string directory; // in which it was given: paths of scripts are relative to it
    std::int64_t createdUnixMs = 0;
    std::int64_t durationNs = 0; // start to end, or to the last sign of life
    SessionState state = SessionState::Running;
    std::string cutOffReason; // one sentence: where it was cut off
    bool lacksWal = false;    // a copy of a session that was being written, without what lay beside it
    int exitStatus = 0;
    Progress progress;
    std::int64_t gradNs = 0;      // time in all calls of grad
    std::int64_t recordingNs = 0; // what recording cost, as calibrated
};

struct ScriptInfo {
    std::string path;
    std::string text;
    std::vector<std::string> arguments;
};

struct SourceFile {
    std::string file;
    std::string text;
};

struct Flag {
    std::string name; // "floatX"
    std::string value;
    std::string origin; // "default", "THEANO_FLAGS", ".theanorc", "script"
};

struct NameValue {
    std::string name;
    std::string value;
};

// A machine roof: "flops.float32", "bandwidth.memory", with its unit.
struct Roof {
    std::string device;
    std::string name;
    double value = 0;
    std::string unit;
};

struct DeviceInfo {
    std::string name; // "cpu", "cuda0", "opencl0:0"
    std::string description;
    bool available = false;
    std::string reason; // why not
    std::int64_t memoryBytes = 0;
};

// What a clock is worth: its own resolution, and what one measurement with it costs.
struct Clock {
    std::string name; // "host" (one apply), "call" (one call), or a device
    std::string description;
    double resolutionNs = 0;
    double offsetNs = 0; // added to its readings to reach the host clock
    double overheadNs = 0;
};

struct OutputText {
    std::int64_t timeNs = 0;
    int stream = 1; // 1 stdout, 2 stderr
    std::string text;
};

enum class Severity : std::uint8_t { Info, Warning, Error };

struct Message {
    std::int64_t timeNs = 0;
    Severity severity = Severity::Info;
    std::string text;
    std::string hint;
    std::string detail; // long text, shown on demand
    SourceLine source;
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
};

// A comparison that DebugMode or NanGuardMode made.
struct Check {
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    int step = -1;
    std::string kind; // "value", "destroy map", "view map", "shape", "nan"
    bool passed = false;
    std::string text;
    double maxAbsolute = 0;
    double maxRelative = 0;
};

inline constexpr const char *kSlowDisk = "the disk did not keep up"; // a reason of a Drop

// What was left out because it would have grown too large, or because of the disk.
struct Drop {
    std::string what;
    std::int64_t count = 0;
    std::string reason;
};

[[nodiscard]] const char *severityName(Severity severity);
[[nodiscard]] const char *stateName(SessionState state);

} // namespace profiler
