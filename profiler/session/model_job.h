#pragma once
// What a process had to do with others: its calls of MPI, and, of a job of several ranks, what each of them did.

#include "profiler/session/column.h"
#include "profiler/session/model_edits.h"

#include <cstdint>
#include <string>
#include <vector>

namespace profiler {

inline constexpr const char *kCollectiveCall = "collective"; // Communication::kind of calls in which all wait for the last

// Calls of MPI from one line, summed.
struct Communication {
    static constexpr const char *kTable = "communication";
    std::string call; // "Allreduce"
    std::string kind; // "collective", "point to point", "wait"
    SourceLine source;
    std::int64_t count = 0;
    std::int64_t totalNs = 0;
    std::int64_t maxNs = 0;
    std::int64_t insideNs = 0; // part of totalNs that is in calls of functions, too
    std::int64_t bytes = 0;    // of arrays that were handed over

    static void describe(auto &row, auto &&visit)
    {
        visit("call", row.call);
        visit("kind", row.kind);
        visit("file", row.source.file);
        visit("line", row.source.line);
        visit("count", row.count);
        visit("total_ns", row.totalNs);
        visit("max_ns", row.maxNs);
        visit("inside_ns", row.insideNs);
        visit("bytes", row.bytes);
    }
};

// One collective call, as this rank saw it: the same members and number name it in the sessions of all of them.
struct Collective {
    static constexpr const char *kTable = "collectives";
    std::string members; // ranks of the world: "0-3", "0,2"
    std::int64_t number = 0;
    std::string call;
    SourceLine source;
    std::int64_t startNs = 0;
    std::int64_t durationNs = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("members", row.members);
        visit("number", row.number);
        visit("call", row.call);
        visit("file", row.source.file);
        visit("line", row.source.line);
        visit("start_ns", row.startNs);
        visit("duration_ns", row.durationNs);
    }
};

// A rank of the job that the session is one of.
struct RankRow {
    static constexpr const char *kTable = "ranks";
    int rank = 0;
    std::string session; // its file, from the folder of this one; empty: this one
    std::string host;
    std::string problem; // why its recording says less than all; empty: it ended well
    std::int64_t durationNs = 0;
    std::int64_t callNs = 0; // in functions, but for MPI's calls in them
    std::int64_t compileNs = 0;
    std::int64_t communicationNs = 0; // in calls of MPI
    std::int64_t waitingNs = -1;      // part of it in which another rank had not come yet; -1 = unknown

    // What it needed for itself.
    [[nodiscard]] std::int64_t ownNs() const { return durationNs - (waitingNs > 0 ? waitingNs : 0); }
    // In neither functions, nor making them, nor MPI: Python, imports, files.
    [[nodiscard]] std::int64_t otherNs() const
    {
        const std::int64_t left = durationNs - callNs - compileNs - communicationNs;
        return left > 0 ? left : 0;
    }

    static void describe(auto &row, auto &&visit)
    {
        visit("rank", row.rank);
        visit("session", row.session);
        visit("host", row.host);
        visit("problem", row.problem);
        visit("duration_ns", row.durationNs);
        visit("call_ns", row.callNs);
        visit("compile_ns", row.compileNs);
        visit("communication_ns", row.communicationNs);
        visit("waiting_ns", orNull(row.waitingNs));
    }
};

// A function in a rank.
struct RankFunction {
    static constexpr const char *kTable = "rank_functions";
    int rank = 0;
    FunctionId function = kNoFunction; // of the rank's own session
    std::string name;
    SourceLine source;
    std::int64_t calls = 0;
    std::int64_t callNs = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("rank", row.rank);
        visit("function", row.function);
        visit("name", inLine(row.name));
        visit("file", row.source.file);
        visit("line", row.source.line);
        visit("calls", row.calls);
        visit("call_ns", row.callNs);
    }
};

// Calls of MPI from one line in a rank.
struct RankCommunication {
    static constexpr const char *kTable = "rank_communication";
    int rank = 0;
    Communication sum;
    std::int64_t waitingNs = -1; // part of the total in which another rank had not come yet; -1 = unknown

    static void describe(auto &row, auto &&visit)
    {
        visit("rank", row.rank);
        Communication::describe(row.sum, visit);
        visit("waiting_ns", orNull(row.waitingNs));
    }
};

// A job of several ranks; empty in a session that is no part of one, or was not set beside the others.
struct Job {
    std::vector<RankRow> ranks; // by rank
    std::vector<RankFunction> functions;
    std::vector<RankCommunication> communication;
};

} // namespace profiler
