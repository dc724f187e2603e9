#include "profiler/stats/advice_facts.h"

#include "profiler/stats/ground.h"

#include <array>
#include <tuple>

namespace profiler {

std::string percent(double share) { return format("%.1f%%", 100 * share); }

AdviceFacts::AdviceFacts(const ProfileData &data) : m_data(data)
{
    const auto functions = calledFunctionsByGraph(data, {});
    std::unordered_map<ApplyKey, std::array<std::int64_t, 3>, ApplyKeyHash> times;
    for (const ApplyStats &stats : data.stats) {
        auto &[ns, calls, deviceNs] = times[{stats.graph, stats.apply}];
        ns += stats.totalNs;
        calls += stats.calls;
        deviceNs += stats.deviceNs.value_or(0);
    }
    for (const ApplyRow &row : data.applies) {
        const auto function = functions.find(raw(row.graph));
        if (!row.inOptimized || function == functions.end()) continue;
        Node node;
        node.row = &row;
        node.function = function->second;
        if (const auto found = times.find({row.graph, row.apply}); found != times.end())
            std::tie(node.ns, node.calls, node.deviceNs) = std::tuple_cat(found->second);
        m_totalNs += node.ns;
        m_nodes.push_back(std::move(node));
    }
    for (Node &node : m_nodes) m_byKey[keyOf(node)] = &node;
    std::unordered_map<std::uint64_t, const VariableRow *> variables;
    const auto keyOfVariable = [](GraphId graph, VariableId id) { return (std::uint64_t{raw(graph)} << 32) | raw(id); };
    for (const VariableRow &row : data.variables) {
        variables[keyOfVariable(row.graph, row.variable)] = &row;
        if (const auto maker = m_byKey.find({row.graph, row.owner}); row.inOptimized && maker != m_byKey.end())
            maker->second->outputs.push_back(&row);
    }
    for (const ApplyInput &input : data.inputs) {
        const auto reader = m_byKey.find({input.graph, input.apply});
        const auto variable = variables.find(keyOfVariable(input.graph, input.variable));
        if (reader == m_byKey.end() || variable == variables.end()) continue;
        reader->second->inputs.push_back(variable->second);
        const auto maker = m_byKey.find({input.graph, variable->second->owner});
        if (maker == m_byKey.end()) continue;
        std::vector<Node *> &readers = maker->second->readers;
        if (readers.empty() || readers.back() != reader->second) readers.push_back(reader->second); // inputs of an apply come together
    }
    for (const GraphInfo &graph : data.graphs)
        if (graph.parentGraph != kNoGraph)
            m_bodies[{graph.parentGraph, graph.parentApply}] = std::max(graph.appliesOriginal, graph.appliesOptimized);
    for (const SourceLink &link : data.sources) m_lines.try_emplace({link.graph, link.apply}, link.source);
}

const AdviceFacts::Node *AdviceFacts::makerOf(const VariableRow &variable) const
{
    const auto found = m_byKey.find({variable.graph, variable.owner});
    return found == m_byKey.end() ? nullptr : found->second;
}

SourceLine AdviceFacts::lineOf(const Node &node) const
{
    const auto found = m_lines.find(keyOf(node));
    return found == m_lines.end() ? SourceLine{} : found->second;
}

std::string AdviceFacts::placeOf(const Node &node) const
{
    const SourceLine line = lineOf(node);
    if (line.file.empty()) return {};
    return " (" + line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line) + ")";
}

std::string AdviceFacts::nameOf(const Node &node) const
{
    constexpr std::size_t kLongest = 40;
    constexpr std::size_t kInputs = 2;
    const auto opOf = [&](const Node &one) -> std::string {
        const auto body = m_bodies.find(keyOf(one));
        if (body != m_bodies.end() && one.row->op.find("Composite") != std::string::npos)
            return "Composite of " + std::to_string(body->second) + " operations";
        if (one.row->op.size() <= kLongest) return one.row->op;
        return one.row->friendly.empty() || one.row->friendly.size() > kLongest ? className(one) : one.row->friendly.str();
    };
    std::string inputs;
    for (std::size_t i = 0; i < node.inputs.size() && i < kInputs; ++i) {
        const VariableRow &input = *node.inputs[i];
        const Node *maker = makerOf(input);
        const std::string name = !input.name.empty() ? input.name.str()
                                 : maker             ? opOf(*maker) + "." + std::to_string(std::max(input.ownerPort, 0))
                                 : input.value.size() <= kLongest && !input.value.empty() ? input.value.str()
                                                                                          : input.dtype.str();
        inputs += (i ? ", " : "") + name;
    }
    if (node.inputs.size() > kInputs) inputs += ", …";
    return opOf(node) + "(" + inputs + ")";
}

std::string AdviceFacts::flag(const std::string &name) const
{
    for (const Flag &flag : m_data.flags)
        if (flag.name == name) return flag.value;
    return {};
}

std::string AdviceFacts::className(const Node &node) { return classNameOf(node.row->opClass); }

} // namespace profiler
