#include "profiler/replay/ablate.h"
#include "app/cli/commands/replay_options.h"
#include "app/cli/commands/trial.h"
#include "app/cli/shared/command.h"
#include "profiler/session/store/trials.h"

namespace app {

namespace {

profiler::AblateBy byOf(const std::string &text)
{
    if (text == "rewrite") return profiler::AblateBy::Rewrite;
    if (text == "pass") return profiler::AblateBy::Pass;
    if (text == "tag") return profiler::AblateBy::Tag;
    throw UsageError("--by is rewrite, pass or tag, not '" + text + "'");
}

int ablate(const Arguments &arguments)
{
    profiler::AblateRequest request;
    request.by = byOf(arguments.get("--by", "rewrite"));
    request.pairs = arguments.has("--pairs");
    return runTrial(arguments, "ablate", request.trial, [&](profiler::SessionReader &reader) -> TrialAnswer {
        const profiler::Ablation found = profiler::ablate(reader, request);
        return {arguments.has("--json") ? profiler::ablationJson(found) : profiler::ablationText(found), found.tried > 0,
                [found](const std::string &session) { profiler::storeAblation(session, found.rows, profiler::trialOf(found)); }};
    });
}

} // namespace

Command ablateCommand()
{
    Command command;
    command.name = "ablate";
    command.words = "S.croton | FILE.py [arguments of the script]";
    command.summary = "what each rewrite is worth: a captured call with and without it";
    command.details =
        "Compiles the function once more for each rewrite (pass, tag) that fired, without it, and lets the variants take turns\n"
        "on a captured call: time, peak memory, time of compiling, applies, and the largest error of an output. Equal graphs\n"
        "run once. A session of croton profile --capture keeps the table; a script is recorded first. Ctrl-C ends it with what\n"
        "was tried by then.";
    command.options = trialOptions();
    command.options.push_back({"--by", "WHAT", "leave out by rewrite (default), pass or tag"});
    command.options.push_back({"--pairs", "", "the five that matter most, two at a time, too"});
    command.rest = Rest::AfterOurs;
    command.leastWords = 1;
    command.run = ablate;
    return command;
}

} // namespace app
