#include "app/cli/shared/command.h"
#include "app/cli/shared/job.h"
#include "app/cli/shared/output.h"
#include "profiler/export/json_text.h"
#include "profiler/export/ranks_report.h"
#include "profiler/session/store/reader.h"

#include <cstdio>

namespace app {

namespace {

profiler::Job jobIn(const std::string &session)
{
    profiler::Job job = profiler::SessionReader::open(session)->job();
    if (job.ranks.empty())
        throw CliError(
            session + " holds one process, and nothing of other ranks",
            "croton profile --launch 'mpirun -n 4' FILE.py records a job, croton ranks A.croton B.croton … sets sessions side by side");
    return job;
}

int ranks(const Arguments &arguments)
{
    const bool isOne = arguments.words.size() == 1;
    if (arguments.has("-o") && isOne) throw UsageError("-o wants several sessions", "one for each rank");
    const profiler::Job job = arguments.has("-o") ? mergeJob(arguments.words, arguments.get("-o"))
                              : isOne             ? jobIn(arguments.words[0])
                                                  : readJob(arguments.words);
    const std::string text = arguments.has("--json") ? profiler::jsonText(profiler::ranksJson(job)) : profiler::ranksReport(job);
    writeOutput({}, text);
    return 0;
}

} // namespace

Command ranksCommand()
{
    Command command;
    command.name = "ranks";
    command.words = "S.croton [S.croton …]";
    command.summary = "set the ranks of one job side by side: which one the others wait for";
    command.details = "Of one session, the job that croton profile --launch recorded in it; of several, a rank each, as srun or mpirun\n"
                      "left them when they started croton profile themselves. Waiting is what a collective call takes longer in a\n"
                      "rank than in the one that came last; no clocks of different machines are compared.";
    command.options = {
        {"-o", "S.croton",
         "write them into one session, for the studio and for croton report: that of the lowest rank with all ranks in it"},
        {"--json", "", "everything as JSON"},
    };
    command.leastWords = 1;
    command.mostWords = 100'000;
    command.run = ranks;
    return command;
}

} // namespace app
