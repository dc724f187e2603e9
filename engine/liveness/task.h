// What runs, what it reads and makes, and in whose memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace liveness {

inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Where an array lies.
enum class Home : std::uint8_t {
    Given, ///< there before the call: takes nothing of it
    Arena, ///< laid out with the others
    Whole, ///< memory of its own from the beginning of the call to its end: what is returned
};

struct Array {
    std::int64_t bytes = 0;
    Home home = Home::Arena;
};

/// A look at an array. Values of one state see the same content; whoever overwrites one of them begins another state.
struct Value {
    int array = -1;
    int state = -1;
    int maker = -1; ///< the work; -1: given
};

/// An apply, or several that run as one.
struct Work {
    std::vector<int> reads, makes;
    std::vector<int> overwrites; ///< of `reads`: their content is gone afterwards
    std::vector<int> after;      ///< works that come before it, whatever the values say
    double cost = 0;             ///< of doing it once more, in ns
    bool canRepeat = false;      ///< the same inputs give the same bits
};

struct Task {
    std::vector<Array> arrays;
    std::vector<Value> values;
    std::vector<Work> works;
    int states = 0;
};

/// By work: which works come before it, each once. What reads a value comes before who overwrites it.
std::vector<std::vector<int>> worksBefore(const Task &task);

/// Does each work find what it reads, as it was made?
bool isValid(const Task &task, std::span<const int> order);

/// An array from the first work that makes it to the last that needs it; from > to: nobody made it.
struct Span {
    int from = 1, to = 0;
};
std::vector<Span> spansOf(const Task &task, std::span<const int> order);

struct Usage {
    std::vector<std::int64_t> live; ///< by position, what is returned included
    std::int64_t peak = 0;          ///< the most of it
    std::int64_t arena = 0;         ///< as the arena is laid out
    std::int64_t whole = 0;         ///< outside of it
    std::int64_t bytes() const { return arena + whole; }
};
/// What a call takes when the works run in this order. Without laying out, the arena has no holes.
Usage usageOf(const Task &task, std::span<const int> order, bool laysOut = true);

} // namespace liveness
