#include "engine/device/cpu/compiler/child_process.h"

#include "engine/device/cpu/compiler/descriptor.h"
#include "engine/device/cpu/compiler/environment.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace engine {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLastMoments{300};
constexpr int kPollMs = 10; // how often we look whether it has ended, or we are to leave

bool writeInput(int fd, const std::string &text)
{
    for (std::size_t written = 0; written < text.size();) {
        const ssize_t n = write(fd, text.data() + written, text.size() - written);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        written += static_cast<std::size_t>(n);
    }
    return lseek(fd, 0, SEEK_SET) == 0;
}

/// Takes what the pipe holds; false at its end.
bool drain(int pipe, std::string &output, std::size_t most)
{
    char buffer[4096];
    while (true) {
        const ssize_t n = read(pipe, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        if (n == 0) return false;
        const std::size_t kept = std::min(static_cast<std::size_t>(n), most - std::min(most, output.size()));
        output.append(buffer, kept);
    }
}

void makePlain(std::string &text)
{
    for (char &c : text)
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || static_cast<unsigned char>(c) > 0x7e) c = '?';
}

/// Starts it as the head of a session of its own, so that all of it can be killed, and not by who kills ours; 0 or errno.
int start(const std::vector<std::string> &arguments, const std::string &temporaryFolder, int input, int output, pid_t &child)
{
    std::vector<char *> argv, environment;
    for (const std::string &argument : arguments) argv.push_back(const_cast<char *>(argument.c_str()));
    argv.push_back(nullptr);
    EnvironmentCopy inherited = environmentCopy();
    for (std::string &entry : inherited)
        if (!entry.starts_with("LC_ALL=") && (temporaryFolder.empty() || !entry.starts_with("TMPDIR=")))
            environment.push_back(entry.data());
    std::string english = "LC_ALL=C", temporary = "TMPDIR=" + temporaryFolder;
    environment.push_back(english.data());
    if (!temporaryFolder.empty()) environment.push_back(temporary.data());
    environment.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3); // whoever reads a pipe of ours waits for us alone
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, byDefault;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    sigemptyset(&byDefault);
    sigaddset(&byDefault, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &byDefault);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    // Not fork: that copies the page tables of a large process.
    const int failed = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/// Whoever is asked to end can delete what it has put down; who does not listen, and what it started, is killed.
void endGroup(pid_t child)
{
    kill(-child, SIGTERM);
    for (const auto deadline = Clock::now() + kLastMoments; Clock::now() < deadline;) {
        siginfo_t gone{};
        // Not reaped yet: nobody else may get the number of the group.
        const int asked = waitid(P_PID, static_cast<id_t>(child), &gone, WEXITED | WNOHANG | WNOWAIT);
        if (asked == 0 ? gone.si_pid == child : errno != EINTR) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(-child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::string secondsText(std::chrono::milliseconds time)
{
    return time.count() % 1000 ? std::to_string(time.count()) + " ms" : std::to_string(time.count() / 1000) + " s";
}

} // namespace

ProgramEnd runProgram(const std::vector<std::string> &arguments, const std::string &input, const ProgramLimits &limits,
                      const std::string &temporaryFolder)
{
    ProgramEnd end;
    const auto cannot = [&](int error) {
        end.problem = arguments[0] + " cannot be started: " + std::strerror(error);
        return end;
    };
    // In memory: the disk may be full.
    const Descriptor in(memfd_create("croton-input", MFD_CLOEXEC));
    int ends[2];
    if (in.get() < 0 || !writeInput(in.get(), input) || pipe2(ends, O_CLOEXEC) != 0) return cannot(errno);
    const Descriptor out(ends[0]);
    Descriptor far(ends[1]);
    fcntl(out.get(), F_SETFL, O_NONBLOCK);
    pid_t child = -1;
    if (const int failed = start(arguments, temporaryFolder, in.get(), far.get(), child)) return cannot(failed);
    far.reset();

    auto deadline = Clock::now() + limits.time;
    bool isHurried = false, isOpen = true;
    while (true) {
        if (isOpen) {
            pollfd waiting{out.get(), POLLIN, 0};
            poll(&waiting, 1, kPollMs);
            isOpen = drain(out.get(), end.output, limits.output);
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        int state = 0;
        const pid_t reaped = waitpid(child, &state, WNOHANG);
        if (reaped == child) {
            if (isOpen) drain(out.get(), end.output, limits.output); // what it started may hold the pipe open for ever
            if (WIFEXITED(state)) end.status = WEXITSTATUS(state);
            else end.problem = arguments[0] + " was killed by signal " + std::to_string(WTERMSIG(state));
            break;
        }
        if (reaped < 0 && errno != EINTR) {
            if (isOpen) drain(out.get(), end.output, limits.output);
            end.status = 0; // somebody else reaped it (a SIGCHLD handler of the host): judged by its product
            break;
        }
        if (limits.leaving && limits.leaving->load(std::memory_order_relaxed)) {
            end.problem = arguments[0] + " was left to itself";
            break;
        }
        if (limits.isHurried && limits.isHurried() && !isHurried) {
            isHurried = true;
            deadline = std::min(deadline, Clock::now() + limits.grace);
        }
        if (Clock::now() < deadline) continue;
        endGroup(child);
        end.problem = isHurried ? arguments[0] + " was ended with the process"
                                : arguments[0] + " was not done after " + secondsText(limits.time) + " and was ended";
        break;
    }
    makePlain(end.output);
    return end;
}

} // namespace engine
