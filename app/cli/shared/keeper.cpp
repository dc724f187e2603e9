#include "app/cli/shared/keeper.h"

#include "app/cli/shared/command.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace app {

namespace fs = std::filesystem;

namespace {

const int kEndAll = SIGRTMIN + 10; // also when the launcher has gone
const int kHandOn = SIGRTMIN + 11;
constexpr int kLookMs = 5;
constexpr int kRestMs = 2000; // for who is asked to end when the worker has

struct Process {
    pid_t number = 0, parent = 0, session = 0;
    bool isDead = false;
};

std::optional<Process> processAt(const std::string &number)
{
    Process process;
    if (std::from_chars(number.data(), number.data() + number.size(), process.number).ec != std::errc()) return std::nullopt;
    std::string line;
    std::getline(std::ifstream("/proc/" + number + "/stat"), line);
    const std::size_t name = line.rfind(')'); // which may hold anything
    char state = 0;
    int group = 0;
    if (name == std::string::npos ||
        std::sscanf(line.c_str() + name + 1, " %c %d %d %d", &state, &process.parent, &group, &process.session) != 4)
        return std::nullopt;
    process.isDead = state == 'Z' || state == 'X';
    return process;
}

// Those below us that live, in our session.
std::vector<pid_t> descendants()
{
    std::multimap<pid_t, Process> children;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator("/proc", error))
        if (const auto process = processAt(entry.path().filename().string())) children.emplace(process->parent, *process);
    std::vector<pid_t> found, open{getpid()};
    const pid_t session = getsid(0);
    while (!open.empty()) {
        const auto [from, to] = children.equal_range(open.back());
        open.pop_back();
        for (auto at = from; at != to; ++at) {
            open.push_back(at->second.number);
            if (!at->second.isDead && at->second.session == session) found.push_back(at->second.number);
        }
    }
    return found;
}

// True once none is left.
bool signalAll(int signal, int waitMs)
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(waitMs);
    std::map<pid_t, bool> asked;
    for (;;) {
        const std::vector<pid_t> left = descendants();
        if (left.empty()) return true;
        for (const pid_t process : left)
            if (!std::exchange(asked[process], true)) kill(process, signal);
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
    }
}

void killAll() { signalAll(SIGKILL, 1000); }

void tell(int to, int number)
{
    while (write(to, &number, sizeof number) < 0 && errno == EINTR) {
    }
}

std::optional<int> told(int from)
{
    int number = 0;
    ssize_t got;
    do got = read(from, &number, sizeof number);
    while (got < 0 && errno == EINTR);
    return got == sizeof number ? std::optional(number) : std::nullopt;
}

bool takePending(int signal)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    const timespec atOnce{};
    return sigtimedwait(&one, nullptr, &atOnce) == signal;
}

[[noreturn]] void keep(pid_t launcher, int told, const std::function<void(pid_t)> &becomeWorker)
{
    sigset_t all, awaited;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr); // what goes to the whole group waits here, and can be told from what the launcher got alone
    sigemptyset(&awaited);
    for (const int signal : {SIGCHLD, kEndAll, kHandOn}) sigaddset(&awaited, signal);
    prctl(PR_SET_PDEATHSIG, kEndAll);
    if (getppid() != launcher) _exit(1); // it was gone before
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "croton-keeper");
    const pid_t keeper = getpid();
    pid_t worker = -1;
    try {
        worker = Child([&] { becomeWorker(keeper); }).number();
        tell(told, worker);
    } catch (const std::system_error &error) {
        tell(told, -error.code().value());
    }
    bool isRestEnded = false;
    for (int status = 0;;) {
        siginfo_t info{};
        const int signal = sigwaitinfo(&awaited, &info);
        if (signal == kEndAll) killAll();
        if (signal == kEndAll && getppid() != launcher) _exit(1);
        if (signal == kHandOn && worker > 0 && !takePending(info.si_value.sival_int)) {
            isRestEnded = true;
            kill(worker, info.si_value.sival_int);
        }
        bool hasEnded = worker < 0;
        for (int one = 0; const pid_t ended = waitpid(-1, &one, WNOHANG);) {
            if (ended < 0) break;
            if (ended == worker) {
                hasEnded = true;
                status = one;
            }
        }
        if (!hasEnded) continue;
        if (isRestEnded && !signalAll(SIGTERM, kRestMs)) killAll();
        tell(told, status);
        _exit(0);
    }
}

} // namespace

Keeper::Keeper(const std::function<void(pid_t)> &becomeWorker)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw CliError(std::string("no process could be started: ") + std::strerror(errno));
    prctl(PR_SET_CHILD_SUBREAPER, 1); // should the keeper be killed
    int worker = 0;
    try {
        m_keeper = Child([&, launcher = getpid()] { keep(launcher, ends[1], becomeWorker); });
        close(ends[1]);
        worker = told(ends[0]).value_or(-EAGAIN);
    } catch (const std::system_error &error) {
        close(ends[1]);
        worker = -error.code().value();
    }
    m_told = ends[0];
    if (worker < 0) {
        close(m_told);
        throw CliError(std::string("no process could be started: ") + std::strerror(-worker));
    }
}

Keeper::~Keeper() { close(m_told); }

std::optional<int> Keeper::status()
{
    if (!m_keeper->hasEnded()) return std::nullopt;
    if (const auto status = told(m_told)) return status;
    killAll();
    return SIGKILL; // which the worker got with its keeper
}

void Keeper::endAll() const { kill(m_keeper->number(), kEndAll); }
void Keeper::handOn(int signal) const { sigqueue(m_keeper->number(), kHandOn, {.sival_int = signal}); }

} // namespace app
