#pragma once
// What a fork of the process means to sessions: only the thread that forked goes on in the child.

namespace profiler {

/// Forks between the process that began and this one: what remembers another number was made by a parent.
[[nodiscard]] unsigned forksSoFar();

/// No fork begins while one of these lives. Around each call of SQLite: its locks are the whole process's, and a child
/// that found one taken could never open a session of its own. For moments, and never one within another.
class HoldsOffForks {
public:
    HoldsOffForks();
    ~HoldsOffForks();
    HoldsOffForks(const HoldsOffForks &) = delete;
    HoldsOffForks &operator=(const HoldsOffForks &) = delete;
};

} // namespace profiler
