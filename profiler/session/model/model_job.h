#pragma once
// What a process had to do with others: its calls of MPI, and, of a job of several ranks, what each of them did.

#include "profiler/session/model/column.h"
#include "profiler/session/model/model_edits.h"

#include <cstdint>
#include <string>
#include <vector>

namespace profiler {

inline constexpr const char *kCollectiveCall = "collective"; // Communication::kind of calls in which all wait for the last

struct Communication {
    static constexpr SessionTable kTable{.name = "communication", .about = "Calls of MPI, summed by what was called and from where."};
    std::string call;
    std::string kind;
    SourceLine source;
    std::int64_t count = 0;
    std::int64_t totalNs = 0;
    std::int64_t maxNs = 0;
    std::int64_t insideNs = 0;
    std::int64_t bytes = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("call", primary(row.call), "Allreduce");
        visit("kind", row.kind, "collective, point to point, wait");
        visit("file", primary(row.source.file));
        visit("line", primary(row.source.line));
        visit("count", row.count);
        visit("total_ns", row.totalNs);
        visit("max_ns", row.maxNs);
        visit("inside_ns", row.insideNs, "part of total_ns that is in calls of functions, too");
        visit("bytes", row.bytes, "of arrays that were handed over");
    }
};

struct Collective {
    static constexpr SessionTable kTable{
        .name = "collectives",
        .about = "Single collective calls of MPI (the first ones): the same members and number name one in the sessions of all its ranks."};
    std::string members;
    std::int64_t number = 0;
    std::string call;
    SourceLine source;
    std::int64_t startNs = 0;
    std::int64_t durationNs = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("members", primary(row.members), "ranks of the world: 0-3");
        visit("number", primary(row.number), "of the call among these members, from 0");
        visit("call", row.call);
        visit("file", row.source.file);
        visit("line", row.source.line);
        visit("start_ns", row.startNs);
        visit("duration_ns", row.durationNs);
    }
};

struct RankRow {
    static constexpr SessionTable kTable{
        .name = "ranks",
        .about = "The ranks of the job that this session is one of, once their sessions were set beside each other (croton ranks)."};
    int rank = 0;
    std::string session;
    std::string host;
    std::string problem;
    std::int64_t durationNs = 0;
    std::int64_t callNs = 0;
    std::int64_t compileNs = 0;
    std::int64_t communicationNs = 0; // in calls of MPI
    std::int64_t waitingNs = -1;

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
        visit("rank", primary(row.rank));
        visit("session", row.session, "its file, from the folder of this one; '' = this one");
        visit("host", row.host);
        visit("problem", row.problem, "why its recording says less than all; '' = it ended well");
        visit("duration_ns", row.durationNs);
        visit("call_ns", row.callNs, "in functions, but for calls of MPI in them");
        visit("compile_ns", row.compileNs);
        visit("communication_ns", row.communicationNs);
        visit("waiting_ns", orNull(row.waitingNs), "part of it in which another rank had not come yet, NULL = unknown");
    }
};

struct RankFunction {
    static constexpr SessionTable kTable{.name = "rank_functions", .about = "Functions of each rank."};
    int rank = 0;
    FunctionId function = kNoFunction; // of the rank's own session
    std::string name;
    SourceLine source;
    std::int64_t calls = 0;
    std::int64_t callNs = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("rank", primary(row.rank));
        visit("function", primary(row.function), "functions.id in the session of the rank");
        visit("name", inLine(row.name));
        visit("file", row.source.file);
        visit("line", row.source.line);
        visit("calls", row.calls);
        visit("call_ns", row.callNs);
    }
};

struct RankCommunication {
    static constexpr SessionTable kTable{.name = "rank_communication",
                                         .about = "communication of each rank, and how much of it was waiting."};
    int rank = 0;
    Communication sum;
    std::int64_t waitingNs = -1;

    static void describe(auto &row, auto &&visit)
    {
        visit("rank", primary(row.rank));
        Communication::describe(row.sum, visit);
        visit("waiting_ns", orNull(row.waitingNs), "part of total_ns in which another rank had not come yet, NULL = unknown");
    }
};

// A job of several ranks; empty in a session that is no part of one, or was not set beside the others.
struct Job {
    std::vector<RankRow> ranks; // by rank
    std::vector<RankFunction> functions;
    std::vector<RankCommunication> communication;
};

} // namespace profiler
