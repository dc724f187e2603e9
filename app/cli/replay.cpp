#include "app/cli/command.h"
#include "app/cli/event_line.h"
#include "app/cli/output.h"
#include "app/cli/replay_options.h"
#include "app/cli/session_source.h"
#include "engine/tensor/errors.h"
#include "profiler/record/recorder.h"
#include "profiler/replay/replay_report.h"
#include "profiler/session/files.h"

namespace app {

namespace {

constexpr int kRecordedCalls = 20; // enough for times to be worth looking at

// What is asked for alone, compiled and called under observation: a session with the name of its function.
void recordReplay(profiler::SessionReader &reader, const profiler::ReplayRequest &request, const std::string &path)
{
    const profiler::LoadedCall call = profiler::loadCall(reader, request.function, request.call);
    profiler::checkSessionPlace(path);
    profiler::SessionStart start;
    start.script = reader.script();
    start.command = "croton replay -o " + path;
    profiler::Recorder recorder(path, start);
    try {
        const auto function = profiler::compileCaptured(call, profiler::modeOf(call.view.function, request.changes), true);
        for (int i = 0; i < kRecordedCalls; ++i) (void)profiler::callCaptured(call, *function);
    } catch (const std::exception &error) {
        recorder.finish(1, error.what());
        profiler::removeSession(path);
        throw;
    }
    recorder.finish(0);
}

int replay(const Arguments &arguments)
{
    const EventLine events(arguments);
    const auto reader = openSession(arguments.words[0]);
    try {
        if (arguments.has("-o")) {
            events.progress("Compiling it once more");
            recordReplay(*reader, replayRequest(arguments), arguments.get("-o"));
            return 0;
        }
        const profiler::ReplayResult result = profiler::replay(*reader, replayRequest(arguments));
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
