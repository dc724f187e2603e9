// One Composite body from several elementwise applies.
#pragma once

#include "engine/rewrite/machine/build.h"

#include <algorithm>
#include <vector>

namespace engine {

constexpr std::size_t kLargestBody = 256; // a loop with more instructions only spills registers
constexpr std::size_t kMostArrays = 64;   // that one loop reads: more streams are slower than a pass more

struct FusedBody {
    ScalarBody body;
    std::vector<VarId> inputs;
    /// Per instruction: the applies it comes from (empty for literals).
    std::vector<std::vector<ApplyId>> origins;
};

/// Do arrays of these types broadcast along the same axes, on one device?
inline bool samePattern(Type a, Type b)
{
    return a.identical(b) ||
           (a.device() == b.device() && std::equal(a.shape().begin(), a.shape().end(), b.shape().begin(), b.shape().end(),
                                                   [](std::int64_t left, std::int64_t right) { return (left == 1) == (right == 1); }));
}

/// `members` are Elemwise applies that may be nested Composites; `outputs` are values of theirs.
FusedBody fuseBody(const FunctionGraph &graph, const std::vector<ApplyId> &members, const std::vector<VarId> &outputs,
                   bool inlineConstants);

} // namespace engine
