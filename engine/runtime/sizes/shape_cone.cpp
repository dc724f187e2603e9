#include "engine/runtime/sizes/shape_cone.h"

namespace engine {

bool ShapeCone::add(ApplyId wanted)
{
    m_open.push_back(wanted);
    while (!m_open.empty()) {
        const ApplyId id = m_open.back();
        Seen &seen = m_seen[raw(id)];
        if (seen == Seen::No) {
            seen = Seen::Open;
            for (const Use &use : m_graph.apply(id).inputs) {
                const ApplyId owner = m_graph.var(use.var).owner;
                if (owner != kNoApply && m_seen[raw(owner)] == Seen::No && !m_compiler.knows(use.var)) m_open.push_back(owner);
            }
            continue;
        }
        m_open.pop_back();
        if (seen == Seen::Open) seen = readsKnown(id) && m_compiler.add(id) ? Seen::Known : Seen::Unknown;
    }
    return m_seen[raw(wanted)] == Seen::Known;
}

bool ShapeCone::readsKnown(ApplyId id) const
{
    for (const Use &use : m_graph.apply(id).inputs) {
        const VarNode &node = m_graph.var(use.var);
        if (node.kind != Variable::Kind::Constant && !m_compiler.knows(use.var)) return false;
    }
    return true;
}

} // namespace engine
