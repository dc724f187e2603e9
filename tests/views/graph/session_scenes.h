// Scenes of a session's function at any step, as the studio makes them: for tests and pictures.
#pragma once

#include "profiler/session/store/reader.h"
#include "views/graph/scene_builder.h"

#include <map>
#include <memory>

namespace views::demo {

class SessionScenes {
public:
    SessionScenes(profiler::SessionReader &reader, const std::string &function);

    Scene at(int step, const QSet<SceneKey> &open = {}, bool inlineConstants = true); // without marks
    Scene marked(int step, bool inlineConstants = true);                              // with diff marks and ghosts
    StepMarks marks(int step) const;
    int stepCount() const { return m_replica->stepCount(); }

    std::vector<profiler::StepInfo> steps;
    std::vector<profiler::PassInfo> passes;
    std::vector<profiler::RewriteInfo> rewrites;

private:
    std::unique_ptr<profiler::GraphReplica> m_replica;
    std::map<profiler::GraphId, std::unique_ptr<profiler::GraphReplica>> m_nested;
    std::vector<profiler::LineageRow> m_lineage;
    GraphFacts m_facts;
};

} // namespace views::demo
