#include "engine/python/core/mirror.h"

#include "engine/tensor/errors.h"

namespace python {

using engine::Apply;
using engine::ApplyId;
using engine::ApplyRef;
using engine::Edit;
using engine::raw;
using engine::VarHandle;
using engine::Variable;
using engine::VarId;
using engine::VarRef;

void setInput(Apply &apply, std::size_t port, VarRef to)
{
    // Expressions are immutable for everybody else: graphs of Python are the one place that owns what it changes.
    const_cast<VarRef &>(apply.inputs()[port]) = std::move(to);
}

Mirror::Mirror(const engine::FunctionGraph &graph) : m_graph(graph), m_seen(graph.journal().edits.size()) {}

void Mirror::forgetAbandoned()
{
    // What was built for a step that did not happen left the graph with it.
    for (const Adopted &one : m_adopted) {
        if (one.step < m_graph.stepCount()) continue;
        m_ids.erase(one.expression.get());
        if (const Apply *owner = one.expression->owner()) {
            for (auto place = m_applies.begin(); place != m_applies.end(); ++place)
                if (place->second.get() == owner) {
                    m_applies.erase(place);
                    break;
                }
        } else if (const auto leaf = m_leaves.find(raw(one.id)); leaf != m_leaves.end() && leaf->second == one.expression) {
            m_leaves.erase(leaf);
        }
    }
    m_adopted.clear();
}

void Mirror::catchUp()
{
    forgetAbandoned();
    const auto &edits = m_graph.journal().edits;
    for (; m_seen < edits.size(); ++m_seen) {
        const Edit &edit = edits[m_seen];
        if (edit.kind == Edit::Kind::SetInput) {
            const auto found = m_applies.find(edit.id);
            if (found != m_applies.end()) setInput(*found->second, edit.port, variable(VarId{edit.newValue}));
        } else if (edit.kind == Edit::Kind::Rename) {
            const VarId id{edit.id};
            const ApplyId owner = m_graph.var(id).owner;
            const auto found = owner == engine::kNoApply ? m_applies.end() : m_applies.find(raw(owner));
            if (found != m_applies.end()) found->second->output(static_cast<int>(m_graph.var(id).index))->setName(m_graph.name(id));
        }
    }
}

VarRef Mirror::variable(VarId id)
{
    const engine::VarNode &node = m_graph.var(id);
    if (node.owner != engine::kNoApply) return VarRef(apply(node.owner)->output(static_cast<int>(node.index)));
    VarRef &place = m_leaves[raw(id)];
    if (!place) {
        const engine::ScopedTrace sameLine(node.leaf->trace());
        if (node.kind == Variable::Kind::Constant) place = Variable::constant(node.leaf->value(), node.type);
        else if (node.kind == Variable::Kind::Shared) place = Variable::shared(node.leaf->container(), node.type);
        else place = Variable::input(node.type);
        place->setName(m_graph.name(id));
        place->tag = node.leaf->tag;
        m_ids.emplace(place.get(), id);
    }
    return place;
}

ApplyRef Mirror::apply(ApplyId wanted)
{
    std::vector<ApplyId> todo{wanted};
    while (!todo.empty()) {
        const ApplyId id = todo.back();
        if (m_applies.count(raw(id))) {
            todo.pop_back();
            continue;
        }
        const engine::ApplyNode &node = m_graph.apply(id);
        bool ready = true;
        for (const engine::Use &use : node.inputs) {
            const ApplyId owner = m_graph.var(use.var).owner;
            if (owner == engine::kNoApply || m_applies.count(raw(owner))) continue;
            todo.push_back(owner);
            ready = false;
        }
        if (!ready) continue;
        todo.pop_back();
        std::vector<VarRef> inputs;
        for (const engine::Use &use : node.inputs) inputs.push_back(variable(use.var));
        std::vector<engine::Type> types;
        for (VarId out : node.outputs) types.push_back(m_graph.var(out).type);
        ApplyRef made = Apply::create(node.op, inputs, types);
        made->setTrace(node.trace);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            made->output(static_cast<int>(i))->setName(m_graph.name(node.outputs[i]));
            m_ids.emplace(made->output(static_cast<int>(i)), node.outputs[i]);
        }
        m_applies.emplace(raw(id), std::move(made));
    }
    return m_applies.at(raw(wanted));
}

VarId Mirror::find(const Variable *variable) const
{
    const auto found = m_ids.find(variable);
    if (found == m_ids.end() || raw(found->second) >= m_graph.varCount() || !m_graph.var(found->second).live) return engine::kNoVar;
    return found->second;
}

void Mirror::adopt(engine::Editor &edit, ApplyId made, Apply &expression, bool fresh)
{
    const engine::ApplyNode &node = m_graph.apply(made);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const VarRef output(expression.output(static_cast<int>(i)));
        m_ids[output.get()] = node.outputs[i];
        m_adopted.push_back({m_graph.stepCount(), node.outputs[i], output});
        m_kept.push_back(output);
        if (!output->name().empty() && m_graph.name(node.outputs[i]).empty()) edit.rename(node.outputs[i], output->name());
    }
    if (m_applies.count(raw(made))) return;
    if (!fresh)
        for (std::size_t port = 0; port < node.inputs.size(); ++port)
            if (const VarRef input = variable(node.inputs[port].var); input != expression.inputs()[port]) setInput(expression, port, input);
    m_applies.emplace(raw(made), ApplyRef(&expression));
}

VarHandle Mirror::import(engine::Editor &edit, const VarRef &expression, bool fresh)
{
    const auto known = [&](const VarRef &one) {
        if (const VarId id = find(one.get()); id != engine::kNoVar) return id;
        if (one->owner()) return engine::kNoVar;
        if (one->kind() == Variable::Kind::Constant) {
            const VarId id = edit.constant(one->value(), one->type(), one->name()).id();
            m_ids[one.get()] = id;
            m_adopted.push_back({m_graph.stepCount(), id, one});
            m_kept.push_back(one);
            return id;
        }
        if (one->kind() == Variable::Kind::Shared)
            for (VarId input : m_graph.inputs())
                if (m_graph.var(input).kind == Variable::Kind::Shared && m_graph.var(input).leaf->container() == one->container())
                    return input;
        throw engine::UserError("the replacement needs " + one->displayName() + ", which is not an input of this graph");
    };
    std::vector<VarRef> todo{expression};
    while (!todo.empty()) {
        const VarRef one = todo.back();
        if (known(one) != engine::kNoVar) {
            todo.pop_back();
            continue;
        }
        Apply &owner = *one->owner();
        std::vector<VarHandle> inputs;
        for (const VarRef &input : owner.inputs()) {
            const VarId id = known(input);
            if (id == engine::kNoVar) todo.push_back(input);
            else inputs.push_back(edit.var(id));
        }
        if (inputs.size() < owner.inputs().size()) continue;
        todo.pop_back();
        const engine::NodeHandle made = fresh ? edit.applyFresh(owner.opRef(), inputs) : edit.apply(owner.opRef(), inputs);
        adopt(edit, made.id(), owner, fresh);
    }
    return edit.var(known(expression));
}

} // namespace python
