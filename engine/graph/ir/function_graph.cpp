#include "engine/graph/ir/function_graph.h"

#include "engine/graph/ir/variable_text.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <mutex>
#include <unordered_set>

namespace engine {
namespace {

[[noreturn]] void missingInput(const VarRef &leaf, const Apply *user)
{
    std::string message = "the graph needs the input " + describe(leaf);
    if (user) {
        message += ", which " + user->op().name() + " reads";
        const SourceLine &line = sourceLine(user->trace());
        if (line.line) message += " at " + line.file + ":" + std::to_string(line.line);
    }
    throw MissingInput(message + ", but it is neither among the inputs nor given a value",
                       "add it to the list of inputs, or replace it through givens");
}

} // namespace

FunctionGraph::FunctionGraph(std::span<const VarRef> inputs, std::span<const VarRef> outputs,
                             const std::vector<std::pair<VarRef, VarRef>> &replace)
{
    std::unordered_map<const Variable *, VarRef> replacements;
    for (const auto &[from, to] : replace) replacements[from.get()] = to;
    const auto resolved = [&](const VarRef &variable) -> const VarRef & {
        auto found = replacements.find(variable.get());
        return found == replacements.end() ? variable : found->second;
    };

    PointerMap<VarId> &known = m_origin;
    const auto addLeaf = [&](const VarRef &leaf) {
        VarNode node;
        node.type = leaf->type();
        node.kind = leaf->kind() == Variable::Kind::Output ? Variable::Kind::Input : leaf->kind();
        node.name = internName(leaf->name());
        node.leaf = leaf;
        node.live = true;
        const VarId id = addVar(std::move(node));
        known.insert(leaf.get(), id);
        return id;
    };
    for (const VarRef &input : inputs) {
        if (known.contains(input.get()))
            throw UserError("the variable " + describe(input) + " is listed twice among the inputs", "list each input once");
        m_inputs.push_back(addLeaf(input));
    }
    m_explicitInputs = m_inputs.size();

    // Depth first without recursion; givens are followed at every edge.
    struct Frame {
        Apply *apply;
        std::size_t next;
    };
    std::vector<Frame> stack;
    PointerMap<bool> entered; // false: on the stack, true: cloned
    const auto visit = [&](const VarRef &variable, const Apply *user) {
        if (known.contains(variable.get())) return;
        if (Apply *owner = variable->owner()) {
            if (entered.insert(owner, false)) {
                stack.push_back({owner, 0});
            } else if (!*entered.find(owner)) {
                throw UserError("givens make " + describe(variable) + " depend on itself",
                                "a replacement may not contain what it replaces");
            }
            return;
        }
        if (variable->kind() == Variable::Kind::Input) missingInput(variable, user);
        const VarId id = addLeaf(variable);
        if (variable->kind() == Variable::Kind::Shared) m_inputs.push_back(id);
    };
    for (const VarRef &output : outputs) {
        visit(resolved(output), nullptr);
        while (!stack.empty()) {
            Frame &top = stack.back();
            Apply *apply = top.apply;
            if (top.next < apply->inputs().size()) {
                const VarRef &input = resolved(apply->inputs()[top.next++]);
                visit(input, apply);
                continue;
            }
            stack.pop_back();
            *entered.find(apply) = true;
            ApplyNode node;
            node.op = apply->opRef();
            node.trace = apply->trace();
            node.live = true;
            const ApplyId id{static_cast<std::uint32_t>(m_applies.size())};
            for (const VarRef &input : apply->inputs()) node.inputs.push_back({*known.find(resolved(input).get()), 0});
            for (int i = 0; i < apply->outputCount(); ++i) {
                const Variable *out = apply->output(i);
                VarNode var;
                var.type = out->type();
                var.owner = id;
                var.index = static_cast<std::uint32_t>(i);
                var.kind = Variable::Kind::Output;
                var.name = internName(out->name());
                var.live = true;
                const VarId outId = addVar(std::move(var));
                // A listed input may itself be an output of this apply; the listed one wins.
                known.insert(out, outId);
                node.outputs.push_back(outId);
            }
            m_applies.push_back(std::move(node));
            ++m_liveApplies;
            attach(id);
        }
    }
    for (const VarRef &output : outputs) {
        const VarId id = *known.find(resolved(output).get());
        m_outputs.push_back({id, 0});
        appendClient(id, {kNoApply, static_cast<std::uint32_t>(m_outputs.size() - 1)});
    }
    m_originalApplies = m_applies.size();
}

VarId FunctionGraph::addVar(VarNode node)
{
    m_owners.push_back(node.owner);
    m_vars.push_back(std::move(node));
    return VarId{static_cast<std::uint32_t>(m_vars.size() - 1)};
}

std::uint32_t FunctionGraph::internName(const std::string &name)
{
    if (name.empty()) return 0;
    auto [place, fresh] = m_nameIds.emplace(name, static_cast<std::uint32_t>(m_names.size()));
    if (fresh) m_names.push_back(name);
    return place->second;
}

std::vector<VarId> FunctionGraph::outputs() const
{
    std::vector<VarId> result;
    for (const Use &use : m_outputs) result.push_back(use.var);
    return result;
}

VarId FunctionGraph::find(const Variable *variable) const
{
    const VarId *found = m_origin.find(variable);
    return found ? *found : kNoVar;
}

std::string FunctionGraph::displayName(VarId id) const
{
    const VarNode &node = var(id);
    if (node.name) return m_names[node.name];
    if (node.owner == kNoApply) return node.leaf->displayName();
    const ApplyNode &owner = apply(node.owner);
    const std::string index =
        owner.outputs.size() == 1 || owner.op->defaultOutput() == static_cast<int>(node.index) ? "0" : std::to_string(node.index);
    return owner.op->name() + "." + index;
}

std::vector<ApplyId> FunctionGraph::toposort() const
{
    constexpr std::uint32_t kAhead = 6;
    std::vector<ApplyId> order;
    order.reserve(m_liveApplies);
    std::vector<bool> seen(m_applies.size());
    BigVector<std::pair<ApplyId, std::uint32_t>> stack;
    const auto visit = [&](VarId id) {
        const ApplyId owner = m_owners[raw(id)];
        if (owner == kNoApply || seen[raw(owner)]) return;
        seen[raw(owner)] = true;
        stack.emplace_back(owner, 0);
        // What comes next is known only when this one was looked at; it is likely to have been made near it.
        const std::uint32_t at = raw(owner);
        if (at >= kAhead) __builtin_prefetch(&m_applies[at - kAhead]);
        if (at + kAhead < m_applies.size()) __builtin_prefetch(&m_applies[at + kAhead]);
    };
    for (const Use &output : m_outputs) {
        visit(output.var);
        while (!stack.empty()) {
            auto &[id, next] = stack.back();
            if (next < apply(id).inputs.size()) {
                visit(apply(id).inputs[next++].var);
            } else {
                order.push_back(id);
                stack.pop_back();
            }
        }
    }
    return order;
}

std::vector<ApplyId> FunctionGraph::liveApplies() const
{
    std::vector<ApplyId> result;
    result.reserve(m_liveApplies);
    for (std::uint32_t i = 0; i < m_applies.size(); ++i)
        if (m_applies[i].live) result.push_back(ApplyId{i});
    return result;
}

// --- clients: removal swaps with the last entry, so every operation is O(1) and exactly reversible ------

Use &FunctionGraph::useOf(Client client)
{
    return client.isGraphOutput() ? m_outputs[client.port] : m_applies[raw(client.apply)].inputs[client.port];
}

void FunctionGraph::appendClient(VarId id, Client client)
{
    auto &clients = m_vars[raw(id)].clients;
    useOf(client) = {id, static_cast<std::uint32_t>(clients.size())};
    clients.push_back(client);
}

void FunctionGraph::popClient(VarId id) { m_vars[raw(id)].clients.pop_back(); }

void FunctionGraph::removeClient(VarId id, std::uint32_t position)
{
    auto &clients = m_vars[raw(id)].clients;
    if (position + 1 < clients.size()) {
        clients[position] = clients.back();
        useOf(clients[position]).position = position;
    }
    clients.pop_back();
}

void FunctionGraph::insertClient(VarId id, std::uint32_t position, Client client)
{
    auto &clients = m_vars[raw(id)].clients;
    if (position < clients.size()) {
        const Client moved = clients[position];
        useOf(moved).position = static_cast<std::uint32_t>(clients.size());
        clients.push_back(moved);
        clients[position] = client;
    } else {
        clients.push_back(client);
    }
    useOf(client) = {id, position};
}

void FunctionGraph::attach(ApplyId id)
{
    const auto &inputs = m_applies[raw(id)].inputs;
    for (std::uint32_t port = 0; port < inputs.size(); ++port) appendClient(inputs[port].var, {id, port});
}

void FunctionGraph::dropLast(ApplyId id)
{
    auto &inputs = m_applies[raw(id)].inputs;
    for (std::size_t port = inputs.size(); port-- > 0;) popClient(inputs[port].var);
}

void FunctionGraph::detach(ApplyId id)
{
    for (const Use &use : m_applies[raw(id)].inputs) removeClient(use.var, use.position);
}

void FunctionGraph::reattach(ApplyId id)
{
    auto &inputs = m_applies[raw(id)].inputs;
    for (std::size_t port = inputs.size(); port-- > 0;)
        insertClient(inputs[port].var, inputs[port].position, {id, static_cast<std::uint32_t>(port)});
}

// --- time -------------------------------------------------------------------------------------------------

void FunctionGraph::redo(const Edit &edit)
{
    switch (edit.kind) {
    case Edit::Kind::AddVariable: m_vars[edit.id].live = true; break;
    case Edit::Kind::AddApply: {
        ApplyNode &node = m_applies[edit.id];
        node.live = true;
        ++m_liveApplies;
        for (VarId out : node.outputs) m_vars[raw(out)].live = true;
        attach(ApplyId{edit.id});
        break;
    }
    case Edit::Kind::SetInput:
        removeClient(VarId{edit.oldValue}, edit.position);
        appendClient(VarId{edit.newValue}, {ApplyId{edit.id}, edit.port});
        break;
    case Edit::Kind::SetOutput:
        removeClient(VarId{edit.oldValue}, edit.position);
        appendClient(VarId{edit.newValue}, {kNoApply, edit.port});
        break;
    case Edit::Kind::Rename: m_vars[edit.id].name = edit.newValue; break;
    case Edit::Kind::Prune: {
        ApplyNode &node = m_applies[edit.id];
        detach(ApplyId{edit.id});
        node.live = false;
        --m_liveApplies;
        for (VarId out : node.outputs) m_vars[raw(out)].live = false;
        break;
    }
    case Edit::Kind::PruneVariable: m_vars[edit.id].live = false; break;
    }
}

void FunctionGraph::undo(const Edit &edit)
{
    switch (edit.kind) {
    case Edit::Kind::AddVariable: m_vars[edit.id].live = false; break;
    case Edit::Kind::AddApply: {
        ApplyNode &node = m_applies[edit.id];
        dropLast(ApplyId{edit.id});
        node.live = false;
        --m_liveApplies;
        for (VarId out : node.outputs) m_vars[raw(out)].live = false;
        break;
    }
    case Edit::Kind::SetInput:
        popClient(VarId{edit.newValue});
        insertClient(VarId{edit.oldValue}, edit.position, {ApplyId{edit.id}, edit.port});
        break;
    case Edit::Kind::SetOutput:
        popClient(VarId{edit.newValue});
        insertClient(VarId{edit.oldValue}, edit.position, {kNoApply, edit.port});
        break;
    case Edit::Kind::Rename: m_vars[edit.id].name = edit.oldValue; break;
    case Edit::Kind::Prune: {
        ApplyNode &node = m_applies[edit.id];
        node.live = true;
        ++m_liveApplies;
        for (VarId out : node.outputs) m_vars[raw(out)].live = true;
        reattach(ApplyId{edit.id});
        break;
    }
    case Edit::Kind::PruneVariable: m_vars[edit.id].live = true; break;
    }
}

void FunctionGraph::goTo(std::size_t step)
{
    ENGINE_ASSERT(step <= m_journal.steps.size(), "there is no step " + std::to_string(step));
    while (m_position < step) {
        const Step &next = m_journal.steps[m_position++];
        for (std::size_t i = next.firstEdit; i < next.lastEdit; ++i) redo(m_journal.edits[i]);
    }
    while (m_position > step) {
        const Step &last = m_journal.steps[--m_position];
        for (std::size_t i = last.lastEdit; i-- > last.firstEdit;) undo(m_journal.edits[i]);
    }
}

// --- text and export --------------------------------------------------------------------------------------

ExportedGraph exportGraph(const FunctionGraph &graph, std::span<const ApplyId> order)
{
    ExportedGraph result;
    std::vector<VarRef> made(graph.varCount());
    const auto fetch = [&](VarId id) -> const VarRef & {
        VarRef &place = made[raw(id)];
        if (!place) {
            const VarNode &node = graph.var(id);
            ENGINE_ASSERT(node.leaf, "the order of the applies is not a topological one");
            const ScopedTrace sameLine(node.leaf->trace());
            if (node.kind == Variable::Kind::Constant) place = Variable::constant(node.leaf->value(), node.type);
            else if (node.kind == Variable::Kind::Shared) place = Variable::shared(node.leaf->container(), node.type);
            else place = Variable::input(node.type);
            place->setName(graph.name(id));
            place->tag = node.leaf->tag;
        }
        return place;
    };
    for (VarId id : graph.inputs()) result.inputs.push_back(fetch(id));
    for (ApplyId id : order) {
        const ApplyNode &node = graph.apply(id);
        std::vector<VarRef> inputs;
        for (const Use &use : node.inputs) inputs.push_back(fetch(use.var));
        std::vector<Type> types;
        for (VarId out : node.outputs) types.push_back(graph.var(out).type);
        ApplyRef copy = Apply::create(node.op, inputs, types);
        copy->setTrace(node.trace);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            copy->output(static_cast<int>(i))->setName(graph.name(node.outputs[i]));
            made[raw(node.outputs[i])] = VarRef(copy->output(static_cast<int>(i)));
        }
        result.toposort.push_back(copy);
        result.ids.push_back(id);
    }
    for (std::size_t i = 0; i < graph.outputCount(); ++i) result.outputs.push_back(fetch(graph.output(i)));
    return result;
}

std::string_view internText(std::string_view text)
{
    static ProcessMutex mutex; // guards known
    static auto *known = new std::unordered_set<std::string>;
    std::lock_guard lock(mutex);
    return *known->emplace(text).first;
}

} // namespace engine
