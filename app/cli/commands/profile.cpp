#include "app/cli/commands/worker.h"
#include "app/cli/shared/command.h"
#include "app/cli/shared/ending.h"
#include "app/cli/shared/job.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/profile_request.h"
#include "app/cli/shared/remote.h"
#include "profiler/session/store/add_run.h"
#include "profiler/session/store/files.h"

#include <fcntl.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

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

// Options as they were given, but for those named.
std::vector<std::string> optionsBut(const Arguments &arguments, const std::set<std::string> &without)
{
    std::vector<std::string> words;
    for (const Option &option : profileCommand().options) {
        if (!arguments.has(option.name) || without.contains(option.name)) continue;
        words.push_back(option.name);
        if (!option.value.empty()) words.push_back(arguments.get(option.name));
    }
    return words;
}

std::string sessionOf(const Arguments &arguments)
{
    std::string session = arguments.get("-o", std::filesystem::path(arguments.words[0]).stem().string() + ".croton");
    checkScript(arguments.words[0]);
    if (session.empty()) throw UsageError("-o wants the name of a session");
    profiler::checkSessionPlace(session);
    return session;
}

int profileOnHost(const Arguments &arguments)
{
    if (arguments.has("--events-fd")) throw UsageError("--events-fd tells nothing of a run on another machine", "leave it or --host out");
    RemoteRequest request;
    request.host = arguments.get("--host");
    if (request.host.empty() || request.host[0] == '-') throw UsageError("--host wants the name of a machine, as ssh takes it");
    request.ssh = wordsOf(arguments.get("--ssh", "ssh"), "--ssh");
    request.croton = arguments.get("--host-croton", "croton");
    request.options = optionsBut(arguments, {"-o", "--host", "--host-croton", "--ssh", "--with", "--quiet"});
    request.script = arguments.words[0];
    request.arguments = arguments.rest;
    if (arguments.has("--with")) request.files = wordsOf(arguments.get("--with"), "--with");
    request.session = sessionOf(arguments);
    const int status = profileRemotely(request);
    if (!arguments.has("--quiet")) sayWhereTheTimeWent(request.session, status);
    return status;
}

int profileJob(const Arguments &arguments)
{
    if (arguments.has("--events-fd"))
        throw UsageError("--events-fd tells of one process, and --launch starts several", "leave one of them out");
    const std::vector<std::string> prefix = wordsOf(arguments.get("--launch"), "--launch");
    const std::string session = sessionOf(arguments);
    std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string(), "profile", "-o", session};
    const std::vector<std::string> options = optionsBut(arguments, {"-o", "--launch"});
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(arguments.words[0]);
    if (!arguments.rest.empty()) words.push_back("--");
    words.insert(words.end(), arguments.rest.begin(), arguments.rest.end());
    return runJob(prefix, words, session);
}

int profile(const Arguments &arguments)
{
    for (const char *option : {"--ssh", "--host-croton", "--with"})
        if (arguments.has(option) && !arguments.has("--host"))
            throw UsageError(std::string(option) + " is about another machine", "--host names it");
    if (arguments.has("--host")) return profileOnHost(arguments);
    if (arguments.has("--launch")) return profileJob(arguments);
    WorkerRequest request = profileRequest(arguments, "profile");
    request.session = sessionOf(arguments);
    if (const std::optional<RankOfJob> job = rankOfJob(); job && job->ranks > 1) {
        request.session = sessionOfRank(request.session, job->rank);
        request.rank = std::to_string(job->rank) + "/" + std::to_string(job->ranks);
    }
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
    request.showProgress = request.eventsFd < 0 && request.rank.empty();
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
            printErr("croton: no function of the script ran on a device whose launches can wait (CUDA's can): %s has no blocking "
                     "times\n",
                     session.c_str());
        profiler::removeSession(request.session);
    }
    if (!arguments.has("--quiet") && request.eventsFd < 0 && request.rank.empty()) sayWhereTheTimeWent(session, status);
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
        printErr("croton: %s behind the script's arguments is given to the script (croton %s %s%s%s FILE … is croton's own; "
                 "-- before the script's arguments says that it is meant)\n",
                 option->name.c_str(), commandName.c_str(), option->name.c_str(), option->value.empty() ? "" : " ", option->value.c_str());
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
        if (name == "--events-fd" || name == "--quiet") continue; // say nothing about the run
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
    command.words = "FILE.py | MODEL.onnx [arguments of the script]";
    command.summary = "run a script and record a session";
    command.details = "The session is written while the script runs: croton report and the studio may open it at\n"
                      "any time, also when the run was stopped with Ctrl-C or killed. What the script started\n"
                      "ends then, too, but for what it detached (setsid). At the end stderr names the session, its\n"
                      "slowest line and two commands that go on from there; stdout is the script's alone.";
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
        {"--quiet", "", "say nothing at the end of the session, its slowest line and what to run next"},
        {"--capture-limit", "MB", "of all kept arrays; of what is beyond, statistics are kept (default 256)"}};
    command.options.insert(command.options.end(), settingOptions().begin(), settingOptions().end());
    const std::vector<Option> elsewhere{
        {"--launch", "COMMAND",
         "start the script with this in front, as \"mpirun -n 4\": each rank's session and all of them in one (croton ranks)"},
        {"--host", "USER@HOST", "run it on that machine over ssh, and bring the sessions back"},
        {"--with", "FILES", "with --host: files and folders to take along, beside the script"},
        {"--ssh", "COMMAND", "with --host: the program that reaches it, with its options (default: ssh)"},
        {"--host-croton", "PATH", "with --host: the command over there (default: croton)"},
    };
    command.options.insert(command.options.end(), elsewhere.begin(), elsewhere.end());
    command.options.push_back({"--events-fd", "N", "one JSON line per event to descriptor N"});
    command.rest = Rest::AfterOurs;
    command.leastWords = 1;
    command.run = profile;
    return command;
}

} // namespace app
