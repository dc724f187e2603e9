#include "app/cli/commands/replay_options.h"

#include "app/cli/shared/event_line.h"
#include "engine/runtime/plan/threads.h"

#include <algorithm>
#include <utility>

namespace app {

namespace {

constexpr double kTimedShare = 0.4; // of what a trial may take; the rest is for compiling

// "fusion, inplace" and Theano's "fusion:inplace".
std::vector<std::string> namesIn(const std::string &text)
{
    std::vector<std::string> names;
    std::string name;
    for (const char c : text + ",") {
        if (c != ',' && c != ':' && c != ' ') name += c;
        else if (!name.empty()) names.push_back(std::exchange(name, {}));
    }
    return names;
}

} // namespace

std::vector<Option> callOptions()
{
    return {{"--function", "F", "its name or number (default: of those with captured calls the one that took most time)"},
            {"--call", "K", "number of a captured call (default: a chosen one, else the slowest, else the first)"}};
}

Option threadsOption() { return {"--threads", "N", "threads that work together at most"}; }

Option anywayOption() { return {"--anyway", "", "give a verdict on a busy machine, too"}; }

std::vector<Option> trialOptions()
{
    std::vector<Option> options = callOptions();
    options.push_back(threadsOption());
    options.push_back(
        {"--seconds", "S", "that all of it may take, about; what comes later is not tried (default 120, of which 5 are for timing)"});
    options.push_back(anywayOption());
    options.push_back({"--json", "", "as JSON"});
    options.push_back(EventLine::option());
    return options;
}

std::vector<Option> replayOptions()
{
    std::vector<Option> options = callOptions();
    options.push_back({"--mode", "MODE", "FAST_RUN, FAST_COMPILE, DebugMode … in the place of its own"});
    options.push_back({"--exclude", "NAMES", "leave out rewrites and tags too: fusion,inplace"});
    options.push_back({"--include", "NAMES", "take rewrites and tags in, too"});
    options.push_back({"--device", "DEVICE", "cpu, cuda, opencl0:0 … in the place of its own"});
    options.push_back(threadsOption());
    options.push_back({"--seconds", "S", "that measuring may take, about (default 1)"});
    options.push_back(anywayOption());
    return options;
}

void readTrial(const Arguments &arguments, profiler::TrialRequest &request)
{
    const profiler::ReplayRequest call = replayRequest(arguments);
    request.function = call.function;
    request.call = call.call;
    request.turns.judgesBusy = call.turns.judgesBusy;
    request.limit = static_cast<double>(arguments.number("--seconds", 120, 1));
    request.turns.seconds = std::min(5.0, kTimedShare * request.limit);
}

profiler::ReplayRequest replayRequest(const Arguments &arguments)
{
    profiler::ReplayRequest request;
    request.function = arguments.get("--function");
    if (arguments.has("--call")) request.call = arguments.number("--call", 0);
    if (arguments.has("--mode")) request.changes.mode = arguments.get("--mode");
    if (arguments.has("--device")) request.changes.device = arguments.get("--device");
    request.changes.excluding = namesIn(arguments.get("--exclude"));
    request.changes.including = namesIn(arguments.get("--include"));
    request.turns.seconds = static_cast<double>(arguments.number("--seconds", 1, 1));
    request.turns.judgesBusy = arguments.has("--anyway");
    if (arguments.has("--threads")) {
        const long threads = arguments.number("--threads", 1, 1);
        engine::setThreads(static_cast<int>(threads));
        request.threads = "with " + std::to_string(engine::threads()) + (engine::threads() == 1 ? " thread" : " threads");
    }
    return request;
}

} // namespace app
