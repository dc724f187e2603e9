#include "app/cli/commands/worker.h"

#include "app/cli/shared/command.h"
#include "app/cli/shared/keeper.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/progress.h"
#include "app/cli/version.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

namespace app {

namespace fs = std::filesystem;

namespace {

constexpr int kGraceMs = 5000; // for a worker that is asked to stop, be it while it starts
constexpr int kTickMs = 100, kHandOnMs = 20;
constexpr double kLimitGraceSeconds = 10; // behind a time limit: to start, and to end

double secondsNow() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string environment(const char *name)
{
    const char *value = std::getenv(name);
    return value ? value : "";
}

fs::path home() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path(); }

std::string howToGetPython()
{
    if (fs::exists(home() / "CMakeCache.txt")) return "install python3-dev, python3-numpy and pybind11-dev, and build again";
    return "install the package python3-croton";
}

// PyTensor wants another NumPy than the system's Python has, so a script that imports it runs in an environment of its own.
bool importsPyTensor(const std::string &script)
{
    std::ifstream in(script);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string first, second;
        if (!(words >> first >> second) || (first != "import" && first != "from")) continue;
        for (const char *package : {"pytensor", "pymc", "croton.pytensor"})
            if (second.starts_with(package)) return true;
    }
    return false;
}

struct ChosenPython {
    std::string program;
    std::string folders; // for PYTHONPATH
};

// CROTON_PYTHON; for a script of PyTensor the environment that is active, or that of the tests; else the one of the build.
ChosenPython pythonFor(const std::string &script)
{
    if (const std::string given = environment("CROTON_PYTHON"); !given.empty()) return {given, pythonFolders()};
    if (importsPyTensor(script)) {
        const fs::path active = environment("VIRTUAL_ENV"), tests = home() / "pypi";
        // It has its own Croton, or says that it has none.
        if (!active.empty() && fs::exists(active / "bin" / "python")) return {(active / "bin" / "python").string(), {}};
        if (fs::exists(tests / "ready")) return {(tests / "venv" / "bin" / "python").string(), (tests / "python").string()};
    }
    return {kPython, pythonFolders()};
}

void prepareEnvironment(const WorkerRequest &request)
{
    const std::string folders = pythonFor(request.script).folders;
    if (pythonFolders().empty())
        throw CliError("the Python part is not there: " + (home() / "python" / "croton").string() + " is missing", howToGetPython());
    const std::string old = environment("PYTHONPATH");
    if (!folders.empty()) setenv("PYTHONPATH", (folders + (old.empty() ? "" : ":" + old)).c_str(), 1);
    static const std::string given = environment("CROTON_FLAGS"); // of a command that runs several, each has its own flags beside these
    std::string flags = given;
    for (const std::string &flag : request.flags) flags += (flags.empty() ? "" : ",") + flag;
    setenv("CROTON_FLAGS", flags.c_str(), 1);
    if (request.launchBlocking) setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    if (request.waitForKernels) setenv("CROTON_COMPILE_WAIT", "1", 1);
    if (!request.rank.empty()) setenv("CROTON_RANK", request.rank.c_str(), 1);
    setenv("CROTON_COMMAND", request.command.c_str(), 1);
}

std::vector<std::string> commandLine(const WorkerRequest &request)
{
    const std::string python = pythonFor(request.script).program;
    if (python.empty()) throw CliError("no Python interpreter is known", "set CROTON_PYTHON to one that has NumPy");
    std::vector<std::string> words{python, "-m", "croton.worker", request.mode};
    if (!request.session.empty()) {
        words.insert(words.end(), {"--session", request.session});
        if (!request.label.empty()) words.insert(words.end(), {"--label", request.label});
        if (request.repeat != 1) words.insert(words.end(), {"--repeat", std::to_string(request.repeat)});
        if (request.warmup != 0) words.insert(words.end(), {"--warmup", std::to_string(request.warmup)});
        if (request.timeLimit > 0) {
            char text[32];
            std::snprintf(text, sizeof text, "%.17g", request.timeLimit);
            words.insert(words.end(), {"--time-limit", text});
        }
        if (request.capture >= 0) words.insert(words.end(), {"--capture", std::to_string(request.capture)});
        if (request.captureLimitMb != 0) words.insert(words.end(), {"--capture-limit", std::to_string(request.captureLimitMb)});
        if (request.sizeLimitMb != 0) words.insert(words.end(), {"--size-limit", std::to_string(request.sizeLimitMb)});
    }
    if (request.eventsFd >= 0) words.insert(words.end(), {"--events-fd", std::to_string(request.eventsFd)});
    words.push_back(request.script);
    words.insert(words.end(), request.arguments.begin(), request.arguments.end());
    return words;
}

// Cores are not alike (their clocks, what else runs beside them), and a process mostly stays where it began.
void beginOn(int number)
{
    cpu_set_t all;
    if (number < 0 || sched_getaffinity(0, sizeof all, &all) != 0) return;
    int left = number % std::max(CPU_COUNT(&all), 1);
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &all) && left-- == 0) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            sched_setaffinity(0, sizeof one, &one); // a wish: without it the worker runs all the same
            setenv("CROTON_FREE_CORES", "1", 1);
            return;
        }
}

[[noreturn]] void becomeWorker(const WorkerRequest &request, const std::vector<std::string> &words, pid_t parent, sigset_t signals)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(Child::kNoProgram); // it died in between
    // The worker takes them once it can end a recording properly; without one only Ctrl-C is more than an end.
    sigaddset(&signals, SIGINT);
    if (!request.session.empty())
        for (const int signal : {SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    sigprocmask(SIG_SETMASK, &signals, nullptr);
    beginOn(request.startCore);
    if (request.stdoutToStderr) dup2(STDERR_FILENO, STDOUT_FILENO);
    if (request.eventsFd >= 0) fcntl(request.eventsFd, F_SETFD, 0);
    Child::become(words);
    printErr("croton: %s cannot be started: %s (set CROTON_PYTHON to a Python with NumPy)\n", words[0].c_str(), std::strerror(errno));
    _exit(Child::kNoProgram);
}

std::string kept(const WorkerRequest &request)
{
    if (request.session.empty()) return {};
    std::error_code error;
    return fs::exists(request.session, error) ? "; " + request.session + " keeps what was recorded until then" : "; nothing was recorded";
}

// What ended the worker before its script did.
struct Stop {
    int signal = 0; // of ours; 0: none
    bool byTimeLimit = false;
    bool killed = false; // it did not listen
};

std::string howStopped(const Stop &stop)
{
    return stop.signal == SIGINT ? "stopped" : "terminated by SIG" + std::string(sigabbrev_np(stop.signal));
}

// What is ignored since we were started (nohup, a shell's background jobs) is none of ours.
sigset_t signalsToTake()
{
    sigset_t taken;
    sigemptyset(&taken);
    sigaddset(&taken, SIGCHLD);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action {};
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&taken, signal);
    }
    return taken;
}

bool isCrash(int signal)
{
    for (const int one : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS})
        if (signal == one) return true;
    return false;
}

int endedBy(int signal, const Stop &stop, const WorkerRequest &request)
{
    const std::string tail = kept(request);
    if (stop.signal != 0) {
        printErr("croton: %s%s%s\n", howStopped(stop).c_str(), stop.killed ? ", and killed, for the script did not stop" : "",
                 tail.c_str());
        return 128 + stop.signal;
    }
    if (stop.byTimeLimit) {
        printErr("croton: the script did not stop at its time limit of %g s and was killed%s\n", request.timeLimit, tail.c_str());
        return 1;
    }
    if (signal == SIGKILL) printErr("croton: the worker was killed, often for want of memory%s\n", tail.c_str());
    else
        printErr("croton: the worker %s signal %d, %s%s\n", isCrash(signal) ? "crashed and was killed by" : "was ended by", signal,
                 strsignal(signal), tail.c_str());
    return 128 + signal; // as a shell says it
}

} // namespace

std::string shellQuoted(const std::vector<std::string> &words)
{
    std::string out;
    for (const std::string &word : words) {
        out += out.empty() ? "" : " ";
        const bool plain = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                                                   "_@%+=:,./-") == std::string::npos;
        if (plain) {
            out += word;
            continue;
        }
        out += '\'';
        for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
        out += '\'';
    }
    return out;
}

std::string programHome() { return home().string(); }

std::string pythonFolders()
{
    const fs::path packages = home() / "python", around = home().parent_path();
    if (fs::exists(packages / "croton" / "worker.py")) return packages.string();
    // In a wheel all of this lies inside of the package.
    return fs::exists(around / "worker.py") ? packages.string() + ":" + around.parent_path().string() : "";
}

void checkScript(const std::string &path)
{
    std::error_code error;
    if (!fs::exists(path, error)) throw CliError("there is no file " + path);
    if (fs::is_directory(path, error)) throw CliError(path + " is a folder", "name a script in it");
}

int runWorker(const WorkerRequest &request)
{
    checkScript(request.script);
    prepareEnvironment(request);
    const std::vector<std::string> words = commandLine(request);

    // These are taken one at a time by sigtimedwait below, so nothing runs in a signal handler.
    const sigset_t ours = signalsToTake();
    sigset_t before;
    std::signal(SIGCHLD, SIG_DFL); // where it is ignored, no status is kept
    sigprocmask(SIG_BLOCK, &ours, &before);
    Keeper keeper([&](pid_t parent) { becomeWorker(request, words, parent, before); });

    ProgressLine progress(request.showProgress ? request.session : "");
    const double limit = request.timeLimit > 0 ? secondsNow() + request.timeLimit + kLimitGraceSeconds : 0;
    Stop stop;
    int handOn = 0;
    int waitedMs = 0;
    std::optional<int> ended;
    while (!(ended = keeper.status())) {
        const int tickMs = handOn != 0 ? kHandOnMs : kTickMs;
        const timespec tick{0, tickMs * 1'000'000L};
        siginfo_t info{};
        const int signal = sigtimedwait(&ours, &info, &tick);
        if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
            handOn = signal;
            if (stop.signal == 0) stop.signal = signal;
        }
        // Not at once: what was sent to our whole group must have come to all of it.
        if (signal < 0 && handOn != 0) keeper.handOn(std::exchange(handOn, 0));
        if (signal < 0 && stop.signal != 0 && (waitedMs += tickMs) >= kGraceMs) {
            stop.killed = true;
            keeper.endAll();
        }
        if (limit > 0 && stop.signal == 0 && secondsNow() > limit) {
            stop.byTimeLimit = true;
            keeper.endAll();
        }
        progress.update();
    }
    progress.clear();
    sigprocmask(SIG_SETMASK, &before, nullptr);
    if (WIFSIGNALED(*ended)) return endedBy(WTERMSIG(*ended), stop, request);
    const int code = WEXITSTATUS(*ended);
    if (stop.signal != 0 && code == 128 + stop.signal) return endedBy(stop.signal, stop, request);
    return code == Child::kNoProgram ? 1 : code;
}

} // namespace app
