// From the text of a unit to its functions: found on disk, or compiled, by one process at a time.
#pragma once

#include "engine/rt/kernel_function.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// `count` functions croton_kernel_0 … as the disk has them; empty: it does not.
std::vector<KernelFunction> findUnit(const std::string &source, std::size_t count);

struct BuiltUnit {
    std::vector<KernelFunction> functions; ///< empty: failed
    bool fromCache = false;                ///< another process had compiled it
    bool ended = false;                    ///< `leaving` came before it was done
    std::string command, messages;
    std::string notice; ///< what the person should know although it worked
    std::uint64_t nanoseconds = 0;
};

/// Blocks until it is done, at most about twice the compile limit. What is loaded stays loaded: a call may be inside it at any time.
BuiltUnit buildUnit(const std::string &source, std::size_t count, const std::atomic<bool> &leaving);

} // namespace engine
