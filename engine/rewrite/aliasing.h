// Who shares memory with whom, and which order a destroyer asks for.
#pragma once

#include "engine/graph/function_graph.h"

#include <cstdint>
#include <vector>

namespace engine {

/// Kept up to date while applies are swapped for their in-place forms.
class Aliasing {
public:
    explicit Aliasing(const FunctionGraph &graph);

    /// Live applies at the beginning, readers of overwritten memory before their destroyer.
    const std::vector<ApplyId> &order() const { return m_order; }

    /// Null if apply `id` may overwrite its input `port`, else why it may not. What it takes (readers before it) is
    /// then part of the order.
    const char *whyNot(ApplyId id, std::size_t port);

    /// `made` replaced `old` with the same inputs (and destroys what was asked for).
    void moved(ApplyId old, ApplyId made);

private:
    VarId viewRoot(VarId var) const;
    void collectClass(VarId root, std::vector<VarId> &members) const;
    bool orderBefore(ApplyId reader, ApplyId destroyer);
    std::uint32_t &rank(ApplyId id);

    const FunctionGraph &m_graph;
    std::vector<ApplyId> m_order;
    std::vector<std::uint32_t> m_rank;             ///< position in an order that respects all constraints so far
    std::vector<std::vector<ApplyId>> m_after;     ///< extra edges: destroyers that come after an apply
    std::vector<std::vector<ApplyId>> m_before;    ///< the same, from the destroyer
    std::vector<bool> m_destroyed;                 ///< variables whose memory is overwritten
    std::vector<bool> m_mutable;
};

} // namespace engine
