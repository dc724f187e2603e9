#include "profiler/session/replica.h"

#include <algorithm>
#include <queue>

namespace profiler {

namespace {

template <class Id, class Map>
std::vector<Id> liveIds(const Map &nodes)
{
    std::vector<Id> ids;
    for (const auto &entry : nodes)
        if (entry.second.live) ids.push_back(entry.second.id);
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::string quoted(const std::string &text)
{
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c == '\n' ? ' ' : c;
    }
    return result + '"';
}

} // namespace

std::vector<ApplyId> GraphReplica::applies() const { return liveIds<ApplyId>(m_applies); }

std::vector<VariableId> GraphReplica::variables() const { return liveIds<VariableId>(m_variables); }

std::vector<ApplyId> GraphReplica::toposort() const
{
    std::unordered_map<std::uint32_t, std::size_t> waiting;
    std::priority_queue<ApplyId, std::vector<ApplyId>, std::greater<>> ready;
    for (ApplyId id : applies()) {
        std::size_t owned = 0;
        for (VariableId input : m_applies.at(raw(id)).inputs) owned += m_variables.at(raw(input)).owner != kNoApply ? 1 : 0;
        waiting[raw(id)] = owned;
        if (owned == 0) ready.push(id);
    }
    std::vector<ApplyId> order;
    while (!ready.empty()) {
        const ApplyId id = ready.top();
        ready.pop();
        order.push_back(id);
        for (VariableId output : m_applies.at(raw(id)).outputs)
            for (const auto &client : m_variables.at(raw(output)).clients)
                if (--waiting.at(raw(client.first)) == 0) ready.push(client.first);
    }
    return order; // a damaged file may hold a cycle: its applies are left out
}

std::vector<VariableId> GraphReplica::inputs() const
{
    std::vector<VariableId> result;
    for (VariableId id : m_inputOrder)
        if (m_variables.at(raw(id)).live) result.push_back(id);
    return result;
}

const ReplicaApply *GraphReplica::apply(ApplyId id) const
{
    const auto found = m_applies.find(raw(id));
    return found == m_applies.end() ? nullptr : &found->second;
}

const ReplicaVariable *GraphReplica::variable(VariableId id) const
{
    const auto found = m_variables.find(raw(id));
    return found == m_variables.end() ? nullptr : &found->second;
}

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

std::string GraphReplica::canonicalDump() const
{
    std::string out;
    const auto add = [&out](VariableId id) { out += " v" + std::to_string(raw(id)); };
    const auto addSources = [&](const std::vector<SourceRef> &sources) {
        for (const SourceRef &source : sources) out += " @" + quoted(text(source.file)) + ":" + std::to_string(source.line);
    };
    const auto addPairs = [&out](const char *what, const std::vector<PortPair> &pairs) {
        for (const PortPair &pair : pairs) out += std::string(" ") + what + std::to_string(pair.output) + "<" + std::to_string(pair.input);
    };
    out += "inputs";
    for (VariableId id : inputs()) add(id);
    out += "\noutputs";
    for (VariableId id : m_outputs) add(id);
    out += '\n';
    for (VariableId id : variables()) {
        const ReplicaVariable &node = m_variables.at(raw(id));
        out += "v" + std::to_string(raw(id)) + " kind" + std::to_string(static_cast<int>(node.kind)) + " " + quoted(text(node.name)) + " " +
               quoted(text(node.type)) + " " + quoted(text(node.value));
        if (node.owner != kNoApply) out += " of a" + std::to_string(raw(node.owner)) + "." + std::to_string(node.ownerPort);
        addSources(node.sources);
        out += " clients";
        for (const auto &[apply, port] : node.clients) out += " a" + std::to_string(raw(apply)) + "." + std::to_string(port);
        out += '\n';
    }
    for (ApplyId id : applies()) {
        const ReplicaApply &node = m_applies.at(raw(id));
        out += "a" + std::to_string(raw(id)) + " " + quoted(text(node.op)) + " " + quoted(text(node.friendly)) + " " +
               quoted(text(node.opClass)) + " " + quoted(text(node.device)) + " in";
        for (VariableId input : node.inputs) add(input);
        out += " out";
        for (VariableId output : node.outputs) add(output);
        addPairs("view", node.views);
        addPairs("destroy", node.destroys);
        addSources(node.sources);
        out += '\n';
    }
    return out;
}

} // namespace profiler
