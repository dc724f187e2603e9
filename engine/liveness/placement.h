// Where arrays lie in one arena: those that live at the same time lie apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace liveness {

/// An array of an arena: from the position that makes it to the last one that needs it.
struct Life {
    std::size_t from = 0, to = 0;
    std::size_t bytes = 0;
};

struct Placement {
    std::vector<std::size_t> offsets; // by life
    std::size_t bytes = 0;            // of the arena
};

/// An arena of at most so much is kept for the next call.
constexpr std::size_t kKeptArenaBytes = std::size_t(64) << 20;

/// What an array takes in an arena: whole cache lines, and never nothing.
std::size_t arenaBytes(std::size_t bytes);

/// Lives in the order in which they begin. Best fit as time goes on; where that leaves holes, the largest first, and what takes less.
Placement place(std::span<const Life> lives);

} // namespace liveness
