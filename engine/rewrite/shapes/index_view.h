// A basic index as rewrites look at it: entries with their scalars.
#pragma once

#include "engine/ops/index/index.h"
#include "engine/rewrite/machine/build.h"

#include <optional>
#include <vector>

namespace engine {

struct IndexPart {
    bool isSlice = false;
    std::optional<VarHandle> start, stop, step; ///< an integer uses start; missing bounds are None

    bool isFull() const { return isSlice && !start && !stop && !step; }
    bool isInteger() const { return !isSlice; }
    friend bool operator==(const IndexPart &a, const IndexPart &b)
    {
        return a.isSlice == b.isSlice && a.start == b.start && a.stop == b.stop && a.step == b.step;
    }
};
using IndexParts = std::vector<IndexPart>;

inline IndexPart fullSlice() { return {true, {}, {}, {}}; }
/// What a Subtensor reads, or an IncSubtensor writes.
IndexParts partsOf(const NodeHandle &node);
std::vector<IndexEntry> entriesOf(const IndexParts &parts);
std::vector<VarHandle> scalarsOf(const IndexParts &parts);
/// x[parts]; x itself if nothing is taken away. Trailing full slices are left out.
VarHandle indexed(Editor &edit, VarHandle x, IndexParts parts);
/// slice(0, n, 1) of an axis of n elements, in any of its spellings, is a full slice.
bool takesWholeAxis(Editor &edit, const IndexPart &part, VarHandle x, int axis);
/// The known integer of a scalar.
std::optional<std::int64_t> knownInteger(const std::optional<VarHandle> &v);

} // namespace engine
