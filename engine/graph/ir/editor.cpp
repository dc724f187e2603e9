#include "engine/graph/ir/editor.h"

#include "engine/tensor/clock.h"
#include "engine/tensor/device_names.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {

// --- handles --------------------------------------------------------------------------------------

void VarHandle::askUniform() const
{
    const VarNode &node = this->node();
    const Value &value = node.leaf->value();
    node.isUniform = VarNode::Uniform::No;
    if (!value.isTensor() || isComplex(value.tensor().dtype()) || !value.tensor().isUniform()) return;
    node.isUniform = VarNode::Uniform::Yes;
    node.uniform = value.tensor().at(0);
}

std::optional<NodeHandle> VarHandle::owner() const
{
    const ApplyId owner = node().owner;
    if (owner == kNoApply) return std::nullopt;
    m_graph->touch(owner);
    return NodeHandle(*m_graph, owner);
}

bool VarHandle::isGraphOutput() const
{
    return std::any_of(clients().begin(), clients().end(), [](const Client &c) { return c.isGraphOutput(); });
}

ShortList<VarHandle, 4> NodeHandle::inputs() const
{
    const auto &uses = m_graph->apply(m_id).inputs;
    ShortList<VarHandle, 4> result;
    result.reserve(uses.size());
    for (const Use &use : uses) result.push_back({*m_graph, use.var});
    return result;
}

// --- editor ---------------------------------------------------------------------------------------

namespace {

/// The key of an op on its inputs. The low half, which is the place in the table, follows the ids of the inputs: applies that
/// lie near one another in the graph do so in the table, and walks over big graphs do not wait for it. The upper half is mixed.
std::size_t keyOf(const Op &op, const ConsSum &inputs)
{
    const std::uint64_t mixed = (op.hash() + inputs.mixed) * 0xBF58476D1CE4E5B9ull;
    return (mixed & 0xFFFFFFFF00000000ull) | (inputs.place >> 5 & 0xFFFFFFFFull);
}

} // namespace

Editor::Editor(FunctionGraph &graph) : m_graph(graph)
{
    ENGINE_ASSERT(graph.position() == graph.journal().steps.size(), "the graph is in its past");
}

Editor::~Editor()
{
    if (m_inStep) abandonStep();
}

void Editor::index()
{
    if (m_isIndexed) return;
    m_isIndexed = true;
    m_constants.reserve(m_graph.varCount() + m_graph.varCount() / 4, 16);
    for (std::uint32_t i = 0; i < m_graph.varCount(); ++i) {
        const VarNode &node = m_graph.var(VarId{i});
        if (node.kind == Variable::Kind::Constant) addConstant(node.leaf->value().contentHash() ^ node.type.hash(), VarId{i});
    }
    m_cons.reserve(m_graph.applyCount() + m_graph.applyCount() / 4, m_graph.liveApplyCount());
    for (std::uint32_t i = 0; i < m_graph.applyCount(); ++i)
        if (m_graph.apply(ApplyId{i}).live) m_cons.insert(consKey(ApplyId{i}), ApplyId{i});
    // A guess of what rewriting will write; memory that is not touched costs nothing.
    const std::size_t live = m_graph.liveApplyCount();
    Journal &journal = m_graph.m_journal;
    journal.edits.reserve(journal.edits.size() + (m_graph.m_keepsJournal ? 5 * live : 0));
    if (!m_graph.m_keepsJournal) return;
    journal.steps.reserve(journal.steps.size() + live + live / 8);
    journal.m_bornInputs.reserve(journal.m_bornInputs.size() + 3 * live);
    journal.m_applies.reserve(journal.m_applies.size() + 3 * live);
    journal.m_replacements.reserve(journal.m_replacements.size() + live + live / 8);
    journal.m_fates.reserve(journal.m_fates.size() + live + live / 2);
    journal.m_heirs.reserve(journal.m_heirs.size() + live + live / 2);
}

void Editor::addConstant(std::size_t key, VarId id)
{
    m_constants.insert(key, id);
    m_constantKeys.emplace_back(id, key);
}

void Editor::addKey(ApplyId id)
{
    m_cons.insert(consKey(id), id);
    if (m_hadNoTwins) m_rekeyed.push_back(id);
}

bool Editor::mayHaveTwins()
{
    if (!m_hadNoTwins) return true;
    const bool may = std::any_of(m_rekeyed.begin(), m_rekeyed.end(),
                                 [&](ApplyId id) { return raw(id) < m_graph.applyCount() && m_graph.apply(id).live && findTwin(id); });
    if (!may) m_rekeyed.clear();
    return may;
}

void Editor::leftNoTwins()
{
    m_hadNoTwins = true;
    m_rekeyed.clear();
}

void Editor::record(Edit edit)
{
    ENGINE_ASSERT(m_inStep, "an edit outside of a step");
    if (stepIsBlank()) m_open.firstEditNs = nowNs();
    m_graph.redo(edit);
    m_graph.m_journal.edits.push_back(edit);
}

std::size_t Editor::consKey(ApplyId apply) const
{
    const ApplyNode &node = m_graph.apply(apply);
    const bool isWide = node.inputs.size() > kWide;
    if (isWide)
        if (const auto known = m_wideSums.find(raw(apply)); known != m_wideSums.end()) return keyOf(*node.op, known->second);
    ConsSum sum;
    for (std::uint32_t port = 0; port < node.inputs.size(); ++port) sum.add(port, node.inputs[port].var);
    if (isWide) m_wideSums.emplace(raw(apply), sum);
    return keyOf(*node.op, sum);
}

void Editor::changeSum(ApplyId apply, std::uint32_t port, VarId from, VarId to)
{
    if (m_graph.apply(apply).inputs.size() <= kWide) return;
    const auto known = m_wideSums.find(raw(apply));
    if (known == m_wideSums.end()) return;
    known->second.remove(port, from);
    known->second.add(port, to);
}

VarId Editor::replacementOf(VarId var)
{
    VarId at = var;
    while (!m_graph.var(at).live) {
        if (m_graph.var(at).kind == Variable::Kind::Constant) {
            record({Edit::Kind::AddVariable, raw(at)}); // nobody needed it any more
            break;
        }
        at = raw(at) < m_successors.size() ? m_successors[raw(at)] : kNoVar;
        if (at == kNoVar) return kNoVar;
    }
    // The next search need not take the whole way.
    while (var != at) {
        const VarId next = m_successors[raw(var)];
        m_successors[raw(var)] = at;
        var = next;
    }
    return at;
}

VarHandle Editor::constant(Tensor value, std::string_view name)
{
    const Type type = Type::tensor(value.dtype(), value.shape());
    return constant(Value(std::move(value)), type, name);
}

VarHandle Editor::constant(const Value &value, Type type, std::string_view name)
{
    index();
    const std::size_t key = value.contentHash() ^ type.hash();
    VarId found = kNoVar;
    m_constants.anyFromLast(key, [&](VarId id) {
        const VarNode &node = m_graph.var(id);
        if (!node.type.identical(type) || !node.leaf->value().sameAs(value)) return false;
        found = id;
        return true;
    });
    if (found != kNoVar) {
        if (!m_graph.var(found).live) record({Edit::Kind::AddVariable, raw(found)});
        return {m_graph, found};
    }
    VarNode node;
    node.type = type;
    node.kind = Variable::Kind::Constant;
    node.name = m_graph.internName(std::string(name));
    node.leaf = Variable::constant(value, type, std::string(name));
    const VarId id = m_graph.addVar(std::move(node));
    addConstant(key, id);
    record({Edit::Kind::AddVariable, raw(id)});
    return {m_graph, id};
}

namespace {

OpRef formOn(const OpRef &op, std::span<const VarHandle> inputs)
{
    return formFor(op, inputs, [](const VarHandle &input) { return input.type(); });
}

} // namespace

NodeHandle Editor::apply(const OpRef &given, std::span<const VarHandle> inputs)
{
    index();
    OpRef form;
    if (hasDevices()) [[unlikely]]
        form = formOn(given, inputs);
    const OpRef &op = form ? form : given;
    ConsSum sum;
    for (std::uint32_t port = 0; port < inputs.size(); ++port) sum.add(port, inputs[port].id());
    ApplyId found = kNoApply;
    m_cons.any(keyOf(*op, sum), [&](ApplyId id) {
        const ApplyNode &node = m_graph.apply(id);
        if (!node.live || node.inputs.size() != inputs.size() || !sameOp(*node.op, *op)) return false;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (node.inputs[i].var != inputs[i].id()) return false;
        // A destroyer may not be shared: its second reader would see the overwritten input.
        if (!node.op->destroyMap().empty()) return false;
        found = id;
        return true;
    });
    return found != kNoApply ? NodeHandle(m_graph, found) : applyFresh(op, inputs);
}

NodeHandle Editor::applyFresh(OpRef op, std::span<const VarHandle> inputs)
{
    if (hasDevices()) [[unlikely]]
        op = formOn(op, inputs);
    std::vector<Operand> operands;
    operands.reserve(inputs.size());
    for (const VarHandle &input : inputs) operands.push_back({input.type(), input.constant()});
    const std::vector<Type> types = outputTypesOf(*op, operands);
    index();

    const ApplyId id{static_cast<std::uint32_t>(m_graph.m_applies.size())};
    ApplyNode node;
    node.op = op;
    node.step = stepNow();
    node.inputs.reserve(inputs.size());
    for (const VarHandle &input : inputs) node.inputs.push_back({input.id(), 0});
    for (std::size_t i = 0; i < types.size(); ++i) {
        VarNode out;
        out.type = types[i];
        out.owner = id;
        out.index = static_cast<std::uint32_t>(i);
        out.kind = Variable::Kind::Output;
        node.outputs.push_back(m_graph.addVar(std::move(out)));
    }
    m_graph.m_applies.push_back(std::move(node));
    addKey(id);
    m_open.made.push_back(id);
    BigVector<VarId> &born = m_graph.m_journal.m_bornInputs;
    const auto firstBorn = static_cast<std::uint32_t>(born.size());
    born.resize(firstBorn + inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) born[firstBorn + i] = inputs[i].id();
    record({Edit::Kind::AddApply, raw(id), static_cast<std::uint32_t>(inputs.size()), 0, firstBorn});
    return {m_graph, id};
}

std::optional<ApplyId> Editor::findTwin(ApplyId apply)
{
    index();
    const ApplyNode &node = m_graph.apply(apply);
    if (!node.op->destroyMap().empty()) return std::nullopt;
    std::optional<ApplyId> best;
    m_cons.any(consKey(apply), [&](ApplyId id) {
        const ApplyNode &other = m_graph.apply(id);
        if (id == apply || !other.live || other.inputs.size() != node.inputs.size() || !sameOp(*other.op, *node.op)) return false;
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            if (other.inputs[i].var != node.inputs[i].var) return false;
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
            if (!(m_graph.var(other.outputs[i]).type == m_graph.var(node.outputs[i]).type)) return false;
        best = id;
        return true;
    });
    return best;
}

void Editor::setInput(ApplyId apply, std::uint32_t port, VarId to)
{
    const Use use = m_graph.apply(apply).inputs[port];
    if (use.var == to) return;
    index();
    // Both places of the table come near while the edit is made.
    const std::size_t before = consKey(apply);
    m_cons.prefetch(before);
    record({Edit::Kind::SetInput, raw(apply), port, raw(use.var), raw(to), use.position});
    changeSum(apply, port, use.var, to);
    m_cons.prefetch(consKey(apply));
    m_cons.erase(before, apply);
    addKey(apply);
    m_open.orphans.push_back(use.var);
    m_dirty.push_back(apply);
}

void Editor::setOutput(std::uint32_t index, VarId to)
{
    const Use use = m_graph.m_outputs[index];
    if (use.var == to) return;
    record({Edit::Kind::SetOutput, 0, index, raw(use.var), raw(to), use.position});
    m_open.orphans.push_back(use.var);
}

void Editor::rename(VarId var, std::string_view name)
{
    const std::uint32_t id = m_graph.internName(std::string(name));
    if (m_graph.var(var).name == id) return;
    record({Edit::Kind::Rename, raw(var), 0, m_graph.var(var).name, id});
}

void Editor::replace(VarHandle before, VarHandle after, FateKind kind)
{
    if (before == after) return;
    ENGINE_ASSERT(after.type().convertibleTo(before.type()),
                  std::string(m_open.rewrite) + " replaces " + before.type().text() + " by " + after.type().text());
    if (!before.name().empty() && after.name().empty() && m_graph.var(after.id()).owner != kNoApply) rename(after.id(), before.name());

    const ApplyId owner = m_graph.var(before.id()).owner;
    if (owner != kNoApply) prefetchTwin(owner); // it will leave the table
    const auto madeNow = [&](ApplyId id) { return m_graph.apply(id).step == stepNow(); };
    const auto &clients = m_graph.m_vars[raw(before.id())].clients;
    for (std::size_t i = 0; i < clients.size();) {
        const Client client = clients[i];
        // What the step built on top of `before` keeps reading it.
        if (!client.isGraphOutput() && madeNow(client.apply)) {
            ++i;
            continue;
        }
        if (client.isGraphOutput()) setOutput(client.port, after.id());
        else setInput(client.apply, client.port, after.id());
    }
    m_open.orphans.push_back(before.id());
    m_open.replacements.push_back({before.id(), after.id()});
    if (owner != kNoApply) m_open.roots.emplace_back(owner, after.isConstant() ? FateKind::Constant : kind);
}

void Editor::setBodyOrigins(ApplyId apply, std::vector<std::vector<ApplyId>> origins)
{
    m_graph.bodyOrigins[raw(apply)] = std::move(origins);
}

void Editor::pruneUnused()
{
    std::vector<VarId> &candidates = m_candidates;
    while (!candidates.empty()) {
        const VarId id = candidates.back();
        candidates.pop_back();
        const VarNode &node = m_graph.var(id);
        if (!node.live || !node.clients.empty()) continue;
        if (node.owner == kNoApply) {
            if (node.kind == Variable::Kind::Constant) record({Edit::Kind::PruneVariable, raw(id)});
            continue;
        }
        const ApplyNode &owner = m_graph.apply(node.owner);
        const bool used =
            std::any_of(owner.outputs.begin(), owner.outputs.end(), [&](VarId out) { return !m_graph.var(out).clients.empty(); });
        if (used || !owner.live) continue;
        index();
        m_cons.erase(consKey(node.owner), node.owner);
        record({Edit::Kind::Prune, raw(node.owner)});
        for (const Use &use : owner.inputs) candidates.push_back(use.var);
    }
}

bool Editor::commitStep(std::string_view reason)
{
    ENGINE_ASSERT(m_inStep, "there is no step to commit");
    auto &journal = m_graph.m_journal;
    m_candidates.assign(m_open.orphans.begin(), m_open.orphans.end());
    for (ApplyId made : m_open.made)
        for (VarId out : m_graph.apply(made).outputs) m_candidates.push_back(out);
    pruneUnused();

    m_removed.clear();
    bool changed = false;
    for (std::size_t i = m_open.firstEdit; i < journal.edits.size(); ++i) {
        const Edit &edit = journal.edits[i];
        switch (edit.kind) {
        case Edit::Kind::AddVariable:
        case Edit::Kind::AddApply:
        case Edit::Kind::PruneVariable: break;
        case Edit::Kind::Prune:
            if (m_graph.apply(ApplyId{edit.id}).step != stepNow()) {
                m_removed.push_back(ApplyId{edit.id});
                changed = true;
            }
            break;
        default: changed = true;
        }
    }
    if (!changed) {
        abandonStep();
        return false;
    }

    for (ApplyId made : m_open.made)
        if (m_graph.apply(made).live) m_dirty.push_back(made);
    for (VarId orphan : m_open.orphans) {
        const ApplyId owner = m_graph.var(orphan).owner;
        if (owner != kNoApply && m_graph.apply(owner).live) m_dirty.push_back(owner);
    }
    for (ApplyId id : m_removed)
        for (const Use &use : m_graph.apply(id).inputs) {
            const ApplyId owner = m_graph.var(use.var).owner;
            if (owner != kNoApply && m_graph.apply(owner).live) m_dirty.push_back(owner);
        }

    if (m_successors.size() < m_graph.m_vars.size()) m_successors.resize(m_graph.m_vars.size() + m_graph.m_vars.size() / 4, kNoVar);
    for (const Replacement &r : m_open.replacements) m_successors[raw(r.before)] = r.after;

    m_stepNs = nowNs() - m_open.firstEditNs;
    if (m_graph.m_keepsJournal) writeStep(reason);
    else journal.edits.clear(), journal.m_bornInputs.clear();
    m_graph.m_position = journal.steps.size();
    ++m_graph.m_stepCount;
    m_graph.m_touched = nullptr;
    m_inStep = false;
    return true;
}

void Editor::undoStep()
{
    auto &journal = m_graph.m_journal;
    while (journal.edits.size() > m_open.firstEdit) {
        const Edit edit = journal.edits.back();
        const bool keyed = edit.kind == Edit::Kind::SetInput || edit.kind == Edit::Kind::AddApply;
        if (keyed) m_cons.erase(consKey(ApplyId{edit.id}), ApplyId{edit.id});
        if (edit.kind == Edit::Kind::AddApply) journal.m_bornInputs.resize(edit.newValue);
        m_graph.undo(edit);
        if (edit.kind == Edit::Kind::SetInput) changeSum(ApplyId{edit.id}, edit.port, VarId{edit.newValue}, VarId{edit.oldValue});
        else if (edit.kind == Edit::Kind::AddApply) m_wideSums.erase(edit.id);
        if (edit.kind == Edit::Kind::SetInput || edit.kind == Edit::Kind::Prune) addKey(ApplyId{edit.id});
        journal.edits.pop_back();
    }
    // Nobody saw what the step built: its ids may be given again.
    m_sizeNotes.undoStep();
    if (!m_graph.bodyOrigins.empty())
        for (std::size_t i = m_graph.m_applies.size(); i-- > m_open.appliesBefore;)
            m_graph.bodyOrigins.erase(static_cast<std::uint32_t>(i));
    m_graph.m_applies.shrink(m_open.appliesBefore);
    for (; !m_constantKeys.empty() && raw(m_constantKeys.back().first) >= m_open.varsBefore; m_constantKeys.pop_back())
        m_constants.erase(m_constantKeys.back().second, m_constantKeys.back().first);
    m_graph.m_vars.shrink(m_open.varsBefore);
    m_graph.m_owners.resize(m_open.varsBefore);
}

} // namespace engine
