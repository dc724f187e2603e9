#pragma once
// Theano's class, op and apply tables, with Theano's arithmetic: a row's percentage is its share of the
// time in thunks, so that all rows sum to 100. Nested graphs (scan bodies) are not counted twice.

#include "profiler/stats/times/profile_data.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace profiler {

struct TableRow {
    std::string name;              // class, op, or apply with its inputs
    OpRole role = OpRole::Unknown; // of its first apply
    double percent = 0;
    double cumulativePercent = 0;
    std::int64_t ns = 0;
    std::int64_t cumulativeNs = 0;
    double nsPerCall = 0;
    std::int64_t calls = 0; // sum over its applies; of a line or a file: how often it ran
    int applies = 0;
    int ops = 0;                       // different ops of a class
    std::string type;                  // "C", "Py", "C Py"
    int position = -1;                 // of an apply: Theano's <id>
    FunctionId function = kNoFunction; // of an apply
    std::vector<ApplyKey> nodes;       // what the row stands for
    // The spread over single calls.
    std::int64_t minNs = 0;
    std::int64_t maxNs = 0;
    double deviationNs = 0;
    double medianNs = 0;
    double p95Ns = 0;
    double p99Ns = 0;
    std::optional<std::int64_t> deviceNs; // when every one of its applies has one
    std::optional<std::int64_t> blockingNs;
    double flops = -1;                      // per call of an apply; -1 = unknown
    bool estimated = false;                 // some of the time is split by the cost model
    std::optional<double> withCallsPercent; // of a line: of all that was made beneath it
};

struct Table {
    std::vector<TableRow> rows; // by time, descending; ties by name
    std::int64_t totalNs = 0;   // time in thunks
    int applies = 0;
};

enum class TableKind : std::uint8_t { Class, Op, Apply, Device };

// Which applies count. No functions = all of them.
struct TableScope {
    std::vector<FunctionId> functions;
    bool steadyOnly = false;  // leave out the calls before the last change of tier
    GraphId graph = kNoGraph; // of one of them that is inside another, in place of their own
};

// Functions that were never called add nothing; an apply of a called one is there even when it took
// no time of its own.
[[nodiscard]] Table makeTable(const ProfileData &data, TableKind kind, const TableScope &scope = {});

// One function, or the sum of several.
struct ProfileSummary {
    int functions = 0;
    std::int64_t calls = 0;
    std::int64_t callNs = 0;
    std::int64_t vmNs = 0;
    std::int64_t thunkNs = 0;
    double vmPercent = 0;       // of callNs
    double thunkPercent = 0;    // of callNs
    double overheadPercent = 0; // callNs - thunkNs, of callNs
    FunctionTimes compile;
    std::int64_t applies = 0;
};

[[nodiscard]] ProfileSummary summarize(const ProfileData &data, const TableScope &scope = {});

// Where the time was spent: "Spent Xs(X%) in cpu op, Xs(X%) in gpu op and Xs(X%) in transfer op".
struct SpentTimes {
    std::int64_t cpuNs = 0;
    std::int64_t gpuNs = 0;
    std::int64_t transferNs = 0;
    double cpuPercent = 0;
    double gpuPercent = 0;
    double transferPercent = 0;
    bool anyGpu = false;
};

[[nodiscard]] SpentTimes spentTimes(const Table &classes);

// Time per line of source. The shares of an apply's lines sum to 1, so the lines and `elsewhere` sum to 100%. With what it calls a
// line has the time of all applies that were made beneath it, each once.
struct LineRow {
    SourceLine source; // empty file: applies that stem from no line
    std::int64_t ns = 0;
    double percent = 0;
    std::int64_t calls = 0; // how often it ran: once a call of its function, however many applies it made
    bool estimated = false; // some of it is split by the cost model
    std::vector<ApplyKey> nodes;
    std::vector<std::int64_t> nodeNs; // of each node, what counts for this line
    std::int64_t withCallsNs = 0;
    double withCallsPercent = 0;
    bool withCallsEstimated = false;
    bool isOfScript = false;                                      // of a file in which the program begins, where chains say that
    [[nodiscard]] bool isPassed() const { return nodes.empty(); } // only called through
};

// By own time, then by time with calls. Those that are only called through come last.
[[nodiscard]] std::vector<LineRow> lineTable(const ProfileData &data, const TableScope &scope = {});
// The same as a table of lines ("model.py:12"; no name: of no line), or of their files, which lack what is only called through;
// `applies` is the Apply table of that scope.
[[nodiscard]] Table tableOfLines(const std::vector<LineRow> &lines, const Table &applies, bool byFile);

// Rewrites over all passes of the graphs in scope, by time.
struct RewriteRow {
    std::string rewrite;
    std::string phase; // where it applied first
    std::int64_t tried = 0;
    std::int64_t applied = 0;
    std::int64_t declined = 0;
    std::int64_t ns = 0;
    std::int64_t nodesCreated = 0;
};

[[nodiscard]] std::vector<RewriteRow> rewriteTable(const ProfileData &data, const TableScope &scope = {});

} // namespace profiler
