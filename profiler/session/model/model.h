#pragma once
// Everything that a session holds, as plain structs. The schema (schema.h) has a table for each.

#include "profiler/session/model/model_capture.h"
#include "profiler/session/model/model_job.h"
#include "profiler/session/model/model_rewrite.h"
#include "profiler/session/model/model_run.h"
#include "profiler/session/model/model_trial.h"

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

struct Progress {
    static constexpr SessionTable kTable{
        .name = "progress", .about = "Where the run stands; refreshed with each commit, so that a cut-off session says where it ended."};
    std::string activity;
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    GraphId graph = kNoGraph;
    int step = -1;
    std::int64_t timeNs = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("id", OnlyRow());
        visit("activity", row.activity, "compiling, running, script");
        visit("function", orNull(row.function), "functions.id or NULL");
        visit("call", row.call, "number of the last call known");
        visit("graph", orNull(row.graph), "graphs.id being compiled or NULL");
        visit("step", row.step, "last step known, -1 = none");
        visit("time_ns", row.timeNs, "when this was true");
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

struct MetaValue {
    static constexpr SessionTable kTable{.name = "meta", .about = "One row per fact about the session itself."};
    std::string key;
    std::string value;

    static void describe(auto &row, auto &&visit)
    {
        visit("key", primary(row.key),
              "schema, state (running, finished), created_unix_ms, croton, label, command, directory, rank, ranks (of "
              "the job), pid, pid_start, boot, host, file_number (inode), duration_ns, exit_status, end_reason, "
              "grad_ns, collection_ns (in Python's garbage collector), collections (how often it ran), recording_ns "
              "(what recording cost, as calibrated), simulated (devices that are none: names)");
        visit("value", row.value, "as text");
    }
};

struct NumberedText {
    static constexpr SessionTable kTable{.name = "strings",
                                         .about = "Texts that other tables and blobs name by number; 0 is the empty string."};
    StringId id = kEmptyString;
    std::string text;

    static void describe(auto &row, auto &&visit)
    {
        visit("id", primary(row.id));
        visit("text", inLine(row.text));
    }
};

struct ScriptInfo {
    static constexpr SessionTable kTable{.name = "script", .about = "The script that ran."};
    std::string path;
    std::string text;
    std::vector<std::string> arguments;

    static void describe(auto &row, auto &&visit)
    {
        visit("id", OnlyRow());
        visit("path", row.path);
        visit("text", row.text);
        visit("arguments", row.arguments, "JSON array of strings");
    }
};

struct SourceFile {
    static constexpr SessionTable kTable{.name = "sources", .about = "Text of every source file that a node points into."};
    std::string file;
    std::string text;

    static void describe(auto &row, auto &&visit)
    {
        visit("file", primary(row.file));
        visit("text", row.text);
    }
};

struct Flag {
    static constexpr SessionTable kTable{.name = "flags", .about = "Configuration as in force."};
    std::string name;
    std::string value;
    std::string origin;

    static void describe(auto &row, auto &&visit)
    {
        visit("name", primary(row.name), "floatX, mode, optimizer_excluding ...");
        visit("value", row.value);
        visit("origin", row.origin, "default, THEANO_FLAGS, CROTON_FLAGS, .theanorc, script, command line");
    }
};

// Of two tables: environment and machine.
struct NameValue {
    std::string name;
    std::string value;

    static void describe(auto &row, auto &&visit)
    {
        visit("name", primary(row.name));
        visit("value", row.value);
    }
};

struct Roof {
    static constexpr SessionTable kTable{.name = "roofs", .about = "Measured ceilings of the machine."};
    std::string device;
    std::string name;
    double value = 0;
    std::string unit;

    static void describe(auto &row, auto &&visit)
    {
        visit("device", primary(row.device), "devices.name");
        visit("name", primary(row.name), "flops.float32, bandwidth.memory, bandwidth.HtoD, launch ...");
        visit("value", row.value);
        visit("unit", row.unit, "flop/s, B/s, ns");
    }
};

struct DeviceInfo {
    static constexpr SessionTable kTable{.name = "devices", .about = "Devices that were looked for, also absent ones."};
    std::string name;
    std::string description;
    bool available = false;
    std::string reason;
    std::int64_t memoryBytes = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("name", primary(row.name), "cpu, cuda0, opencl0:0");
        visit("description", row.description);
        visit("available", row.available, "0 or 1");
        visit("reason", row.reason, "why it is not available");
        visit("memory_bytes", row.memoryBytes);
    }
};

struct Clock {
    static constexpr SessionTable kTable{.name = "clocks", .about = "Clocks and what measuring costs."};
    std::string name;
    std::string description;
    double resolutionNs = 0;
    double offsetNs = 0;
    double overheadNs = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("name", primary(row.name), "host (one apply), call (one call), or a device");
        visit("description", row.description);
        visit("resolution_ns", row.resolutionNs);
        visit("offset_ns", row.offsetNs, "added to its readings to reach the host clock");
        visit("overhead_ns", row.overheadNs, "cost of one measurement, as calibrated");
    }
};

struct OutputText {
    static constexpr SessionTable kTable{.name = "outputs", .about = "What the script wrote."};
    std::int64_t timeNs = 0;
    int stream = 1;
    std::string text;

    static void describe(auto &row, auto &&visit)
    {
        visit("time_ns", row.timeNs);
        visit("stream", row.stream, "1 stdout, 2 stderr");
        visit("text", row.text);
    }
};

enum class Severity : std::uint8_t { Info, Warning, Error };

struct Message {
    static constexpr SessionTable kTable{.name = "messages", .about = "What Croton had to say."};
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
        visit("function", orNull(row.function));
        visit("graph", orNull(row.graph));
        visit("apply", orNull(row.apply));
    }
};

struct Check {
    static constexpr SessionTable kTable{.name = "checks", .about = "Comparisons of DebugMode and NanGuardMode."};
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    int step = -1;
    std::string kind;
    bool passed = false;
    std::string text;
    double maxAbsolute = 0;
    double maxRelative = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", orNull(row.function));
        visit("graph", orNull(row.graph));
        visit("apply", orNull(row.apply));
        visit("step", row.step);
        visit("kind", row.kind, "value, destroy map, view map, shape, nan, order");
        visit("passed", row.passed);
        visit("text", row.text);
        visit("max_absolute", row.maxAbsolute, "largest difference of a value from what was wanted");
        visit("max_relative", row.maxRelative);
    }
};

inline constexpr const char *kSlowDisk = "the disk did not keep up"; // a reason of a Drop

struct Drop {
    static constexpr SessionTable kTable{.name = "drops", .about = "What was left out to stay within the size limits."};
    std::string what;
    std::int64_t count = 0;
    std::string reason;

    static void describe(auto &row, auto &&visit)
    {
        visit("what", primary(row.what), "events, memory events, outputs ...");
        visit("count", row.count);
        visit("reason", row.reason);
    }
};

[[nodiscard]] const char *severityName(Severity severity);
[[nodiscard]] const char *stateName(SessionState state);

} // namespace profiler
