// Sizes that loops over elements share.
#pragma once

#include <cstdint>

namespace engine {

constexpr double kCheapCost = 4;            // additions; up to here memory is what an element costs
constexpr std::int64_t kFewRows = 4;        // too few to be worth reading together
constexpr std::int64_t kUncut = 1 << 20;    // elements that a loop takes at once: between them the thunk looks for an interrupt
constexpr std::int64_t kColumnStrip = 1024; // accumulators of a strip stay in the first cache

} // namespace engine
