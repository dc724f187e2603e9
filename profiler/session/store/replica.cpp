#include "profiler/session/store/replica.h"

#include "profiler/session/model/model.h"

#include <algorithm>
#include <unordered_set>

namespace profiler {

namespace {

constexpr std::size_t kMaxStrings = 1u << 26;

[[noreturn]] void contradiction(const std::string &what) { throw SessionError(what, "the session file is damaged"); }

std::string number(ApplyId id) { return "apply " + std::to_string(raw(id)); }
std::string number(VariableId id) { return "variable " + std::to_string(raw(id)); }

} // namespace

const SharedText &StringTable::shared(StringId id) const
{
    if (raw(id) >= m_texts.size())
        throw SessionError("string " + std::to_string(raw(id)) + " is not in the session", "the session file is damaged");
    return m_texts[raw(id)];
}

void StringTable::set(StringId id, std::string text)
{
    if (raw(id) >= kMaxStrings) contradiction("a string has the number " + std::to_string(raw(id)));
    if (raw(id) >= m_texts.size()) m_texts.resize(raw(id) + 1);
    m_texts[raw(id)] = std::move(text);
}

GraphReplica::GraphReplica(GraphId graph, std::shared_ptr<const StringTable> strings, std::vector<Step> steps)
    : m_graph(graph), m_strings(std::move(strings))
{
    if (steps.empty())
        throw SessionError("graph " + std::to_string(raw(graph)) + " has no steps",
                           "its recording was cut off before the original graph was written");
    std::vector<StepInfo> infos;
    std::vector<EditList> edits;
    infos.reserve(steps.size());
    edits.reserve(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (edits.size() == i && steps[i].info.index == static_cast<int>(i)) edits.push_back(std::move(steps[i].edits));
        infos.push_back(std::move(steps[i].info));
    }
    if (edits.empty())
        throw SessionError("the original of graph " + std::to_string(raw(graph)) + " was not kept", "the session file is damaged");
    m_infos = std::make_shared<const std::vector<StepInfo>>(std::move(infos));
    m_edits = std::make_shared<const std::vector<EditList>>(std::move(edits));
    goTo(0);
}

void GraphReplica::goTo(int step)
{
    if (step < 0 || step > stepCount())
        throw SessionError("step " + std::to_string(step) + " does not exist: the graph has " + std::to_string(stepCount()));
    while (m_step < step) {
        applyStep(m_step + 1, true);
        ++m_step;
    }
    while (m_step > step) {
        applyStep(m_step, false);
        --m_step;
    }
}

// A step is taken whole or not at all: what was done of a bad one is taken back.
void GraphReplica::applyStep(int step, bool forth)
{
    std::vector<Edit> edits;
    std::size_t done = 0;
    try {
        edits = m_edits->at(static_cast<std::size_t>(step)).all();
        for (; done < edits.size(); ++done) {
            if (forth) redo(edits[done]);
            else undo(edits[edits.size() - 1 - done]);
        }
    } catch (const SessionError &error) {
        while (done-- > 0) {
            if (forth) undo(edits[done]);
            else redo(edits[edits.size() - 1 - done]);
        }
        throw SessionError("step " + std::to_string(step) + " of graph " + std::to_string(raw(m_graph)) + ": " + error.what(),
                           error.hint());
    }
}

const ReplicaVariable &GraphReplica::liveVariable(VariableId id) const
{
    const ReplicaVariable *found = m_variables.find(raw(id));
    if (!found || !found->live) contradiction(number(id) + " is not in the graph");
    return *found;
}

ReplicaVariable &GraphReplica::variableToChange(VariableId id) { return *m_variables.change(raw(id)); }

ReplicaApply &GraphReplica::liveApply(ApplyId id)
{
    ReplicaApply *found = m_applies.change(raw(id));
    if (!found || !found->live) contradiction(number(id) + " is not in the graph");
    return *found;
}

void GraphReplica::link(VariableId variable, ApplyId apply, std::uint32_t port)
{
    auto &clients = variableToChange(variable).clients;
    const ReplicaClient entry{apply, port};
    clients.insert(std::upper_bound(clients.begin(), clients.end(), entry), entry);
}

void GraphReplica::unlink(VariableId variable, ApplyId apply, std::uint32_t port)
{
    auto &clients = variableToChange(variable).clients;
    const ReplicaClient entry{apply, port};
    const auto found = std::lower_bound(clients.begin(), clients.end(), entry);
    if (found != clients.end() && *found == entry) clients.erase(found);
}

void GraphReplica::connect(ReplicaApply &apply)
{
    for (std::uint32_t port = 0; port < apply.inputs.size(); ++port) link(apply.inputs[port], apply.id, port);
    for (VariableId output : apply.outputs) variableToChange(output).live = true;
    apply.live = true;
    ++m_liveApplies;
}

void GraphReplica::disconnect(ReplicaApply &apply)
{
    for (std::uint32_t port = 0; port < apply.inputs.size(); ++port) unlink(apply.inputs[port], apply.id, port);
    for (VariableId output : apply.outputs) variableToChange(output).live = false;
    apply.live = false;
    --m_liveApplies;
}

void GraphReplica::redoAdd(const AddApply &edit)
{
    if (edit.id == kNoApply || m_applies.find(raw(edit.id))) contradiction(number(edit.id) + " is added twice or has no id");
    for (VariableId input : edit.inputs) liveVariable(input);
    std::vector<std::uint32_t> ids;
    for (const OutputSpec &output : edit.outputs) ids.push_back(raw(output.id));
    std::sort(ids.begin(), ids.end());
    const bool twice = std::adjacent_find(ids.begin(), ids.end()) != ids.end();
    for (const OutputSpec &output : edit.outputs)
        if (twice || output.id == kNoVariable || m_variables.find(raw(output.id)))
            contradiction(number(output.id) + " is added twice or has no id");
    for (const auto *pairs : {&edit.views, &edit.destroys})
        for (const PortPair &pair : *pairs)
            if (pair.output >= edit.outputs.size() || pair.input >= edit.inputs.size())
                contradiction(number(edit.id) + " views or destroys a port that it does not have");

    ReplicaApply &apply = m_applies.make(raw(edit.id));
    apply.id = edit.id;
    apply.op = edit.op;
    apply.friendly = edit.friendly;
    apply.opClass = edit.opClass;
    apply.device = edit.device;
    apply.inputs = edit.inputs;
    apply.views = edit.views;
    apply.destroys = edit.destroys;
    apply.sources = edit.sources;
    std::sort(apply.sources.begin(), apply.sources.end());
    int port = 0;
    for (const OutputSpec &output : edit.outputs) {
        apply.outputs.push_back(output.id);
        ReplicaVariable &variable = m_variables.make(raw(output.id));
        variable.id = output.id;
        variable.kind = VariableKind::Result;
        variable.type = output.type;
        variable.name = output.name;
        variable.owner = edit.id;
        variable.ownerPort = port++;
    }
    connect(apply);
}

void GraphReplica::redo(const Edit &edit)
{
    if (const auto *one = std::get_if<AddVariable>(&edit)) {
        const ReplicaVariable *known = m_variables.find(raw(one->id));
        const bool comesBack = known && !known->live && known->kind == VariableKind::Constant && one->kind == VariableKind::Constant;
        if (one->id == kNoVariable || (known && !comesBack)) contradiction(number(one->id) + " is added twice or has no id");
        ReplicaVariable &variable = m_variables.make(raw(one->id));
        if (comesBack) { // a constant that lost its readers and found new ones
            ++variable.returns;
            variable.live = true;
            return;
        }
        variable.id = one->id;
        variable.kind = one->kind;
        variable.type = one->type;
        variable.name = one->name;
        variable.value = one->value;
        variable.sources = one->sources;
        variable.live = true;
        if (one->kind != VariableKind::Constant) m_inputOrder.push_back(one->id);
    } else if (const auto *one = std::get_if<AddApply>(&edit)) {
        redoAdd(*one);
    } else if (const auto *one = std::get_if<SetInput>(&edit)) {
        ReplicaApply &apply = liveApply(one->apply);
        liveVariable(one->after);
        if (one->port >= apply.inputs.size() || apply.inputs[one->port] != one->before)
            contradiction("input " + std::to_string(one->port) + " of " + number(one->apply) + " is not " + number(one->before));
        unlink(one->before, one->apply, one->port);
        apply.inputs[one->port] = one->after;
        link(one->after, one->apply, one->port);
    } else if (const auto *one = std::get_if<SetOutput>(&edit)) {
        const bool appended = one->before == kNoVariable && one->index == m_outputs.size();
        const bool known = one->index < m_outputs.size() && m_outputs[one->index] == one->before;
        if (!appended && !known) contradiction("output " + std::to_string(one->index) + " is not " + number(one->before));
        if (one->after == kNoVariable) {
            if (appended || one->index + 1 != m_outputs.size()) contradiction("only the last output can be removed");
            m_outputs.pop_back();
            return;
        }
        liveVariable(one->after);
        if (appended) m_outputs.push_back(one->after);
        else m_outputs[one->index] = one->after;
    } else if (const auto *one = std::get_if<Rename>(&edit)) {
        if (liveVariable(one->variable).name != one->before)
            contradiction(number(one->variable) + " has another name than the one it loses");
        variableToChange(one->variable).name = one->after;
    } else if (const auto *one = std::get_if<PruneApply>(&edit)) {
        ReplicaApply &apply = liveApply(one->apply);
        for (VariableId output : apply.outputs) {
            const bool isOutput = std::find(m_outputs.begin(), m_outputs.end(), output) != m_outputs.end();
            if (isOutput || !m_variables.find(raw(output))->clients.empty())
                contradiction(number(one->apply) + " is removed while it is still read");
        }
        disconnect(apply);
    } else if (const auto *one = std::get_if<PruneVariable>(&edit)) {
        const ReplicaVariable &variable = liveVariable(one->variable);
        const bool isOutput = std::find(m_outputs.begin(), m_outputs.end(), one->variable) != m_outputs.end();
        if (variable.kind == VariableKind::Result || isOutput || !variable.clients.empty())
            contradiction(number(one->variable) + " is removed while it is still in use");
        variableToChange(one->variable).live = false;
    } else if (const auto *one = std::get_if<AddSources>(&edit)) {
        ReplicaApply &apply = liveApply(one->apply);
        for (const SourceRef &source : one->sources)
            if (std::binary_search(apply.sources.begin(), apply.sources.end(), source))
                contradiction(number(one->apply) + " already has a source line that it is given");
        apply.sources.append(one->sources);
        std::sort(apply.sources.begin(), apply.sources.end());
    }
}

// Only ever called for an edit that redo() accepted, in reverse order; so it checks nothing again.
void GraphReplica::undo(const Edit &edit)
{
    if (const auto *one = std::get_if<AddVariable>(&edit)) {
        ReplicaVariable &variable = variableToChange(one->id);
        if (variable.returns > 0) {
            --variable.returns;
            variable.live = false;
            return;
        }
        m_variables.erase(raw(one->id));
        if (one->kind != VariableKind::Constant) m_inputOrder.pop_back();
    } else if (const auto *one = std::get_if<AddApply>(&edit)) {
        disconnect(*m_applies.change(raw(one->id)));
        for (const OutputSpec &output : one->outputs) m_variables.erase(raw(output.id));
        m_applies.erase(raw(one->id));
    } else if (const auto *one = std::get_if<SetInput>(&edit)) {
        unlink(one->after, one->apply, one->port);
        m_applies.change(raw(one->apply))->inputs[one->port] = one->before;
        link(one->before, one->apply, one->port);
    } else if (const auto *one = std::get_if<SetOutput>(&edit)) {
        if (one->after == kNoVariable) m_outputs.push_back(one->before);
        else if (one->before == kNoVariable) m_outputs.pop_back();
        else m_outputs[one->index] = one->before;
    } else if (const auto *one = std::get_if<Rename>(&edit)) {
        variableToChange(one->variable).name = one->before;
    } else if (const auto *one = std::get_if<PruneApply>(&edit)) {
        connect(*m_applies.change(raw(one->apply)));
    } else if (const auto *one = std::get_if<PruneVariable>(&edit)) {
        variableToChange(one->variable).live = true;
    } else if (const auto *one = std::get_if<AddSources>(&edit)) {
        m_applies.change(raw(one->apply))->sources.eraseIf([one](const SourceRef &source) {
            return std::find(one->sources.begin(), one->sources.end(), source) != one->sources.end();
        });
    }
}

const std::vector<ApplyGroup> &GraphReplica::groups() const
{
    static const std::vector<ApplyGroup> none;
    return m_step == stepCount() ? m_groups : none;
}

void GraphReplica::setGroups(std::vector<ApplyGroup> groups)
{
    m_groups.clear();
    if (groups.empty()) return;
    // What a damaged file calls a group may name nodes that are not there, or one twice.
    const int shown = m_step;
    try {
        goTo(stepCount());
    } catch (const SessionError &) {
        goTo(shown); // whoever goes to the last step is told why it cannot be reached
        return;
    }
    std::unordered_set<std::uint32_t> taken;
    std::erase_if(groups, [&](const ApplyGroup &group) {
        return group.graph != m_graph || group.applies.size() < 2 ||
               std::any_of(group.applies.begin(), group.applies.end(), [&](ApplyId id) {
                   const ReplicaApply *found = apply(id);
                   return !found || !found->live || !taken.insert(raw(id)).second;
               });
    });
    m_groups = std::move(groups);
    goTo(shown);
}

} // namespace profiler
