#include "app/cli/shared/child.h"

#include "app/cli/shared/command.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace app {

Child::Child(const Body &body)
{
    std::fflush(stdout); // otherwise both processes print the buffered text
    m_number = fork();
    if (m_number < 0) throw std::system_error(errno, std::generic_category());
    if (m_number > 0) return;
    try {
        body();
    } catch (...) { // must not return into the parent's code
    }
    _exit(kNoProgram);
}

Child Child::of(const std::vector<std::string> &words, const Body &prepare, const Body &missing)
{
    try {
        return Child([&] {
            if (prepare) prepare();
            become(words);
            if (missing) missing();
        });
    } catch (const std::system_error &error) {
        throw CliError(words[0] + " cannot be started: " + error.code().message(), "close some programs and try again");
    }
}

int Child::wait() const
{
    int status = 0;
    while (waitpid(m_number, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool Child::hasEnded() const { return waitpid(m_number, nullptr, WNOHANG) != 0; }

void Child::become(const std::vector<std::string> &words)
{
    std::vector<char *> argv;
    for (const std::string &word : words) argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
}

} // namespace app
