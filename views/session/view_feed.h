#pragma once

#include "views/common/selection_hub.h"
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/session/links.h"
#endif

#include <QString>

#include <memory>

namespace views {

/// Bits of what is new in a feed, so that a view ignores what it does not show.
enum class FeedPart : unsigned {
    Opened = 1u << 0,    ///< another session than before
    Session = 1u << 1,   ///< a new snapshot
    Graph = 1u << 2,     ///< another graph, or more of it
    Selection = 1u << 3, ///< `selected` says what of it
    Run = 1u << 4,       ///< whether a run can be started
};
Q_DECLARE_FLAGS(FeedParts, FeedPart)
Q_DECLARE_OPERATORS_FOR_FLAGS(FeedParts)

inline constexpr auto kAllFeedParts = static_cast<FeedPart>((1u << 5) - 1);

/// What every view is fed with: one snapshot of the session, and what is selected in it. A view that is hidden gets it,
/// with all that changed meanwhile, when it is shown.
struct ViewFeed {
    std::shared_ptr<const SessionData> session; ///< null: nothing is open
    std::shared_ptr<const GraphData> graph;     ///< the selected one; null: not recorded, or not yet
    std::shared_ptr<const Links> links;         ///< of that graph
    const profiler::FunctionInfo *function = nullptr;
    Selection selection;
    bool canRun = false; ///< whether the command "run" would start something

    FeedParts changed;
    SelectionParts selected;

    /// Of the function or the nested graph, or of all when none is selected; null without a session.
    const profiler::FunctionCosts *costs() const
    {
        if (session && graph && selection.graph >= 0)
            if (const profiler::FunctionCosts *nested = session->costs->ofNested(graph->info.id)) return nested;
        return session ? session->costs->of(function ? function->id : profiler::kNoFunction) : nullptr;
    }
    bool hasNew(FeedParts parts) const { return changed & parts; }
    /// Whether the page is about the rewriting, one step after the other.
    bool showsSteps() const { return selection.workspace == QLatin1String("steps"); }
    /// Another function or graph, or new facts about it.
    bool hasNewFunction() const
    {
        return hasNew(FeedPart::Opened | FeedPart::Session | FeedPart::Graph) ||
               selected & (SelectionPart::Function | SelectionPart::Graph);
    }
};

} // namespace views
