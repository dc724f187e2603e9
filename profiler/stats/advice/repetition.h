#pragma once
// Parts of a graph that repeat: iterations of a loop that was written out, layers, the same update for each parameter.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace profiler {

// Nodes in an order in which inputs come before their readers.
struct RepeatGraph {
    struct Input {
        int node = -1;          // what makes it; -1: it comes from outside
        std::uint32_t kind = 0; // which output of the node, or what kind of thing from outside
    };
    std::vector<std::uint32_t> kinds;    // of nodes: equal ones do the same work
    std::vector<std::size_t> firstInput; // into `inputs`, and one more
    std::vector<Input> inputs;

    [[nodiscard]] int size() const { return static_cast<int>(kinds.size()); }
};

// One part of the graph that stands there several times.
struct Repeat {
    int count = 0;               // how often
    bool chained = false;        // one after the other; else beside one another
    std::vector<int> nodes;      // ascending
    std::vector<int> instanceOf; // of each of them, 0 … count - 1
};

// Disjoint; ordered by their first nodes. What repeats less than `least` times is not told. Time: near linear in the edges.
[[nodiscard]] std::vector<Repeat> findRepeats(const RepeatGraph &graph, int least = 3);

} // namespace profiler
