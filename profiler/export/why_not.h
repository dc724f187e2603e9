#pragma once
// "Why not?": the last answer of every rewrite that looks at an apply of the optimized graph.

#include "profiler/session/store/replica.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// Live applies that `node` names: the number of an apply ("12", "a12"), the name of an output, or a part of the op's name.
[[nodiscard]] std::vector<ApplyId> appliesNamed(const GraphReplica &graph, std::string_view node);

// One block per apply: rewrite, reason, and the node that caused it. The replica stands at the optimized graph.
[[nodiscard]] std::string whyNotText(const GraphReplica &graph, const std::vector<Decline> &declines, const std::vector<ApplyId> &applies);
// {"applies": [{"apply", "op", "label", "declined": [{"rewrite", "reason", "because", "becauseLabel"}]}]}.
[[nodiscard]] nlohmann::json whyNotJson(const GraphReplica &graph, const std::vector<Decline> &declines,
                                        const std::vector<ApplyId> &applies);

} // namespace profiler
