#pragma once
// A process that a command starts and whose end it waits for.

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace app {

class Child {
public:
    // Runs in the new process before the program, or instead of it: then it does not return.
    using Body = std::function<void()>;
    // Throws std::system_error if there can be no process.
    explicit Child(const Body &body);
    // The program of words[0]. Throws CliError if there can be no process; without such a program its status is kNoProgram, after
    // `missing` in the child.
    static Child of(const std::vector<std::string> &words, const Body &prepare = {}, const Body &missing = {});
    static constexpr int kNoProgram = 127;

    [[nodiscard]] pid_t number() const { return m_number; }
    // Its exit status, 128 + the signal that ended it.
    [[nodiscard]] int wait() const;
    [[nodiscard]] bool hasEnded() const;
    // Becomes the program of words[0]; returns if there is none.
    static void become(const std::vector<std::string> &words);

private:
    pid_t m_number;
};

} // namespace app
