// The clock of compiling: journal steps, passes and rewrites are all timed by it.
#pragma once

#include <chrono>
#include <cstdint>

namespace engine {

inline std::uint64_t nowNs() { return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()); }

} // namespace engine
