#include "profiler/replay/along.h"
#include "app/cli/commands/replay_options.h"
#include "app/cli/commands/trial.h"
#include "app/cli/commands/trial_watch.h"
#include "app/cli/shared/captured_session.h"
#include "app/cli/shared/command.h"
#include "app/cli/shared/output.h"
#include "engine/tensor/errors.h"
#include "profiler/session/store/trials.h"

namespace app {

namespace {

int along(const Arguments &arguments)
{
    profiler::AlongRequest request;
    request.every = static_cast<int>(arguments.number("--every", 0, 1));
    return runTrial(arguments, "along", request.trial, [&](profiler::SessionReader &reader) -> TrialAnswer {
        const profiler::Along found = profiler::along(reader, request);
        return {arguments.has("--json") ? profiler::alongJson(found) : profiler::alongText(found), found.tried > 1,
                [found](const std::string &session) { profiler::storeAlong(session, found.rows, profiler::trialOf(found)); }};
    });
}

int bisect(const Arguments &arguments)
{
    profiler::BisectRequest request;
    const profiler::ReplayRequest call = replayRequest(arguments);
    request.function = call.function;
    request.call = call.call;
    request.judgesBusy = call.turns.judgesBusy;
    if (!arguments.has("--until"))
        throw UsageError("croton bisect wants --until", "it says \"time > 1.05 x\", \"error > 1e-6\" or \"nan\"");
    request.until = arguments.get("--until");
    try {
        profiler::checkQuestion(request.until);
    } catch (const profiler::SessionError &error) {
        throw UsageError(error.what(), error.hint());
    }
    CapturedSession session(arguments, "bisect");
    TrialWatch trialWatch;
    request.watch = trialWatch.watch();
    try {
        const profiler::Guilt guilt = profiler::bisect(session.reader(), request);
        trialWatch.clear();
        writeOutput({}, arguments.has("--json") ? profiler::guiltJson(guilt) : profiler::guiltText(guilt));
    } catch (const engine::UserError &error) {
        throw CliError(error.what(), error.hint());
    }
    return 0;
}

} // namespace

Command alongCommand()
{
    Command command;
    command.name = "along";
    command.words = "S.croton | FILE.py [arguments of the script]";
    command.summary = "the graph after its steps, called: time, memory and error of each";
    command.details =
        "The graph as it stood after each pass (or every so many steps) runs on a captured call: which step made it fast, which\n"
        "one stable, which one took memory. A session of croton profile --capture keeps the table; a script is recorded first.\n"
        "Ctrl-C ends it with what was tried by then.";
    command.options = trialOptions();
    command.options.push_back({"--every", "K", "after every K steps (default: at the ends of passes)"});
    command.rest = Rest::AfterOurs;
    command.leastWords = 1;
    command.run = along;
    return command;
}

Command bisectCommand()
{
    Command command;
    command.name = "bisect";
    command.words = "S.croton | FILE.py [arguments of the script]";
    command.summary = "the step that made a captured call slow, wrong or nan";
    command.details = "Runs the graph at the ends of passes and then between its steps, by halving, until it has the one that made it so;\n"
                      "names the rewrite, what it matched, and the lines of the script.\n"
                      "    croton bisect S.croton --until \"error > 1e-6\"";
    command.options = callOptions();
    command.options.push_back(
        {"--until", "WHAT",
         "\"time > 1.05 x\" (of what a call took at best before), \"error > 1e-6\" (of a value), or \"nan\" (or infinity)"});
    command.options.push_back(threadsOption());
    command.options.push_back(anywayOption());
    command.options.push_back({"--json", "", "as JSON"});
    command.rest = Rest::AfterOurs;
    command.leastWords = 1;
    command.run = bisect;
    return command;
}

} // namespace app
