#pragma once
// What a picture of a graph does not draw: a short constant, and an apply that only brings one into shape, are written into the title of
// the node that reads them.

#include "profiler/session/store/replica.h"

#include <set>
#include <string_view>

namespace profiler {

// Few characters, without blanks: "10", "-0.5".
[[nodiscard]] bool isShortConstant(std::string_view value);
// The constant that is written into the title of each reader of a variable; nullptr: the variable is drawn. Applies in `drawn` are drawn
// in any case.
[[nodiscard]] const std::string *inlinedConstant(const GraphReplica &graph, VariableId variable, const std::set<ApplyId> &drawn = {});
// Whether an apply has no node of its own. What an output of the graph is has one.
[[nodiscard]] bool isInlined(const GraphReplica &graph, const ReplicaApply &apply, const std::set<ApplyId> &drawn = {});

} // namespace profiler
