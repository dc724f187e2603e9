// A graph that is being rewritten, as the variables and applies that Python code sees.
#pragma once

#include "engine/graph/ir/editor.h"
#include "engine/python/core/core.h"

#include <unordered_map>
#include <vector>

namespace python {

/// Follows the graph's journal: what stands for an apply stays the same object while its inputs change. Parts appear when they are asked
/// for.
class Mirror {
public:
    explicit Mirror(const engine::FunctionGraph &graph);

    /// Brings the inputs of what was given out up to date; between steps.
    void catchUp();
    /// The edits up to here were made on the Python side first.
    void skip() { m_seen = m_graph.journal().edits.size(); }
    engine::VarRef variable(engine::VarId id);
    engine::ApplyRef apply(engine::ApplyId id);
    /// kNoVar for what has no counterpart in the graph (any more).
    engine::VarId find(const engine::Variable *variable) const;
    /// The expression in the graph: what is new in it is built. `fresh`: also where an equal apply is there already.
    engine::VarHandle import(engine::Editor &edit, const engine::VarRef &expression, bool fresh);

    const engine::FunctionGraph &graph() const { return m_graph; }
    py::object view; ///< what Python calls the graph of these nodes

private:
    void adopt(engine::Editor &edit, engine::ApplyId made, engine::Apply &expression, bool fresh);
    void forgetAbandoned();

    const engine::FunctionGraph &m_graph;
    std::size_t m_seen = 0; ///< edits of the journal
    std::unordered_map<std::uint32_t, engine::VarRef> m_leaves;
    std::unordered_map<std::uint32_t, engine::ApplyRef> m_applies;
    std::unordered_map<const engine::Variable *, engine::VarId> m_ids;
    std::vector<engine::VarRef> m_kept; ///< imported, and not what variable() gives for its id
    struct Adopted {
        std::size_t step;
        engine::VarId id;
        engine::VarRef expression;
    };
    std::vector<Adopted> m_adopted; ///< since the last step that is known to have been committed
};

/// Changes an input of an apply that belongs to a graph of Python's, not to an expression of the user.
void setInput(engine::Apply &apply, std::size_t port, engine::VarRef to);

} // namespace python
