#include "app/cli/commands/replay_options.h"
#include "app/cli/commands/trial_watch.h"
#include "app/cli/shared/command.h"
#include "app/cli/shared/event_line.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/session_source.h"
#include "engine/tensor/errors.h"
#include "profiler/replay/record_replay.h"

namespace app {

namespace {

int replay(const Arguments &arguments)
{
    const EventLine events(arguments);
    const auto reader = openSession(arguments.words[0]);
    profiler::ReplayRequest request = replayRequest(arguments);
    TrialWatch trialWatch(&events);
    request.watch = trialWatch.watch();
    try {
        if (arguments.has("-o")) {
            events.progress("Compiling it once more");
            profiler::recordReplay(*reader, request, arguments.get("-o"));
            return 0;
        }
        const profiler::ReplayResult result = profiler::replay(*reader, request);
        trialWatch.clear();
        writeOutput({}, arguments.has("--json") ? profiler::replayJson(result) : profiler::replayText(result));
    } catch (const engine::UserError &error) {
        throw CliError(error.what(), error.hint());
    }
    return 0;
}

} // namespace

Command replayCommand()
{
    Command command;
    command.name = "replay";
    command.words = "S.croton";
    command.summary = "run a captured call again, without its script";
    command.details = "The session is one of croton profile --capture. The function is compiled again from its original graph, as it was\n"
                      "and as the options say, called on the values that were kept, and compared: values with those of the session,\n"
                      "times in turns.\n"
                      "    croton replay S.croton --function train --exclude fusion";
    command.options = replayOptions();
    command.options.push_back({"-o", "S.croton", "record what is asked for into a session, in the place of comparing"});
    command.options.push_back({"--json", "", "as JSON"});
    command.options.push_back(EventLine::option());
    command.leastWords = command.mostWords = 1;
    command.run = replay;
    return command;
}

} // namespace app
