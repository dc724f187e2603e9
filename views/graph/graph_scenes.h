#pragma once

#include "views/common/selection_hub.h"
#include "views/graph/scene_builder.h"
#include "views/session/session_data.h"

#include <map>
#include <memory>
#include <optional>

namespace views {

/// How a large graph is made small.
enum class FoldChoice : std::uint8_t { Automatic, Nothing, Repetition, Line, Scope };
/// Graphs with fewer applies are drawn whole, unless the person chooses otherwise.
inline constexpr int kFoldFrom = 2000;

/// Makes the pictures of one graph of a session: as written, optimized, and after any step.
class GraphScenes {
public:
    GraphScenes(std::shared_ptr<const SessionData> session, std::shared_ptr<const GraphData> graph);

    bool hasGraph() const { return m_graph->replica != nullptr; }
    /// The most that one apply takes from memory; not above zero where no sizes are known.
    double largestBytes() const { return m_largestBytes; }
    int stepCount() const { return m_graph->info.stepCount; }
    const GraphData &graph() const { return *m_graph; }

    Scene original(const QSet<SceneKey> &open = {});
    /// How the pictures that are made from now on are folded.
    void setFold(FoldChoice choice) { m_fold = choice; }
    /// After step n; the last one (or a negative number) has numbers and times.
    Scene at(int step, const QSet<SceneKey> &open = {}, bool ghosts = true);
    /// Gone key → its successor in the step that leads from `from` to `to` (neighbours only).
    QHash<SceneKey, SceneKey> heirs(int from, int to) const;

    /// What a step touched and who read what it removed, before and after it, constants drawn; nothing for the graph as written.
    struct AroundStep {
        int step = 0;
        Scene before, after;
        StepMarks marks;
    };
    std::optional<AroundStep> around(int step);

    /// Applies of a folding that match, whether their group is open or not. Asks what never changes: any thread.
    std::vector<SceneKey> search(const QString &text, const profiler::Folding &folding) const;
    SceneKey keyOf(const NodeRef &node, Side side) const;
    /// Node of a key of a side's picture; an output stands for its variable.
    NodeRef nodeOf(SceneKey key, Side side) const;
    /// The replica, standing at a step.
    const profiler::GraphReplica &replicaAt(int step);
    bool isLast(int step) const { return step < 0 || step >= stepCount(); }
    /// Whether the step is the last of its pass that changed something.
    bool endsPass(int step) const;

private:
    Scene build(int step, const QSet<SceneKey> &open, std::set<profiler::ApplyId> drawn = {});
    Scene beforeStep(int step, const StepMarks &marks, std::set<profiler::ApplyId> drawn);
    SceneRequest partOf(int step, const std::set<profiler::ApplyId> &only);
    /// Of the graph at a step; null where every apply is drawn.
    std::shared_ptr<const profiler::Folding> foldingAt(int step);
    /// Groups that hide what a step made or is about to take.
    QSet<SceneKey> groupsAround(int step, const std::vector<profiler::ApplyId> &applies);
    StepMarks marksOf(int step) const;
    void collectFacts();
    void collectBytes(const GraphData &graph);
    void addValues(SceneRequest &request, Side side) const;

    std::shared_ptr<const SessionData> m_session;
    std::shared_ptr<const GraphData> m_graph;
    std::unique_ptr<profiler::GraphReplica> m_replica; // that moves; null until a step between is asked for
    GraphFacts m_facts;
    FoldChoice m_fold = FoldChoice::Automatic;
    std::map<std::pair<int, profiler::FoldBy>, std::shared_ptr<const profiler::Folding>>
        m_foldings; // of the ends, and of the last step seen
    double m_largestBytes = -1;
};

} // namespace views
