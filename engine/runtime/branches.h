// Which applies only one branch of a choice needs, and when.
#pragma once

#include "engine/graph/function_graph.h"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace engine {

/// A branch is taken where the branch around it is, and its condition is as wanted.
struct Branch {
    ApplyId choice = kNoApply;
    VarId condition = kNoVar; ///< of the choice
    bool wanted = true;
    int around = -1; ///< the number of another one; -1: none
};

/// Is branch `number` of `all` taken? `truth(condition)` is asked from the outermost condition on, until one is not as wanted; one of which
/// it knows nothing counts as wanted.
template <class Truth>
bool isTaken(std::span<const Branch> all, int number, const Truth &truth)
{
    if (number < 0) return true;
    const Branch &branch = all[number];
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
    const std::vector<Branch> &all() const { return m_all; }
    /// The innermost branch that apply `id` is part of; -1: none, it always runs.
    int of(ApplyId id) const
    {
        const auto found = m_of.find(raw(id));
        return found == m_of.end() ? -1 : found->second;
    }
    /// visit(condition) for all that decide whether apply `id` runs.
    template <class Visit>
    void eachCondition(ApplyId id, const Visit &visit) const
    {
        for (int number = of(id); number >= 0; number = m_all[number].around) visit(m_all[number].condition);
    }

private:
    int common(int a, int b) const;

    std::vector<Branch> m_all;
    std::vector<int> m_depth;
    std::unordered_map<std::uint32_t, int> m_of; // by apply
};

/// The truth of a 0-d value.
bool isTrue(const View &condition);

} // namespace engine
