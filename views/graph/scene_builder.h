// Makes scenes from a replayed graph of a session.
#pragma once

#include "profiler/session/store/replica.h"
#include "views/graph/scene.h"

#include <QSet>

#include <functional>
#include <memory>
#include <set>
#include <unordered_map>

namespace views {

// What is known about an apply beside the graph: all optional.
struct ApplyFacts {
    int number = -1; // position in execution order
    QString phase;   // that made it
    int line = 0;    // of the script that most of it descends from
    NodeCost cost;
    bool transfer = false;
    QString warning;
};

struct GraphFacts {
    std::unordered_map<profiler::ApplyKey, ApplyFacts, profiler::ApplyKeyHash> applies;
    std::unordered_map<profiler::ApplyKey, profiler::GraphInfo, profiler::ApplyKeyHash> nested; // graph held by an apply
    QHash<int, QString> updates;                                                                // output index → shared variable
};

struct SceneRequest {
    const profiler::GraphReplica *replica = nullptr; // standing at the step to show
    const GraphFacts *facts = nullptr;
    std::function<ValueFacts(profiler::ApplyKey)> valuesOfApply; // null: none are known at this step
    std::function<ValueFacts(profiler::GraphId, profiler::VariableId)> valuesOfVariable;
    bool numbers = false; // execution order: only right at the last step
    bool times = false;   // subtitle with time and share
    bool inlineConstants = true;
    std::set<profiler::ApplyId> drawn;                // of the outer graph: nodes also where the titles of their readers would show them
    QSet<SceneKey> open;                              // groups shown open in place
    std::shared_ptr<const profiler::Folding> folding; // of the outermost graph at this step; null: every apply is a node
    // Not null: only these applies of the outer graph, what they read (without what makes that), and the outputs they are.
    const std::set<profiler::ApplyId> *only = nullptr;
    // The nested graph of an apply, or null. Asked for open groups only.
    std::function<const profiler::GraphReplica *(profiler::GraphId)> nestedReplica;
};

[[nodiscard]] Scene buildScene(const SceneRequest &request);

// What a step did, for the marks and the ghosts.
struct StepMarks {
    const profiler::StepInfo *info = nullptr;
    std::vector<profiler::LineageRow> lineage; // of this step
    std::set<profiler::ApplyId> gone, come;    // applies that it took out of the graph and brought into it
};
// What left and what came, by the edits of the step.
void readEdits(StepMarks &marks, const std::vector<profiler::Edit> &edits);
// Marks what the step made in `after`, and adds what it removed from `before` as ghosts; of `before` no more is needed than what
// went, what that read, and who read it.
void markStep(Scene &after, const Scene &before, const StepMarks &marks);
// Key of a gone node → key of the one that took its place, where that is a single one.
[[nodiscard]] QHash<SceneKey, SceneKey> successors(const StepMarks &marks);

} // namespace views
