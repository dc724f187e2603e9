#include "app/cli/command.h"
#include "app/cli/profile_request.h"
#include "app/cli/worker.h"
#include "profiler/session/add_run.h"
#include "profiler/session/files.h"

#include <fcntl.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace app {

namespace {

constexpr double kLongestSeconds = 1e9; // what clocks can wait for

double secondsOf(const std::string &text)
{
    char *end = nullptr;
    const double seconds = std::strtod(text.c_str(), &end);
    if (*end != '\0' || !(seconds > 0 && seconds <= kLongestSeconds)) throw UsageError("--time-limit wants seconds, not '" + text + "'");
    return seconds;
}

int profile(const Arguments &arguments)
{
    WorkerRequest request = profileRequest(arguments, "profile");
    request.session = arguments.get("-o", std::filesystem::path(request.script).stem().string() + ".croton");
    checkScript(request.script);
    if (request.session.empty()) throw UsageError("-o wants the name of a session");
    profiler::checkSessionPlace(request.session);
    request.label = arguments.get("--label");
    request.repeat = arguments.number("--repeat", 1, 1);
    request.warmup = arguments.number("--warmup", 0);
    if (arguments.has("--time-limit")) request.timeLimit = secondsOf(arguments.get("--time-limit"));
    request.sizeLimitMb = arguments.number("--size-limit", 0, 1);
    if (arguments.has("--capture")) request.capture = arguments.number("--capture", 0);
    if (arguments.has("--capture-limit") && request.capture < 0) throw UsageError("--capture-limit is of --capture, which is missing");
    request.captureLimitMb = arguments.number("--capture-limit", 0, 1);
    request.eventsFd = static_cast<int>(arguments.number("--events-fd", -1));
    if (request.eventsFd >= 0 && fcntl(request.eventsFd, F_GETFD) < 0)
        throw UsageError("--events-fd wants an open descriptor, not " + std::to_string(request.eventsFd));
    request.showProgress = request.eventsFd < 0;
    const long runs = arguments.number("--runs", 1, 1);
    const bool both = arguments.has("--both");
    if (both && request.launchBlocking) throw UsageError("--both has a run of its own in which launches wait: leave --launch-blocking out");
    const std::string session = request.session;
    if (runs > 1) request.startCore = 0;
    int status = runWorker(request);
    request.capture = -1; // what one run was given is enough
    request.captureLimitMb = 0;
    for (long run = 2; run <= runs && status == 0; ++run) {
        request.session = session + ".run";
        request.startCore = static_cast<int>(run) - 1;
        status = runWorker(request);
        if (status == 0) profiler::addRun(session, request.session, static_cast<int>(run));
        profiler::removeSession(request.session);
    }
    if (both && status == 0) {
        request.session = session + ".blocking";
        request.launchBlocking = true;
        status = runWorker(request);
        if (status == 0 && profiler::addBlockingTimes(session, request.session) == 0)
            std::fprintf(stderr,
                         "croton: no function of the script ran on a device whose launches can wait (CUDA's can): %s has no blocking "
                         "times\n",
                         session.c_str());
        profiler::removeSession(request.session);
    }
    return status;
}

} // namespace

const std::vector<Option> &settingOptions()
{
    static const std::vector<Option> options{
        {"--device", "DEVICE", "cpu, cuda, cuda0, opencl0:0 …"},
        {"--floatX", "TYPE", "float32 or float64"},
        {"--mode", "MODE", "FAST_RUN, FAST_COMPILE, DebugMode …"},
        {"--flags", "A=B,C=D", "further flags; they win over THEANO_FLAGS"},
        {"--launch-blocking", "", "every launch waits for the device (CUDA_LAUNCH_BLOCKING=1)"},
    };
    return options;
}

WorkerRequest profileRequest(const Arguments &arguments, const std::string &commandName)
{
    if (const Option *option = arguments.handedOn)
        std::fprintf(stderr,
                     "croton: %s behind the script's arguments is given to the script (croton %s %s%s%s FILE … is croton's own; "
                     "-- before the script's arguments says that it is meant)\n",
                     option->name.c_str(), commandName.c_str(), option->name.c_str(), option->value.empty() ? "" : " ",
                     option->value.c_str());
    WorkerRequest request;
    request.mode = "profile";
    request.script = arguments.words[0];
    request.arguments = arguments.rest;
    for (const char *name : {"device", "floatX", "mode"})
        if (const std::string value = arguments.get(std::string("--") + name); !value.empty())
            request.flags.push_back(std::string(name) + "=" + value);
    if (const std::string flags = arguments.get("--flags"); !flags.empty()) request.flags.push_back(flags);
    request.launchBlocking = arguments.has("--launch-blocking");
    std::vector<std::string> words{"croton", commandName};
    for (const auto &[name, value] : arguments.options) {
        if (name == "--events-fd") continue; // says nothing about the run
        words.push_back(name);
        if (name != "--launch-blocking" && name != "--both") words.push_back(value);
    }
    words.push_back(request.script);
    words.insert(words.end(), arguments.rest.begin(), arguments.rest.end());
    request.command = shellQuoted(words);
    return request;
}

Command profileCommand()
{
    Command command;
    command.name = "profile";
    command.words = "FILE.py [arguments of the script]";
    command.summary = "run a script and record a session";
    command.details = "The session is written while the script runs: croton report and the studio may open it at\n"
                      "any time, also when the run was stopped with Ctrl-C or killed. What the script started\n"
                      "ends then, too, but for what it detached (setsid).";
    command.options = {
        {"-o", "S.croton", "where the session goes (default: the script's name)"},
        {"--label", "TEXT", "a name for the run"},
        {"--repeat", "N", "run the script N times in the same session"},
        {"--runs", "N", "run the script in N processes, for comparisons: what differs between runs is known then"},
        {"--both", "", "run the script once more with --launch-blocking: the report sets the times of both beside the device's"},
        {"--warmup", "N", "the first N calls of each function are no steady state"},
        {"--time-limit", "S", "end the run after S seconds, as if it were done"},
        {"--size-limit", "MB", "what is beyond is counted, not kept (default 2048)"},
        {"--capture", "[N]",
         "keep what the first and the slowest call of each function was given and gave, and N more (calls 10, 100, 1000 …): "
         "croton replay runs them again"},
        {"--capture-limit", "MB", "of all kept arrays; of what is beyond, statistics are kept (default 256)"}};
    command.options.insert(command.options.end(), settingOptions().begin(), settingOptions().end());
    command.options.push_back({"--events-fd", "N", "one JSON line per event to descriptor N"});
    command.rest = Rest::AfterOurs;
    command.leastWords = 1;
    command.run = profile;
    return command;
}

} // namespace app
