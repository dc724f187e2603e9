#pragma once

#include "app/studio/costs.h"
#include "app/studio/links.h"
#include "views/graph/scene_builder.h"
#include "views/steps/step_card.h"

#include <map>
#include <memory>
#include <optional>

namespace app {

/// Makes the pictures of one graph of a session: as written, optimized, and after any step.
class GraphScenes {
public:
    GraphScenes(std::shared_ptr<const SessionData> session, std::shared_ptr<const GraphData> graph,
                std::shared_ptr<const Costs> costs);

    bool hasGraph() const { return m_replica != nullptr; }
    int stepCount() const { return m_graph->info.stepCount; }
    const GraphData &graph() const { return *m_graph; }

    views::Scene original(const QSet<views::SceneKey> &open = {});
    /// After step n; the last one (or a negative number) has numbers and times.
    views::Scene at(int step, const QSet<views::SceneKey> &open = {}, bool ghosts = true);
    /// Gone key → its successor in the step that leads from `from` to `to` (neighbours only).
    QHash<views::SceneKey, views::SceneKey> heirs(int from, int to) const;

    /// What step n replaced; nothing for the graph as written.
    std::optional<views::StepCardContent> stepCard(int step);

    views::SceneKey keyOf(const views::NodeRef &node, views::Side side);
    /// Node of a key of a side's picture; an output stands for its variable.
    views::NodeRef nodeOf(views::SceneKey key, views::Side side);
    /// The replica, standing at a step.
    const profiler::GraphReplica &replicaAt(int step);
    bool isLast(int step) const { return step < 0 || step >= stepCount(); }

private:
    views::Scene build(int step, bool final, const QSet<views::SceneKey> &open, bool inlineConstants = true);
    views::StepMarks marksOf(int step) const;
    void collectFacts();

    std::shared_ptr<const SessionData> m_session;
    std::shared_ptr<const GraphData> m_graph;
    std::shared_ptr<const Costs> m_costs;
    std::unique_ptr<profiler::GraphReplica> m_replica;
    std::map<profiler::GraphId, std::unique_ptr<profiler::GraphReplica>> m_nested;
    views::GraphFacts m_facts;
    std::map<int, views::SceneKey> m_outputs;
};

} // namespace app
