#include "profiler/session/store/replica.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace profiler {

namespace {

template <class Id, class Nodes>
std::vector<Id> liveIds(const Nodes &nodes)
{
    std::vector<Id> ids;
    nodes.forEach([&](const auto &node) {
        if (node.live) ids.push_back(node.id);
    });
    std::sort(ids.begin(), ids.end());
    return ids;
}

} // namespace

std::vector<ApplyId> GraphReplica::applies() const { return liveIds<ApplyId>(m_applies); }

std::vector<VariableId> GraphReplica::variables() const { return liveIds<VariableId>(m_variables); }

std::vector<ApplyId> GraphReplica::toposort() const
{
    std::unordered_map<std::uint32_t, std::size_t> waiting; // for what others make
    std::priority_queue<ApplyId, std::vector<ApplyId>, std::greater<>> ready;
    for (ApplyId id : applies()) {
        std::size_t owned = 0;
        for (VariableId input : m_applies.find(raw(id))->inputs) owned += m_variables.find(raw(input))->owner != kNoApply ? 1 : 0;
        waiting[raw(id)] = owned;
        if (owned == 0) ready.push(id);
    }
    std::vector<ApplyId> order;
    while (!ready.empty()) {
        const ApplyId id = ready.top();
        ready.pop();
        order.push_back(id);
        for (VariableId output : m_applies.find(raw(id))->outputs)
            for (const auto &client : m_variables.find(raw(output))->clients)
                if (--waiting.at(raw(client.first)) == 0) ready.push(client.first);
    }
    return order; // a damaged file may hold a cycle: its applies are left out
}

std::vector<VariableId> GraphReplica::inputs() const
{
    std::vector<VariableId> result;
    for (VariableId id : m_inputOrder)
        if (m_variables.find(raw(id))->live) result.push_back(id);
    return result;
}

const ReplicaApply *GraphReplica::apply(ApplyId id) const { return m_applies.find(raw(id)); }

const ReplicaVariable *GraphReplica::variable(VariableId id) const { return m_variables.find(raw(id)); }

std::vector<SourceLine> GraphReplica::sources(ApplyId id) const
{
    std::vector<SourceLine> lines;
    if (const ReplicaApply *node = apply(id))
        for (const SourceRef &source : node->sources) lines.push_back({text(source.file), static_cast<int>(source.line)});
    return lines;
}

std::string GraphReplica::label(VariableId id) const
{
    const ReplicaVariable *node = variable(id);
    if (!node) return "?";
    if (node->name != kEmptyString) return text(node->name);
    if (node->kind != VariableKind::Result) return node->value != kEmptyString ? text(node->value) : "<" + text(node->type) + ">";
    const ReplicaApply *owner = apply(node->owner);
    return (owner ? text(owner->op) : "?") + "." + std::to_string(node->ownerPort);
}

std::string GraphReplica::label(ApplyId id) const
{
    const ReplicaApply *node = apply(id);
    if (!node) return "?";
    std::string result = text(node->op) + "(";
    for (std::size_t i = 0; i < node->inputs.size(); ++i) result += (i ? ", " : "") + label(node->inputs[i]);
    return result + ")";
}

} // namespace profiler
