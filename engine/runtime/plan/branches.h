// Which applies only one branch of a choice needs, and when.
#pragma once

#include "engine/graph/ir/function_graph.h"
#include "engine/tensor/indexed.h"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace engine {

enum class BranchId : std::int32_t {};
inline constexpr BranchId kAlways{-1}; ///< no branch: it runs in any case

/// A branch is taken where the branch around it is, and its condition is as wanted.
struct Branch {
    ApplyId choice = kNoApply;
    VarId condition = kNoVar; ///< of the choice
    bool wanted = true;
    BranchId around = kAlways;
};

using BranchList = Indexed<BranchId, Branch>;

/// Is branch `id` of `all` taken? `truth(condition)` is asked from the outermost condition on, until one is not as wanted; one of which
/// it knows nothing counts as wanted.
template <class Truth>
bool isTaken(const BranchList &all, BranchId id, const Truth &truth)
{
    if (id == kAlways) return true;
    const Branch &branch = all[id];
    if (!isTaken(all, branch.around, truth)) return false;
    const std::optional<bool> known = truth(branch.condition);
    return !known || *known == branch.wanted;
}

class Branches {
public:
    /// `order`: all applies that run, users after what they use. What comes before the condition always runs, unless the order is still
    /// `open`.
    Branches(const FunctionGraph &graph, std::span<const ApplyId> order, bool isOpen = false);

    bool empty() const { return m_all.empty(); }
    const BranchList &all() const { return m_all; }
    /// The innermost branch that apply `id` is part of.
    BranchId of(ApplyId id) const
    {
        const auto found = m_of.find(raw(id));
        return found == m_of.end() ? kAlways : found->second;
    }
    /// visit(condition) for all that decide whether apply `id` runs.
    template <class Visit>
    void eachCondition(ApplyId id, const Visit &visit) const
    {
        for (BranchId branch = of(id); branch != kAlways; branch = m_all[branch].around) visit(m_all[branch].condition);
    }

private:
    BranchId common(BranchId a, BranchId b) const;

    BranchList m_all;
    Indexed<BranchId, int> m_depth;
    std::unordered_map<std::uint32_t, BranchId> m_of; // by apply
};

/// The truth of a 0-d value.
bool isTrue(const View &condition);

} // namespace engine
