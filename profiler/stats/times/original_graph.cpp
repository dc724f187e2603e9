#include "profiler/stats/times/original_graph.h"

#include <algorithm>

namespace profiler {

OriginalGraph::OriginalGraph(const ProfileData &data, GraphId graph)
{
    const auto applies = data.applies.of(graph);
    const auto variables = data.variables.of(graph);
    for (const ApplyRow &row : *applies)
        if (row.inOriginal) m_byId[row.apply] = &m_nodes.emplace_back(Node{&row, {}, {}, {}});
    std::unordered_map<VariableId, const VariableRow *> byId;
    for (const VariableRow &row : *variables) {
        if (!row.inOriginal) continue;
        byId[row.variable] = &row;
        if (const auto maker = m_byId.find(row.owner); maker != m_byId.end()) maker->second->outputs.push_back(&row);
        else if (row.kind != VariableKind::Result) m_leaves.push_back(&row);
    }
    const auto [first, last] =
        std::ranges::equal_range(data.originalInputs, raw(graph), {}, [](const ApplyInput &one) { return raw(one.graph); });
    for (const ApplyInput &input : std::ranges::subrange(first, last)) {
        const auto variable = byId.find(input.variable);
        if (variable == byId.end()) continue;
        if (input.apply == kNoApply) {
            m_outputs.push_back(variable->second);
            continue;
        }
        const auto reader = m_byId.find(input.apply);
        if (reader == m_byId.end()) continue;
        reader->second->inputs.push_back(variable->second);
        std::vector<const Node *> &readers = m_readers[input.variable];
        if (readers.empty() || readers.back() != reader->second) readers.push_back(reader->second); // inputs of an apply come together
    }
    for (Node &node : m_nodes)
        for (const VariableRow *output : node.outputs)
            for (const Node *reader : readersOf(*output))
                if (std::ranges::find(node.readers, reader) == node.readers.end()) node.readers.push_back(reader);
}

const std::vector<const OriginalGraph::Node *> &OriginalGraph::readersOf(const VariableRow &variable) const
{
    static const std::vector<const Node *> none;
    const auto found = m_readers.find(variable.variable);
    return found == m_readers.end() ? none : found->second;
}

const OriginalGraph::Node *OriginalGraph::makerOf(const VariableRow &variable) const
{
    const auto found = m_byId.find(variable.owner);
    return found == m_byId.end() ? nullptr : found->second;
}

} // namespace profiler
