// A task from applies in the order in which they run.
#pragma once

#include "engine/liveness/task.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace liveness {

/// Applies that may run as one are kept together where no more than so many positions lie between them.
inline constexpr std::size_t kFarthestTogether = 4096;

/// Whose memory an output has.
enum class Sharing : std::uint8_t { Fresh, View, Inplace };

/// A variable, and the one whose memory it has in the plan (itself if that is its own).
struct Made {
    std::uint32_t variable = 0;
    std::uint32_t root = 0;
    Sharing sharing = Sharing::Fresh;
    std::int64_t bytes = 0;
    bool isCounted = true; ///< false: memory of another device
};

class TaskBuilder {
public:
    struct WhatIf {
        bool inplace = true; ///< false: what would overwrite makes an array of its own
        bool views = true;   ///< false: what would look makes a copy
    };
    TaskBuilder() = default;
    explicit TaskBuilder(WhatIf whatIf) : m_whatIf(whatIf) {}

    /// Is there before the call.
    void given(std::uint32_t variable);
    /// The next apply. What it reads of variables that nobody named is given, too.
    void add(std::span<const std::uint32_t> reads, std::span<const Made> makes, double cost, bool canRepeat);
    /// The next apply runs as one with the last.
    void joinNext() { m_joins = true; }
    /// The last work comes after the one that makes this.
    void needs(std::uint32_t variable);
    /// Is returned: its memory outlives the call.
    void returns(std::uint32_t variable);

    const Task &task() const { return m_task; }
    Task take() { return std::move(m_task); }
    /// -1: none
    int valueOf(std::uint32_t variable) const;

private:
    int addArray(std::int64_t bytes, Home home);
    int addValue(std::uint32_t variable, int array, int state, int maker, std::uint32_t root);

    WhatIf m_whatIf;
    Task m_task;
    std::unordered_map<std::uint32_t, int> m_values;
    std::vector<std::uint32_t> m_roots; // by value, in the plan
    bool m_joins = false;
};

} // namespace liveness
