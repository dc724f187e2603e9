// Who shares memory with whom, and which order a destroyer asks for.
#pragma once

#include "engine/graph/ir/function_graph.h"

#include <cstdint>
#include <unordered_map>
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
    /// What these questions took so far.
    std::uint64_t nanoseconds() const { return m_ns; }
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
    /// Of all that must come before (after) an apply, what stands between two others; grows by one apply at a time.
    struct Search {
        std::vector<ApplyId> found;
        std::size_t looked = 0;
        std::uint32_t mark = 0; ///< what it has seen carries it
        void begin(ApplyId from, std::uint32_t number)
        {
            found.assign(1, from);
            looked = 0;
            mark = number;
        }
        bool isOver() const { return looked == found.size(); }
    };
    bool orderBefore(ApplyId reader, ApplyId destroyer);
    /// Looks at the next one; false if it meets what the other search has seen.
    bool lookForward(std::uint64_t until);
    bool lookBackward(std::uint64_t from);
    bool see(Search &search, ApplyId id, std::uint32_t met);
    void moveBetween(std::vector<ApplyId> &moved, ApplyId before, ApplyId after);
    /// Gives all new labels, from any one of them.
    void spread(ApplyId one);
    bool isReader(ApplyId id, VarId root) const;
    ApplyId destroyerOf(VarId var) const;
    void coverNew();
    /// A place in an order that respects all constraints so far.
    struct Place {
        std::uint64_t label = 0; ///< rises along the order, with room between
        ApplyId previous = kNoApply, next = kNoApply;
    };
    Place &place(ApplyId id)
    {
        if (raw(id) >= m_places.size()) coverNew();
        return m_places[raw(id)];
    }

    const char *obstacle(ApplyId id, std::size_t port);

    const FunctionGraph &m_graph;
    std::uint64_t m_ns = 0;
    std::vector<ApplyId> m_order;
    std::vector<Place> m_places;   ///< by apply
    Edges m_after;                 ///< destroyers that come after an apply
    Edges m_before;                ///< the same, from the destroyer
    std::vector<bool> m_destroyed; ///< variables whose memory is overwritten
    std::vector<bool> m_mutable;
    ApplyId m_because = kNoApply;
    std::unordered_map<std::uint32_t, ApplyId> m_blockers; ///< by variable: who reads it last, and was in the way
    std::uint32_t m_search = 0;
    std::vector<std::uint32_t> m_seen; // by apply
    Search m_forward, m_backward;
};

} // namespace engine
