#pragma once
// What results take in memory, also those of applies that a rewrite took away before they ever ran.

#include "profiler/session/store/replica.h"

#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace profiler {

// Sizes are measured in the optimized graph. A result that another one replaced had the same value, and so the same size; what only
// stood inside of a replaced part has no known size.
class ResultSizes {
public:
    // `final`: the replica at its last step. `variables`: of that graph, with what they took in the last run.
    ResultSizes(const GraphReplica &final, const std::vector<VariableRow> &variables);

    // Of the outputs that are not the memory of an input; nullopt where one of them is unknown.
    [[nodiscard]] std::optional<std::int64_t> ownBytes(ApplyId apply) const;
    // What `come` takes more than `gone`; below 0: less. nullopt where a size on either side is unknown.
    [[nodiscard]] std::optional<std::int64_t> bytesMore(const std::set<ApplyId> &gone, const std::set<ApplyId> &come) const;

private:
    const GraphReplica &m_final;
    std::unordered_map<std::uint32_t, std::int64_t> m_bytes; // by variable
};

} // namespace profiler
