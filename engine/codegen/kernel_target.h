// What the form of a kernel depends on: how the items of a device run.
#pragma once

#include "engine/codegen/dialect.h"

#include <algorithm>

namespace engine {

class KernelTarget {
public:
    /// What keeps the threads of a processor busy, and how many elements are worth another thread.
    static constexpr std::int64_t kStrips = 64, kLeastStrip = 16384;
    /// Of a card: each item goes on to its next element.
    static constexpr std::int64_t kGroupItems = 256, kMostGroups = 4096;

    explicit KernelTarget(const Device &device) : KernelTarget(device.info().dialect) {}
    explicit KernelTarget(Dialect dialect) : m_runs(wordsOf(dialect).runs) {}

    /// Returns true if thousands of items run at once, as on a GPU.
    bool hasManyItems() const { return m_runs == ItemsRun::AtOnce; }
    /// Returns true if items are loops on a processor, each over neighbouring elements.
    bool takesStrips() const { return m_runs == ItemsRun::InStrips; }
    /// How many items share a row of `count` elements. `least`: elements that are worth an item of a card.
    std::int64_t partsOf(std::int64_t rows, std::int64_t count, std::int64_t least) const
    {
        const std::int64_t items = hasManyItems() ? 16384 : kStrips;
        return std::max<std::int64_t>(std::min(count / (hasManyItems() ? least : kLeastStrip), items / rows), 1);
    }
    /// For so many items with about so many elements each, in groups of `group` of them.
    LaunchShape shapeOf(std::int64_t items, std::int64_t elements, std::int64_t group = kGroupItems) const
    {
        const std::int64_t strips = std::max<std::int64_t>(std::min({items * elements / kLeastStrip, items, kStrips}), 1),
                           groups = std::min((items + group - 1) / group, kMostGroups);
        if (takesStrips()) return {static_cast<std::uint32_t>(strips), 1};
        return {static_cast<std::uint32_t>(groups), static_cast<std::uint32_t>(group)};
    }

private:
    ItemsRun m_runs;
};

} // namespace engine
