// One Composite body from several elementwise applies.
#pragma once

#include "engine/rewrite/build.h"

#include <vector>

namespace engine {

struct FusedBody {
    ScalarBody body;
    std::vector<VarId> inputs;
    /// Per instruction: the applies it comes from (empty for literals).
    std::vector<std::vector<ApplyId>> origins;
};

/// `members` are Elemwise applies that may be nested Composites; `outputs` are values of theirs.
FusedBody fuseBody(const FunctionGraph &graph, const std::vector<ApplyId> &members, const std::vector<VarId> &outputs,
                   bool inlineConstants);

} // namespace engine
