#pragma once
// A job of several ranks: which one this process is, what its launcher starts, and their sessions in one.

#include "app/cli/commands/worker.h"
#include "profiler/session/model/model_job.h"

#include <optional>
#include <string>
#include <vector>

namespace app {

struct RankOfJob {
    int rank = 0;
    int ranks = 1;
};
// What Open MPI, MPICH, Intel MPI, MVAPICH or Slurm says to each process that it starts; none: nobody did.
[[nodiscard]] std::optional<RankOfJob> rankOfJob();

// run.croton of rank 2: run.2.croton.
[[nodiscard]] std::string sessionOfRank(const std::string &session, int rank);

// Words of a line as a shell takes them apart, quotes and backslashes included. Throws UsageError.
[[nodiscard]] std::vector<std::string> wordsOf(const std::string &line, const std::string &option);

// The sessions set side by side: as they are, or with `into` in a session that is a copy of the lowest rank's.
[[nodiscard]] profiler::Job readJob(const std::vector<std::string> &sessions);
profiler::Job mergeJob(const std::vector<std::string> &sessions, const std::string &into);

// `prefix` and then `words`, which has to be a croton profile whose processes write the sessions of their ranks for `session`; these
// are merged into it afterwards. Returns the status of the launcher; throws CliError where it leaves no session.
[[nodiscard]] int runJob(const std::vector<std::string> &prefix, const std::vector<std::string> &words, const std::string &session);

// A child with our descriptors; what would end us ends it, and we stay to see to the rest. Its status, 128 + the signal that
// ended it, or 127 where there is no such program (said on stderr with the hint).
[[nodiscard]] int runProgram(const std::vector<std::string> &words, const std::string &hint);

} // namespace app
