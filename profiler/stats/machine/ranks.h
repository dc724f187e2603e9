#pragma once
// The ranks of one job side by side: what each needed for itself, and where it waited for the others.

#include "profiler/session/model/model.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace profiler {

class SessionReader;

// What the session of one rank gives.
struct RankInput {
    SessionInfo info;
    std::vector<FunctionInfo> functions;
    std::vector<Communication> communication;
    std::vector<Collective> collectives;
};

[[nodiscard]] RankInput readRank(SessionReader &reader);

// The rank that comes last to a collective call waits least; what another one needs more than that rank is waiting. No clocks of
// different machines are compared. Calls that a rank's session lacks leave it unknown. Ranks that say none are numbered in their order.
[[nodiscard]] Job jobOf(std::span<const RankInput> inputs);

// Which rank the others wait for, and with what it is slower.
struct JobVerdict {
    int slowest = -1;          // a place in Job::ranks; -1: no rank needs clearly more than the others
    std::int64_t excessNs = 0; // of its own time, over the middle of the others
    std::string part;          // "functions", "compiling", "moving" (MPI but for waiting) or "python": where most of the excess is
    std::string function;      // with "functions": the one that has most of it
    std::int64_t partNs = 0;   // of the excess in that part, or in that function
    bool knowsWaiting = false; // of all ranks
};

[[nodiscard]] JobVerdict judge(const Job &job);

// Lines with calls of MPI, over all ranks.
struct CommunicationRow {
    std::string call;
    std::string kind;
    SourceLine source;
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    std::int64_t totalNs = 0;
    std::int64_t waitingNs = -1; // of the ranks that know; -1: none does
    int mostWaiting = -1;        // the rank that waited most
    std::int64_t mostWaitingNs = 0;
};

[[nodiscard]] std::vector<CommunicationRow> communicationTable(const Job &job); // most time first

// Functions of the same name and place, with their time in each of Job::ranks; -1 where it has none.
struct RankFunctionRow {
    std::string name;
    std::int64_t calls = 0; // in all ranks
    std::vector<std::int64_t> ns;
};

[[nodiscard]] std::vector<RankFunctionRow> functionTable(const Job &job); // most time first

} // namespace profiler
