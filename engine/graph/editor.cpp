#include "engine/graph/editor.h"

#include "engine/graph/clock.h"
#include "engine/graph/errors.h"

#include <algorithm>
#include <unordered_set>

namespace engine {

// --- handles --------------------------------------------------------------------------------------

std::optional<double> VarHandle::uniformConstant() const
{
    const Value *value = constant();
    if (!value || !value->isTensor() || isComplex(value->tensor().dtype())) return std::nullopt;
    if (!value->tensor().isUniform()) return std::nullopt;
    return value->tensor().at(0);
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

std::vector<VarHandle> NodeHandle::inputs() const
{
    std::vector<VarHandle> result;
    result.reserve(inputCount());
    for (std::size_t i = 0; i < inputCount(); ++i) result.push_back(input(i));
    return result;
}

// --- editor ---------------------------------------------------------------------------------------

namespace {

// Ids are small and in a row: without mixing, whole graphs fall into few buckets.
std::size_t mixedKey(std::size_t key, VarId input)
{
    std::uint64_t mixed = static_cast<std::uint64_t>(key) + raw(input) * 0x9E3779B97F4A7C15ull;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
    return static_cast<std::size_t>(mixed ^ (mixed >> 27));
}

} // namespace

Editor::Editor(FunctionGraph &graph) : m_graph(graph)
{
    ENGINE_ASSERT(graph.position() == graph.journal().steps.size(), "the graph is in its past");
    for (std::uint32_t i = 0; i < graph.varCount(); ++i) {
        const VarNode &node = graph.var(VarId{i});
        if (node.kind == Variable::Kind::Constant)
            m_constants.emplace(node.leaf->value().contentHash() ^ node.type.hash(), VarId{i});
    }
    for (ApplyId id : graph.liveApplies()) m_cons.insert(consKey(id), id);
}

Editor::~Editor()
{
    if (m_inStep) abandonStep();
}

void Editor::beginStep(std::string_view phase, std::string_view pass, std::string_view rewrite)
{
    ENGINE_ASSERT(!m_inStep, "a step is open already");
    m_inStep = true;
    m_phase = phase;
    m_pass = pass;
    m_rewrite = rewrite;
    m_varsBefore = m_graph.m_vars.size();
    m_appliesBefore = m_graph.m_applies.size();
    m_step.replacements.clear();
    m_step.firstEdit = m_graph.m_journal.edits.size();
    m_step.appliesBefore = m_graph.m_liveApplies;
    m_touched.clear();
    m_orphans.clear();
    m_roots.clear();
    m_made.clear();
    m_dirty.clear();
    m_graph.m_touched = &m_touched;
}

void Editor::record(Edit edit)
{
    ENGINE_ASSERT(m_inStep, "an edit outside of a step");
    if (m_graph.m_journal.edits.size() == m_step.firstEdit) m_firstEditNs = nowNs();
    m_graph.redo(edit);
    m_graph.m_journal.edits.push_back(edit);
}

std::size_t Editor::consKey(ApplyId apply) const
{
    const ApplyNode &node = m_graph.apply(apply);
    std::size_t key = node.op->hash();
    for (const Use &use : node.inputs) key = mixedKey(key, use.var);
    return key;
}

VarHandle Editor::constant(Tensor value, std::string_view name)
{
    const Type type = Type::tensor(value.dtype(), value.shape());
    return constant(Value(std::move(value)), type, name);
}

VarHandle Editor::constant(const Value &value, Type type, std::string_view name)
{
    const std::size_t key = value.contentHash() ^ type.hash();
    for (auto [it, end] = m_constants.equal_range(key); it != end; ++it) {
        const VarNode &node = m_graph.var(it->second);
        if (!node.type.identical(type) || !node.leaf->value().sameAs(value)) continue;
        if (!node.live) record({Edit::Kind::AddVariable, raw(it->second)});
        return {m_graph, it->second};
    }
    VarNode node;
    node.type = type;
    node.kind = Variable::Kind::Constant;
    node.name = m_graph.internName(std::string(name));
    node.leaf = Variable::constant(value, type, std::string(name));
    const VarId id = m_graph.addVar(std::move(node));
    m_constants.emplace(key, id);
    record({Edit::Kind::AddVariable, raw(id)});
    return {m_graph, id};
}

NodeHandle Editor::apply(const OpRef &op, std::span<const VarHandle> inputs)
{
    std::size_t key = op->hash();
    for (const VarHandle &input : inputs) key = mixedKey(key, input.id());
    ApplyId found = kNoApply;
    m_cons.any(key, [&](ApplyId id) {
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
    std::vector<Operand> operands;
    operands.reserve(inputs.size());
    for (const VarHandle &input : inputs) operands.push_back({input.type(), input.constant()});
    const std::vector<Type> types = op->outputTypes(operands);

    const ApplyId id{static_cast<std::uint32_t>(m_graph.m_applies.size())};
    ApplyNode node;
    node.op = op;
    node.step = static_cast<std::uint32_t>(m_graph.m_journal.steps.size() + 1);
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
    m_cons.insert(consKey(id), id);
    m_made.push_back(id);
    record({Edit::Kind::AddApply, raw(id)});
    return {m_graph, id};
}

std::optional<ApplyId> Editor::findTwin(ApplyId apply) const
{
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
    m_cons.erase(consKey(apply), apply);
    record({Edit::Kind::SetInput, raw(apply), port, raw(use.var), raw(to), use.position});
    m_cons.insert(consKey(apply), apply);
    m_orphans.push_back(use.var);
    m_dirty.push_back(apply);
}

void Editor::setOutput(std::uint32_t index, VarId to)
{
    const Use use = m_graph.m_outputs[index];
    if (use.var == to) return;
    record({Edit::Kind::SetOutput, 0, index, raw(use.var), raw(to), use.position});
    m_orphans.push_back(use.var);
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
                  std::string(m_rewrite) + " replaces " + before.type().text() + " by " + after.type().text());
    if (!before.name().empty() && after.name().empty() && m_graph.var(after.id()).owner != kNoApply)
        rename(after.id(), before.name());

    const auto madeNow = [&](ApplyId id) {
        return m_graph.apply(id).step == m_graph.m_journal.steps.size() + 1;
    };
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
    m_orphans.push_back(before.id());
    m_step.replacements.push_back({before.id(), after.id()});
    const ApplyId owner = m_graph.var(before.id()).owner;
    if (owner != kNoApply) m_roots.emplace_back(owner, after.isConstant() ? FateKind::Constant : kind);
}

void Editor::setBodyOrigins(ApplyId apply, std::vector<std::vector<ApplyId>> origins)
{
    m_graph.bodyOrigins[raw(apply)] = std::move(origins);
}

void Editor::pruneUnused(std::vector<VarId> candidates)
{
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
        const bool used = std::any_of(owner.outputs.begin(), owner.outputs.end(),
                                      [&](VarId out) { return !m_graph.var(out).clients.empty(); });
        if (used || !owner.live) continue;
        m_cons.erase(consKey(node.owner), node.owner);
        record({Edit::Kind::Prune, raw(node.owner)});
        for (const Use &use : owner.inputs) candidates.push_back(use.var);
    }
}

bool Editor::commitStep(std::string_view reason)
{
    ENGINE_ASSERT(m_inStep, "there is no step to commit");
    auto &journal = m_graph.m_journal;
    std::vector<VarId> candidates = m_orphans;
    for (ApplyId made : m_made)
        for (VarId out : m_graph.apply(made).outputs) candidates.push_back(out);
    pruneUnused(std::move(candidates));

    const std::uint32_t bornNow = static_cast<std::uint32_t>(journal.steps.size() + 1);
    std::vector<ApplyId> removed;
    bool changed = false;
    for (std::size_t i = m_step.firstEdit; i < journal.edits.size(); ++i) {
        const Edit &edit = journal.edits[i];
        switch (edit.kind) {
        case Edit::Kind::AddVariable:
        case Edit::Kind::AddApply:
        case Edit::Kind::PruneVariable: break;
        case Edit::Kind::Prune:
            if (m_graph.apply(ApplyId{edit.id}).step != bornNow) {
                removed.push_back(ApplyId{edit.id});
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

    std::unordered_map<std::uint32_t, FateKind> roots;
    for (const auto &[apply, kind] : m_roots) roots[raw(apply)] = kind;
    std::unordered_set<std::uint32_t> touched;
    for (ApplyId id : m_touched) touched.insert(raw(id));
    FateKind rootKind = FateKind::Replaced;
    for (const auto &[apply, kind] : m_roots) rootKind = kind;

    // What the step made and replaced again itself never stood in a graph that anybody saw: look through it.
    std::unordered_map<std::uint32_t, VarId> replacedBy;
    for (const Replacement &r : m_step.replacements) replacedBy[raw(r.before)] = r.after;
    const auto isFleeting = [&](VarId id) {
        const ApplyId owner = m_graph.var(id).owner;
        return owner != kNoApply && !m_graph.apply(owner).live && m_graph.apply(owner).step == bornNow;
    };
    const auto settled = [&](VarId id) {
        for (std::size_t hops = 0; isFleeting(id); ++hops) {
            auto next = replacedBy.find(raw(id));
            if (next == replacedBy.end() || hops > replacedBy.size()) return kNoVar;
            id = next->second;
        }
        return id;
    };
    std::vector<Replacement> lasting;
    std::vector<VarId> targets;
    for (const Replacement &r : m_step.replacements) {
        const VarId after = settled(r.after);
        if (after == kNoVar) continue;
        if (std::find(targets.begin(), targets.end(), after) == targets.end()) targets.push_back(after);
        if (after != r.before && !isFleeting(r.before)) lasting.push_back({r.before, after});
    }

    for (ApplyId id : removed) {
        Fate fate{id, FateKind::Dead, {}};
        if (auto root = roots.find(raw(id)); root != roots.end()) {
            fate.kind = root->second;
            for (VarId out : m_graph.apply(id).outputs)
                for (const Replacement &r : lasting)
                    if (r.before == out) fate.to.push_back(r.after);
            if (fate.to.empty()) fate.to = targets;
            if (fate.to.empty()) fate.kind = FateKind::Dead;
        } else if (touched.count(raw(id)) && !targets.empty()) {
            fate.kind = rootKind == FateKind::Merged ? FateKind::Replaced : rootKind;
            fate.to = targets;
        }
        if (fate.kind != FateKind::Dead) m_step.region.push_back(id);
        m_step.fates.push_back(std::move(fate));
    }
    m_step.replacements = std::move(lasting);
    // A root that lives on through another output, or an edit without a replacement: what was looked at.
    for (const auto &[apply, kind] : m_roots)
        if (std::find(m_step.region.begin(), m_step.region.end(), apply) == m_step.region.end() &&
            m_graph.apply(apply).step != bornNow)
            m_step.region.push_back(apply);
    if (m_step.region.empty())
        for (ApplyId id : m_touched)
            if (m_graph.apply(id).step != bornNow) m_step.region.push_back(id);

    for (ApplyId made : m_made)
        if (m_graph.apply(made).live) {
            m_step.produced.push_back(made);
            m_dirty.push_back(made);
        }
    for (VarId orphan : m_orphans) {
        const ApplyId owner = m_graph.var(orphan).owner;
        if (owner != kNoApply && m_graph.apply(owner).live) m_dirty.push_back(owner);
    }
    for (ApplyId id : removed)
        for (const Use &use : m_graph.apply(id).inputs) {
            const ApplyId owner = m_graph.var(use.var).owner;
            if (owner != kNoApply && m_graph.apply(owner).live) m_dirty.push_back(owner);
        }

    m_step.phase = m_phase;
    m_step.pass = m_pass;
    m_step.rewrite = m_rewrite;
    m_step.reason = reason;
    m_step.nanoseconds = nowNs() - m_firstEditNs;
    m_step.lastEdit = journal.edits.size();
    m_step.appliesAfter = m_graph.m_liveApplies;
    journal.steps.push_back(std::move(m_step));
    m_step = Step{};
    m_graph.m_position = journal.steps.size();
    m_graph.m_touched = nullptr;
    m_inStep = false;
    return true;
}

void Editor::abandonStep()
{
    auto &journal = m_graph.m_journal;
    while (journal.edits.size() > m_step.firstEdit) {
        const Edit edit = journal.edits.back();
        const bool keyed = edit.kind == Edit::Kind::SetInput || edit.kind == Edit::Kind::AddApply;
        if (keyed) m_cons.erase(consKey(ApplyId{edit.id}), ApplyId{edit.id});
        m_graph.undo(edit);
        if (edit.kind == Edit::Kind::SetInput || edit.kind == Edit::Kind::Prune) m_cons.insert(consKey(ApplyId{edit.id}), ApplyId{edit.id});
        journal.edits.pop_back();
    }
    // Nobody saw what the step built: its ids may be given again.
    if (!m_graph.bodyOrigins.empty())
        for (std::size_t i = m_graph.m_applies.size(); i-- > m_appliesBefore;) m_graph.bodyOrigins.erase(static_cast<std::uint32_t>(i));
    m_graph.m_applies.resize(m_appliesBefore);
    for (std::size_t i = m_graph.m_vars.size(); i-- > m_varsBefore;) {
        const VarNode &node = m_graph.m_vars[i];
        if (node.kind != Variable::Kind::Constant) continue;
        for (auto [it, end] = m_constants.equal_range(node.leaf->value().contentHash() ^ node.type.hash()); it != end; ++it)
            if (it->second == VarId{static_cast<std::uint32_t>(i)}) {
                m_constants.erase(it);
                break;
            }
    }
    m_graph.m_vars.resize(m_varsBefore);
    m_graph.m_touched = nullptr;
    m_inStep = false;
    m_dirty.clear();
}

} // namespace engine
