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
    /// The apply behind the last answer; kNoApply where none is.
    ApplyId because() const { return m_because; }

    /// `made` replaced `old` with the same inputs (and destroys what was asked for).
    void moved(ApplyId old, ApplyId made);

private:
    /// Edges beside those of the graph, by the apply where they begin. Most applies have none.
    class Edges {
    public:
        void cover(std::size_t applies) { m_first.resize(applies, kNone); }
        void push(ApplyId from, ApplyId to)
        {
            m_all.push_back({to, m_first[raw(from)]});
            m_first[raw(from)] = static_cast<std::uint32_t>(m_all.size() - 1);
        }
        void popLatest(ApplyId from) { m_first[raw(from)] = m_all[m_first[raw(from)]].next; }
        /// Calls `visit(to)` with a reference that may be changed.
        template <class Visit>
        void each(ApplyId from, Visit &&visit)
        {
            for (std::uint32_t i = m_first[raw(from)]; i != kNone; i = m_all[i].next) visit(m_all[i].to);
        }
        /// What begins at `from` begins at `to` as well.
        void share(ApplyId from, ApplyId to) { m_first[raw(to)] = m_first[raw(from)]; }

    private:
        static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
        struct Edge {
            ApplyId to;
            std::uint32_t next;
        };
        std::vector<std::uint32_t> m_first;
        std::vector<Edge> m_all;
    };

    VarId viewRoot(VarId var) const;
    void collectClass(VarId root, std::vector<VarId> &members) const;
    bool orderBefore(ApplyId reader, ApplyId destroyer);
    ApplyId destroyerOf(VarId var) const;
    void coverNew();
    std::uint32_t &rank(ApplyId id)
    {
        if (raw(id) >= m_rank.size()) coverNew();
        return m_rank[raw(id)];
    }

    const FunctionGraph &m_graph;
    std::vector<ApplyId> m_order;
    std::vector<std::uint32_t> m_rank;             ///< position in an order that respects all constraints so far
    Edges m_after;  ///< destroyers that come after an apply
    Edges m_before; ///< the same, from the destroyer
    std::vector<bool> m_destroyed;                 ///< variables whose memory is overwritten
    std::vector<bool> m_mutable;
    ApplyId m_because = kNoApply;
    // Of the searches; what one has seen carries its number.
    std::uint32_t m_search = 0;
    std::vector<std::uint32_t> m_seen; // by apply
    std::vector<ApplyId> m_forward, m_backward;
};

} // namespace engine
