#include "profiler/stats/advice/advice_facts.h"

#include "profiler/stats/times/ground.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace profiler {

bool isUnoptimized(const FunctionInfo &function)
{
    return function.mode == "FAST_COMPILE" || (function.mode == "Mode" && function.stepCount == 0);
}

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
}

const AdviceFacts::Node *AdviceFacts::makerOf(const VariableRow &variable) const
{
    const auto found = m_byKey.find({variable.graph, variable.owner});
    return found == m_byKey.end() ? nullptr : found->second;
}

namespace {

// The innermost line of the script's own files. What a module builds as it is imported is its own.
SourceLine scriptLine(const Chains &chains, ChainId chain)
{
    for (ChainId at = chain; chains.has(at); at = chains.callerOf(at))
        if (chains.beginsIn(chains.lineOf(at).file) || chains.functionOf(at) == "<module>") return chains.lineOf(at);
    return chains.has(chain) ? chains.lineOf(chain) : SourceLine{};
}

} // namespace

std::vector<SourceLine> AdviceFacts::linesOf(const Node &node) const
{
    std::vector<std::pair<SourceLine, double>> shares;
    const auto add = [&](const SourceLine &line, double share) {
        if (line.file.empty()) return;
        const auto known = std::ranges::find(shares, line, &std::pair<SourceLine, double>::first);
        if (known != shares.end()) known->second += share;
        else shares.emplace_back(line, share);
    };
    const auto chains = m_data.chains.ofApplies.of(node.row->graph);
    for (const ChainShare &one : chainsOf(*chains, node.row->apply)) add(scriptLine(*m_data.chains.all, one.chain), one.share);
    if (shares.empty()) { // of a file that is older than chains
        const auto ofGraph = m_data.sources.of(node.row->graph);
        for (const SourceLink &link :
             std::ranges::equal_range(*ofGraph, raw(node.row->apply), {}, [](const SourceLink &one) { return raw(one.apply); }))
            add(link.source, link.share);
    }
    std::ranges::stable_sort(shares, std::ranges::greater(), &std::pair<SourceLine, double>::second);
    std::vector<SourceLine> lines;
    for (auto &[line, share] : shares) lines.push_back(std::move(line));
    return lines;
}

SourceLine AdviceFacts::lineOf(const Node &node) const
{
    const std::vector<SourceLine> lines = linesOf(node);
    return lines.empty() ? SourceLine{} : lines.front();
}

std::vector<SourceLine> AdviceFacts::callersOf(const Node &node) const
{
    const SourceLine first = lineOf(node);
    std::vector<SourceLine> callers;
    const auto ofGraph = m_data.chains.ofApplies.of(node.row->graph);
    for (const ChainShare &one : chainsOf(*ofGraph, node.row->apply)) {
        bool isAbove = false;
        for (ChainId at = one.chain; m_data.chains.all->has(at); at = m_data.chains.all->callerOf(at)) {
            const SourceLine &line = m_data.chains.all->lineOf(at);
            if (isAbove && m_data.chains.all->beginsIn(line.file) && std::ranges::find(callers, line) == callers.end())
                callers.push_back(line);
            isAbove = isAbove || line == first;
        }
    }
    return callers;
}

SourceLine AdviceFacts::lineOf(const VariableRow &leaf) const
{
    for (const auto ofGraph = m_data.chains.ofVariables.of(leaf.graph); const VariableChain &one : *ofGraph)
        if (one.variable == leaf.variable) return scriptLine(*m_data.chains.all, one.chain);
    return {};
}

std::string AdviceFacts::placeOf(const Node &node) const { return placeText({lineOf(node)}); }

std::string placeText(const std::vector<SourceLine> &lines)
{
    constexpr std::size_t kMost = 6;
    std::string text, file;
    for (std::size_t i = 0; i < lines.size() && !lines[i].file.empty(); ++i) {
        if (i == kMost) {
            text += " and " + std::to_string(lines.size() - i) + " more";
            break;
        }
        if (i > 0) text += i + 1 == lines.size() ? " and " : ", ";
        const std::string name = lines[i].file.substr(lines[i].file.rfind('/') + 1);
        text += (name == file ? "" : name + ":") + std::to_string(lines[i].line);
        file = name;
    }
    return text.empty() ? text : " (" + text + ")";
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

bool AdviceFacts::followsFloatX() const
{
    return std::ranges::any_of(m_data.sourceFiles, [](const SourceFile &file) {
        for (std::size_t at = file.text.find("floatX"); at != std::string::npos; at = file.text.find("floatX", at + 1)) {
            const std::size_t next = file.text.find_first_not_of(" \t", at + 6);
            const bool isSet = next != std::string::npos && file.text[next] == '=' && file.text.compare(next, 2, "==") != 0;
            if (!isSet) return true;
        }
        return false;
    });
}

std::string AdviceFacts::className(const Node &node) { return classNameOf(node.row->opClass); }

} // namespace profiler
