// Finds stabilizing rewrites that fire once a view is moved out of their pattern, and makes the moves.
#pragma once

#include "engine/rewrite/machine/dispatch.h"
#include "engine/rewrite/machine/through_views.h"

#include <functional>

namespace engine {

class ViewTrials {
public:
    using Body = std::function<RewriteResult(Editor &)>;
    /// Runs a body as a step of rewrite `entry` on an apply. Returns true if the step changed the graph; other steps are undone.
    using Attempt = std::function<bool(std::size_t entry, ApplyId root, const Body &body)>;

    /// `entry` is the rewrite that moves views. `isOff` tells by number which rewrites no longer run.
    ViewTrials(const FunctionGraph &graph, const Dispatch &dispatch, std::size_t entry, const std::vector<bool> &isOff, Attempt attempt)
        : m_graph(graph), m_dispatch(dispatch), m_entry(entry), m_isOff(isOff), m_attempt(std::move(attempt))
    {}

    /// Moves views below this apply and runs the rewrite that fires then. Returns false if none does; the graph is then unchanged.
    bool visit(ApplyId id) const;

private:
    struct Found {
        std::size_t place; ///< among the applies of the last move
        std::uint16_t entry;
        int moves;
    };
    std::optional<Found> search(ApplyId id, const ViewMove &first) const;
    std::optional<Found> stabilizerOf(const std::vector<ApplyId> &applies, Editor &edit) const;
    void moveAndRun(ApplyId id, const ViewMove &first, const Found &found) const;

    const FunctionGraph &m_graph;
    const Dispatch &m_dispatch;
    std::size_t m_entry;
    const std::vector<bool> &m_isOff;
    Attempt m_attempt;
};

} // namespace engine
