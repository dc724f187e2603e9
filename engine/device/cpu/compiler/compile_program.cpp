// croton-compile: runs a C compiler for a process that may be gone before it is done.
#include "engine/device/cpu/compiler/compile_program.h"

#include "engine/device/cpu/compiler/child_process.h"
#include "engine/device/cpu/compiler/product_lock.h"
#include "engine/device/cpu/compiler/seal.h"
#include "engine/device/cpu/compiler/temporary.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace fs = std::filesystem;
using std::chrono::milliseconds;

namespace {

/// The compiler's own temporary files lie in a folder of their own: it may be killed.
class Workplace {
public:
    Workplace()
    {
        const char *parent = std::getenv("TMPDIR");
        if (parent && *parent) m_path = engine::makeTemporaryFolder(fs::path(parent) / "croton");
    }
    ~Workplace()
    {
        std::error_code error;
        if (!m_path.empty()) fs::remove_all(m_path, error);
    }
    Workplace(const Workplace &) = delete;
    Workplace &operator=(const Workplace &) = delete;
    std::string path() const { return m_path.string(); }

private:
    fs::path m_path;
};

int say(std::string_view text, int status)
{
    while (!text.empty()) {
        const ssize_t n = write(STDOUT_FILENO, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break; // nobody listens any more
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return status;
}

std::string heard()
{
    std::string text;
    char block[65536];
    for (ssize_t n; (n = read(STDIN_FILENO, block, sizeof block)) != 0;)
        if (n > 0) text.append(block, static_cast<std::size_t>(n));
        else if (errno != EINTR) break;
    return text;
}

int compile(pid_t asker, milliseconds limit, milliseconds grace, const fs::path &target, std::vector<std::string> command)
{
    const auto isAlone = [asker] { return getppid() != asker; };
    fs::path temporary;
    const int made = engine::makeTemporaryFile(target, temporary);
    if (made < 0)
        return say("no file can be made in " + target.parent_path().string() + ": " + std::generic_category().message(errno),
                   engine::kNotKept);
    close(made);
    const Workplace workplace;
    command.insert(command.end(), {"-o", temporary.string()});
    engine::ProgramLimits limits;
    limits.time = limit;
    const bool isForAll = grace > milliseconds(0);
    std::optional<engine::ProductLock> lock; // of the one who asked, while there is one
    if (isForAll) lock.emplace(target);
    limits.isHurried = [&] {
        if (!isAlone()) return false;
        if (lock) lock->tryTake();
        return true;
    };
    limits.grace = grace;
    limits.output -= 4096; // the end of what we say is our own
    const engine::ProgramEnd end = engine::runProgram(command, heard(), limits, workplace.path());
    std::string text = end.output;
    const auto addLine = [&](const std::string &line) { text += (text.empty() || text.back() == '\n' ? "" : "\n") + line; };
    int status = engine::kCompiled;
    if (!end.ok()) {
        addLine(end.problem.empty() ? command[0] + " ended with status " + std::to_string(end.status) : end.problem);
        status = engine::kCompilerFailed;
    } else if (const std::string problem = engine::sealProduct(temporary, target); !problem.empty()) {
        addLine(problem);
        status = engine::kNotKept;
    }
    std::error_code error;
    if (status != engine::kCompiled) fs::remove(temporary, error);
    if (isAlone() && !isForAll) { // a place for the one who asked alone
        fs::remove(target, error);
        rmdir(target.parent_path().c_str());
    }
    return say(text, status);
}

} // namespace

int main(int count, char **words)
{
    if (count < 6) return say("croton-compile is run by libcroton\n", 64);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGCHLD, SIG_DFL);
    return compile(static_cast<pid_t>(std::atol(words[1])), milliseconds(std::atoll(words[2])), milliseconds(std::atoll(words[3])),
                   words[4], {words + 5, words + count});
}
