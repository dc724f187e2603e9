#include "app/cli/replay_options.h"

#include "app/cli/event_line.h"
#include "engine/runtime/threads.h"

#include <utility>

namespace app {

namespace {

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

std::vector<Option> trialOptions()
{
    std::vector<Option> options = callOptions();
    options.push_back(threadsOption());
    options.push_back({"--seconds", "S", "that measuring may take, about (default 5)"});
    options.push_back({"--limit", "S", "that all of it may take, about; what comes later is not tried (default 120)"});
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
    return options;
}

void readTrial(const Arguments &arguments, profiler::TrialRequest &request)
{
    const profiler::ReplayRequest call = replayRequest(arguments);
    request.function = call.function;
    request.call = call.call;
    request.turns.seconds = static_cast<double>(arguments.number("--seconds", 5, 1));
    request.limit = static_cast<double>(arguments.number("--limit", 120, 1));
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
    if (arguments.has("--threads")) {
        const long threads = arguments.number("--threads", 1, 1);
        engine::setThreads(static_cast<int>(threads));
        request.threads = "with " + std::to_string(engine::threads()) + (engine::threads() == 1 ? " thread" : " threads");
    }
    return request;
}

} // namespace app
