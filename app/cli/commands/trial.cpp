#include "app/cli/commands/trial.h"
#include "app/cli/commands/replay_options.h"
#include "app/cli/commands/trial_watch.h"
#include "app/cli/shared/captured_session.h"
#include "app/cli/shared/event_line.h"
#include "app/cli/shared/keep_in_session.h"
#include "app/cli/shared/output.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace app {

int runTrial(const Arguments &arguments, const std::string &commandName, profiler::TrialRequest &request,
             const std::function<TrialAnswer(profiler::SessionReader &)> &find)
{
    readTrial(arguments, request);
    const EventLine events(arguments);
    CapturedSession session(arguments, commandName);
    TrialWatch trialWatch(&events);
    request.watch = trialWatch.watch();
    int kept = 0;
    try {
        const TrialAnswer answer = find(session.reader());
        trialWatch.clear();
        writeOutput({}, answer.text);
        session.close();
        if (!session.isTemporary() && answer.isWorthKeeping)
            kept = keepInSession(session.path(), "what was found", [&] { answer.store(session.path()); });
    } catch (const engine::UserError &error) {
        throw CliError(error.what(), error.hint());
    }
    return std::max(kept, TrialWatch::status());
}

} // namespace app
