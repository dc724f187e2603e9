#pragma once

#include "views/graph/graph_scenes.h"

#include <any>
#include <functional>
#include <memory>
#include <optional>

namespace views {

/// What a page wants to see of a graph. A copy goes to another thread.
struct SceneWish {
    std::shared_ptr<GraphScenes> scenes; ///< null: of `session` and `graph`, to be made
    std::shared_ptr<const SessionData> session;
    std::shared_ptr<const GraphData> graph;
    int step = Selection::kLastStep;
    int fromStep = Selection::kLastStep; ///< what is shown now
    QSet<SceneKey> openOriginal, openOptimized;
    FoldChoice fold = FoldChoice::Automatic;
    bool ghosts = false;
    bool marksLast = false; ///< the optimized graph, too, with what its last step changed
    bool wantsOriginal = true;
    std::function<std::any(GraphScenes &)> also; ///< what else is wanted of the scenes while they stand there

    bool fresh = false;   ///< another graph than before
    bool refresh = false; ///< the same picture with new numbers
};

/// The pictures of a wish, without places.
struct SceneAnswer {
    SceneWish wish;
    std::optional<Scene> original;
    Scene optimized;
    QHash<SceneKey, SceneKey> heirs;
    int applies = 0; ///< at the step
    std::any also;
};

/// Makes the scenes of a page, large ones in another thread: one at a time, for they share a replica that moves. Of wishes
/// that come meanwhile the last one counts.
class SceneJob {
public:
    explicit SceneJob(QObject &owner, std::function<void(SceneAnswer)> answered) : m_owner(owner), m_answered(std::move(answered)) {}

    void ask(SceneWish wish);
    /// Nobody waits for what is under way any more.
    void forget();
    bool isBusy() const { return m_busy; }

private:
    void start(SceneWish wish);
    void finish(SceneAnswer answer);

    QObject &m_owner;
    std::function<void(SceneAnswer)> m_answered;
    std::optional<SceneWish> m_next;
    bool m_busy = false;
    bool m_forgotten = false; ///< what runs now
};

} // namespace views
