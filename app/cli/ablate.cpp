#include "profiler/replay/ablate.h"
#include "app/cli/captured_session.h"
#include "app/cli/command.h"
#include "app/cli/event_line.h"
#include "app/cli/keep_in_session.h"
#include "app/cli/output.h"
#include "app/cli/replay_options.h"
#include "app/cli/trial_watch.h"
#include "engine/tensor/errors.h"
#include "profiler/session/trials.h"

#include <algorithm>

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
    const profiler::ReplayRequest call = replayRequest(arguments);
    request.function = call.function;
    request.call = call.call;
    request.by = byOf(arguments.get("--by", "rewrite"));
    request.pairs = arguments.has("--pairs");
    const EventLine events(arguments);
    request.turns.seconds = static_cast<double>(arguments.number("--seconds", 5, 1));
    request.limit = static_cast<double>(arguments.number("--limit", 120, 1));
    CapturedSession session(arguments, "ablate");
    TrialWatch trialWatch(&events);
    request.watch = trialWatch.watch();
    int kept = 0;
    try {
        const profiler::Ablation ablation = profiler::ablate(session.reader(), request);
        trialWatch.clear();
        writeOutput({}, arguments.has("--json") ? profiler::ablationJson(ablation) : profiler::ablationText(ablation));
        session.close();
        if (!session.isTemporary() && ablation.tried > 0)
            kept = keepInSession(session.path(), "what was found",
                                 [&] { profiler::storeAblation(session.path(), ablation.rows, profiler::trialOf(ablation)); });
    } catch (const engine::UserError &error) {
        throw CliError(error.what(), error.hint());
    }
    return std::max(kept, TrialWatch::status());
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
    command.options = callOptions();
    command.options.push_back({"--by", "WHAT", "leave out by rewrite (default), pass or tag"});
    command.options.push_back({"--pairs", "", "the five that matter most, two at a time, too"});
    command.options.push_back({"--threads", "N", "threads that work together at most"});
    command.options.push_back({"--seconds", "S", "that measuring may take, about (default 5)"});
    command.options.push_back({"--limit", "S", "that all of it may take, about; what comes later is not tried (default 120)"});
    command.options.push_back({"--json", "", "as JSON"});
    command.options.push_back(EventLine::option());
    command.rest = Rest::AfterOurs;
    command.leastWords = 1;
    command.run = ablate;
    return command;
}

} // namespace app
