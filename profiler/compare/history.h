#pragma once
// The sessions of one script over time: what each of its functions took, and since when its graph is another.

#include "profiler/compare/graph_changes.h"
#include "profiler/stats/times/profile_data.h"

#include <functional>
#include <string>
#include <vector>

namespace profiler {

// What one look at a session finds: enough to tell whose script it is.
struct SessionGlance {
    std::string path;
    std::string problem;          // why it cannot be read; the rest is empty then
    std::string script;           // absolute, where the session says where it ran
    std::uint64_t scriptText = 0; // fingerprints; 0: none
    std::uint64_t signature = 0;
    std::int64_t createdUnixMs = 0;
};

[[nodiscard]] SessionGlance glanceAt(const std::string &path);
// Indices of sessions that belong together: of one file, of one text, or of functions with the same graphs as written. Each group by time,
// the one with the youngest session first; those that cannot be read belong nowhere.
[[nodiscard]] std::vector<std::vector<std::size_t>> groupByScript(const std::vector<SessionGlance> &glances);

struct HistorySession {
    std::string path;
    std::string label;
    std::int64_t createdUnixMs = 0;
    bool cutOff = false;
    std::vector<GraphChange> changes; // of settings and of the script, since the session before
};

struct HistoryPoint {
    std::size_t session = 0;
    FunctionId function = kNoFunction;
    std::int64_t calls = 0;
    double nsPerCall = -1; // in the steady state where there was one; -1: it was never called
    std::int64_t peakBytes = -1;
    int applies = 0;
    std::int64_t compileNs = 0;
    std::uint64_t written = 0, optimized = 0; // fingerprints of its graphs
    std::vector<GraphChange> changes;         // of its optimized graph, since the point before
    bool writtenAnew = false;                 // the graph as written is another than at the point before
};

struct FunctionHistory {
    std::string name;
    std::vector<HistoryPoint> points; // by time; only sessions that have it
};

struct LeftOut {
    std::string path;
    std::string reason;
};

struct History {
    std::string script;
    std::vector<HistorySession> sessions; // by time
    std::vector<FunctionHistory> functions;
    std::vector<LeftOut> leftOut; // damaged ones
};

// Sessions are read one after the other and only two are held at a time. `goOn` is asked before each, with how many are done; false ends
// it.
using GoOn = std::function<bool(std::size_t)>;
[[nodiscard]] History makeHistory(const std::vector<std::string> &pathsByTime, const GoOn &goOn = {});

} // namespace profiler
