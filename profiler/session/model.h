#pragma once
// Everything that a session holds, as plain structs. The schema (schema.sql) has a table for each.

#include "profiler/session/model_capture.h"
#include "profiler/session/model_job.h"
#include "profiler/session/model_rewrite.h"
#include "profiler/session/model_run.h"
#include "profiler/session/model_trial.h"

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
    static constexpr const char *kTable = "progress";
    std::string activity; // "compiling", "running", "script"
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    GraphId graph = kNoGraph;
    int step = -1;
    std::int64_t timeNs = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("id", OnlyRow());
        visit("activity", row.activity);
        visit("function", row.function);
        visit("call", row.call);
        visit("graph", row.graph);
        visit("step", row.step);
        visit("time_ns", row.timeNs);
    }
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
    std::string simulated;        // names of devices that are none
    std::string host;
    int rank = -1; // in a job of `ranks` processes; -1: it is none of a job
    int ranks = 0;
};

// One fact about the session itself.
struct MetaValue {
    static constexpr const char *kTable = "meta";
    std::string key;
    std::string value;

    static void describe(auto &row, auto &&visit)
    {
        visit("key", row.key);
        visit("value", row.value);
    }
};

// A text that other rows name by number.
struct NumberedText {
    static constexpr const char *kTable = "strings";
    StringId id = kEmptyString;
    std::string text;

    static void describe(auto &row, auto &&visit)
    {
        visit("id", row.id);
        visit("text", inLine(row.text));
    }
};

struct ScriptInfo {
    static constexpr const char *kTable = "script";
    std::string path;
    std::string text;
    std::vector<std::string> arguments;

    static void describe(auto &row, auto &&visit)
    {
        visit("id", OnlyRow());
        visit("path", row.path);
        visit("text", row.text);
        visit("arguments", row.arguments);
    }
};

struct SourceFile {
    static constexpr const char *kTable = "sources";
    std::string file;
    std::string text;

    static void describe(auto &row, auto &&visit)
    {
        visit("file", row.file);
        visit("text", row.text);
    }
};

struct Flag {
    static constexpr const char *kTable = "flags";
    std::string name; // "floatX"
    std::string value;
    std::string origin; // "default", "THEANO_FLAGS", ".theanorc", "script"

    static void describe(auto &row, auto &&visit)
    {
        visit("name", row.name);
        visit("value", row.value);
        visit("origin", row.origin);
    }
};

// Of two tables.
struct NameValue {
    std::string name;
    std::string value;

    static void describe(auto &row, auto &&visit)
    {
        visit("name", row.name);
        visit("value", row.value);
    }
};

// A machine roof: "flops.float32", "bandwidth.memory", with its unit.
struct Roof {
    static constexpr const char *kTable = "roofs";
    std::string device;
    std::string name;
    double value = 0;
    std::string unit;

    static void describe(auto &row, auto &&visit)
    {
        visit("device", row.device);
        visit("name", row.name);
        visit("value", row.value);
        visit("unit", row.unit);
    }
};

struct DeviceInfo {
    static constexpr const char *kTable = "devices";
    std::string name; // "cpu", "cuda0", "opencl0:0"
    std::string description;
    bool available = false;
    std::string reason; // why not
    std::int64_t memoryBytes = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("name", row.name);
        visit("description", row.description);
        visit("available", row.available);
        visit("reason", row.reason);
        visit("memory_bytes", row.memoryBytes);
    }
};

// What a clock is worth: its own resolution, and what one measurement with it costs.
struct Clock {
    static constexpr const char *kTable = "clocks";
    std::string name; // "host" (one apply), "call" (one call), or a device
    std::string description;
    double resolutionNs = 0;
    double offsetNs = 0; // added to its readings to reach the host clock
    double overheadNs = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("name", row.name);
        visit("description", row.description);
        visit("resolution_ns", row.resolutionNs);
        visit("offset_ns", row.offsetNs);
        visit("overhead_ns", row.overheadNs);
    }
};

struct OutputText {
    static constexpr const char *kTable = "outputs";
    std::int64_t timeNs = 0;
    int stream = 1; // 1 stdout, 2 stderr
    std::string text;

    static void describe(auto &row, auto &&visit)
    {
        visit("time_ns", row.timeNs);
        visit("stream", row.stream);
        visit("text", row.text);
    }
};

enum class Severity : std::uint8_t { Info, Warning, Error };

struct Message {
    static constexpr const char *kTable = "messages";
    std::int64_t timeNs = 0;
    Severity severity = Severity::Info;
    std::string text;
    std::string hint;
    std::string detail; // long text, shown on demand
    SourceLine source;
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;

    static void describe(auto &row, auto &&visit)
    {
        visit("time_ns", row.timeNs);
        visit("severity", row.severity);
        visit("text", row.text);
        visit("hint", row.hint);
        visit("detail", row.detail);
        visit("file", row.source.file);
        visit("line", row.source.line);
        visit("function", row.function);
        visit("graph", row.graph);
        visit("apply", row.apply);
    }
};

// A comparison that DebugMode or NanGuardMode made.
struct Check {
    static constexpr const char *kTable = "checks";
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    int step = -1;
    std::string kind; // "value", "destroy map", "view map", "shape", "nan"
    bool passed = false;
    std::string text;
    double maxAbsolute = 0; // largest difference of a value from what was wanted
    double maxRelative = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("graph", row.graph);
        visit("apply", row.apply);
        visit("step", row.step);
        visit("kind", row.kind);
        visit("passed", row.passed);
        visit("text", row.text);
        visit("max_absolute", row.maxAbsolute);
        visit("max_relative", row.maxRelative);
    }
};

inline constexpr const char *kSlowDisk = "the disk did not keep up"; // a reason of a Drop

// What was left out because it would have grown too large, or because of the disk.
struct Drop {
    static constexpr const char *kTable = "drops";
    std::string what;
    std::int64_t count = 0;
    std::string reason;

    static void describe(auto &row, auto &&visit)
    {
        visit("what", row.what);
        visit("count", row.count);
        visit("reason", row.reason);
    }
};

[[nodiscard]] const char *severityName(Severity severity);
[[nodiscard]] const char *stateName(SessionState state);

} // namespace profiler
