// Another program, run to its end or to a limit of time.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace engine {

struct ProgramEnd {
    int status = -1;     ///< the exit status; -1: there is none
    std::string problem; ///< why there is none: did not start, was killed, took too long
    std::string output;  ///< the beginning of what it wrote to stdout and stderr, in plain characters
    bool ok() const { return status == 0; }
};

struct ProgramLimits {
    std::chrono::milliseconds time{120'000};
    /// Asked again and again; once it says so, the program has `grace` left.
    std::function<bool()> isHurried;
    std::chrono::milliseconds grace{0};
    /// Once it is true, the program is left to itself.
    const std::atomic<bool> *leaving = nullptr;
    std::size_t output = std::size_t(64) << 10; ///< that is kept
};

/// `arguments[0]` is looked up in the PATH. At the limit the program and what it started are asked to end, and killed where
/// they do not. It speaks English (LC_ALL=C) and has our environment, with TMPDIR as given, but none of our descriptors.
ProgramEnd runProgram(const std::vector<std::string> &arguments, const std::string &input, const ProgramLimits &limits,
                      const std::string &temporaryFolder = {});

} // namespace engine
