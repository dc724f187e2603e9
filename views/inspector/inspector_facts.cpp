#include "views/inspector/inspector_facts.h"

#include "profiler/stats/times/profile_parts.h"

#include <algorithm>

namespace views {

InspectorFacts::InspectorFacts(const SessionData &session) : m_roofline(profiler::makeRoofline(session.profile))
{
    for (const profiler::ApplyStats &stats : session.profile.stats) m_applies[{stats.graph, stats.apply}].stats.push_back(&stats);
    for (const profiler::RooflinePoint &point : m_roofline.points) m_applies[point.apply].point = &point;
    for (const profiler::UnplacedApply &one : m_roofline.unplaced) m_applies[one.what.apply].unplaced = &one;
    for (const profiler::Advice &advice : session.costs->advice())
        for (const profiler::ApplyKey &node : advice.nodes) m_applies[node].advice.push_back(&advice);
    const profiler::ProfileParts parts(session.profile);
    for (const profiler::FunctionInfo &function : session.functions) {
        const profiler::CallMemory memory = profiler::callMemory(parts.of(function.id), function.id);
        const auto graph = session.graphs.find(function.graph);
        if (graph == session.graphs.end()) continue;
        const auto ownerOf = [&](profiler::VariableId id) {
            const profiler::VariableRow *variable = graph->second->variable(raw(id));
            return variable ? variable->owner : profiler::kNoApply;
        };
        for (const profiler::Lifetime &life : memory.lifetimes) {
            std::vector<profiler::ApplyId> makers{life.maker.apply};
            for (profiler::VariableId sharer : life.sharers)
                if (const auto owner = ownerOf(sharer); std::find(makers.begin(), makers.end(), owner) == makers.end())
                    makers.push_back(owner);
            for (profiler::ApplyId maker : makers) {
                if (maker == profiler::kNoApply) continue;
                OfApply &apply = m_applies[{function.graph, maker}];
                apply.buffers.push_back(life);
                apply.positions = static_cast<int>(memory.order.size());
            }
        }
    }
}

const InspectorFacts::OfApply *InspectorFacts::of(const profiler::ApplyKey &apply) const
{
    const auto found = m_applies.find(apply);
    return found == m_applies.end() ? nullptr : &found->second;
}

} // namespace views
