#include "profiler/memory/planned_task.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace profiler {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// An apply of the plan.
struct Node {
    ApplyKey key;
    int from = 0;
    std::vector<const BufferRow *> made;
    std::vector<std::uint32_t> reads;
};

class Reordering {
public:
    explicit Reordering(std::vector<Node> &nodes) : m_nodes(nodes)
    {
        for (std::size_t i = 0; i < nodes.size(); ++i)
            for (const BufferRow *row : nodes[i].made) m_makers[raw(row->variable)] = i;
    }

    // Depth first from the outputs, as the engine sorts a graph. What no output needs comes behind, as it ran.
    void sortFrom(std::span<const VariableId> outputs)
    {
        std::vector<char> seen(m_nodes.size());
        std::vector<std::pair<std::size_t, std::size_t>> stack; // a node, and which of its inputs comes next
        const auto enter = [&](std::size_t node) {
            if (!std::exchange(seen[node], 1)) stack.emplace_back(node, 0);
            while (!stack.empty()) {
                auto &[top, next] = stack.back();
                if (next == m_nodes[top].reads.size()) {
                    m_order.push_back(top);
                    stack.pop_back();
                    continue;
                }
                const auto maker = m_makers.find(m_nodes[top].reads[next++]);
                if (maker != m_makers.end() && !std::exchange(seen[maker->second], 1)) stack.emplace_back(maker->second, 0);
            }
        };
        for (const VariableId output : outputs)
            if (const auto maker = m_makers.find(raw(output)); maker != m_makers.end()) enter(maker->second);
        for (std::size_t node = 0; node < m_nodes.size(); ++node) enter(node);
        m_places.resize(m_order.size());
        place(0, m_order.size());
    }

    // What lies between the first and the last of them runs before them where it can, and after them where it needs a result of them;
    // where one of them needs such a result, they stay as they lie.
    void keepTogether(const std::set<std::size_t> &group)
    {
        const auto [first, last] = spanOf(group);
        if (last - first > liveness::kFarthestTogether) return;
        std::set<std::size_t> makers = group, afterwards;
        std::vector<std::size_t> together, members, late;
        for (std::size_t at = first; at <= last; ++at) {
            const std::size_t node = m_order[at];
            if (group.contains(node)) {
                if (needsOneOf(node, afterwards)) return;
                members.push_back(node);
            } else if (needsOneOf(node, makers)) {
                late.push_back(node);
                makers.insert(node);
                afterwards.insert(node);
            } else {
                together.push_back(node);
            }
        }
        together.insert(together.end(), members.begin(), members.end());
        together.insert(together.end(), late.begin(), late.end());
        std::copy(together.begin(), together.end(), m_order.begin() + static_cast<std::ptrdiff_t>(first));
        place(first, last + 1);
    }

    bool isTogether(const std::set<std::size_t> &group) const
    {
        const auto [first, last] = spanOf(group);
        return last - first + 1 == group.size();
    }

    void finish()
    {
        std::vector<Node> sorted;
        for (const std::size_t node : m_order) sorted.push_back(std::move(m_nodes[node]));
        m_nodes = std::move(sorted);
    }

private:
    void place(std::size_t from, std::size_t end)
    {
        for (std::size_t at = from; at < end; ++at) m_places[m_order[at]] = at;
    }
    std::pair<std::size_t, std::size_t> spanOf(const std::set<std::size_t> &group) const
    {
        std::size_t first = m_order.size(), last = 0;
        for (const std::size_t node : group) first = std::min(first, m_places[node]), last = std::max(last, m_places[node]);
        return {first, last};
    }
    bool needsOneOf(std::size_t node, const std::set<std::size_t> &makers) const
    {
        return std::ranges::any_of(m_nodes[node].reads, [&](std::uint32_t variable) {
            const auto maker = m_makers.find(variable);
            return maker != m_makers.end() && makers.contains(maker->second);
        });
    }

    std::vector<Node> &m_nodes;
    std::unordered_map<std::uint32_t, std::size_t> m_makers; // by variable
    std::vector<std::size_t> m_order, m_places;              // nodes in their order, and where each of them is
};

// The passes of the new order.
std::map<ApplyKey, int> orderByOutputs(std::vector<Node> &nodes, const PlanFacts &facts)
{
    Reordering reordering(nodes);
    reordering.sortFrom(facts.returned);
    std::map<ApplyKey, std::size_t> places;
    for (std::size_t i = 0; i < nodes.size(); ++i) places.emplace(nodes[i].key, i);
    std::vector<std::set<std::size_t>> groups;
    for (const std::vector<ApplyKey> &group : facts.groups) {
        std::set<std::size_t> members;
        for (const ApplyKey &apply : group)
            if (const auto place = places.find(apply); place != places.end()) members.insert(place->second);
        if (!members.empty() && members.size() == group.size()) groups.push_back(std::move(members));
    }
    for (const std::set<std::size_t> &group : groups) reordering.keepTogether(group);
    std::map<ApplyKey, int> passes;
    for (std::size_t i = 0; i < groups.size(); ++i)
        if (reordering.isTogether(groups[i])) // a later one may have moved it
            for (const std::size_t node : groups[i]) passes[nodes[node].key] = static_cast<int>(i);
    reordering.finish();
    return passes;
}

} // namespace

PlannedTask plannedTask(const PlanFacts &facts, liveness::TaskBuilder::WhatIf whatIf,
                        const std::function<std::int64_t(const BufferRow &)> &bytesOf)
{
    const auto isCounted = [&](const BufferRow &row) { return facts.device.empty() || row.device.empty() || row.device == facts.device; };
    std::vector<Node> nodes;
    std::map<ApplyKey, std::size_t> places;
    liveness::TaskBuilder builder(whatIf);
    for (const BufferRow &row : facts.buffers) {
        if (row.apply == kNoApply) {
            builder.given(raw(row.variable));
            continue;
        }
        const auto [place, isNew] = places.try_emplace({row.graph, row.apply}, nodes.size());
        if (isNew) nodes.push_back({{row.graph, row.apply}, row.from, {}, {}});
        nodes[place->second].made.push_back(&row);
    }
    std::vector<const ApplyInput *> inputs;
    for (const ApplyInput &input : facts.inputs)
        if (places.contains({input.graph, input.apply})) inputs.push_back(&input);
    std::stable_sort(inputs.begin(), inputs.end(), [](const ApplyInput *a, const ApplyInput *b) { return a->port < b->port; });
    for (const ApplyInput *input : inputs) nodes[places.at({input->graph, input->apply})].reads.push_back(raw(input->variable));
    std::stable_sort(nodes.begin(), nodes.end(), [](const Node &a, const Node &b) { return a.from < b.from; });
    const bool isReordered = !whatIf.inplace && !facts.returned.empty();
    const std::map<ApplyKey, int> passes = isReordered ? orderByOutputs(nodes, facts) : facts.passes;

    PlannedTask result;
    int pass = -1;
    for (const Node &node : nodes) {
        std::vector<liveness::Made> made;
        for (const BufferRow *row : node.made) {
            const auto sharing = row->kind == BufferKind::View      ? liveness::Sharing::View
                                 : row->kind == BufferKind::Inplace ? liveness::Sharing::Inplace
                                                                    : liveness::Sharing::Fresh;
            made.push_back({raw(row->variable), raw(row->of == kNoVariable ? row->variable : row->of), sharing,
                            bytesOf ? bytesOf(*row) : row->bytes, isCounted(*row)});
        }
        const auto passOf = passes.find(node.key);
        const int now = passOf == passes.end() ? -1 : passOf->second;
        if (now >= 0 && now == pass) builder.joinNext();
        else result.applies.emplace_back();
        pass = now;
        const auto repeat = facts.repeats.find(node.key);
        builder.add(node.reads, made, repeat == facts.repeats.end() ? 0 : repeat->second, repeat != facts.repeats.end() && now < 0);
        result.applies.back().push_back(node.key);
        for (const BufferRow *row : node.made) result.variables[builder.valueOf(raw(row->variable))] = row->variable;
    }
    for (VariableId output : facts.outputs) builder.returns(raw(output));
    std::set<int> inputArrays;
    const auto arrayOf = [&](VariableId variable) {
        const int value = builder.valueOf(raw(variable));
        return value < 0 ? -1 : builder.task().values[at(value)].array;
    };
    for (const BufferRow &row : facts.buffers)
        if (row.kind == BufferKind::Input) inputArrays.insert(arrayOf(row.variable));
    for (const BufferRow &row : facts.buffers)
        if (facts.outputs.contains(row.variable) && isCounted(row) && inputArrays.contains(arrayOf(row.variable)))
            result.copiedBytes += bytesOf ? bytesOf(row) : row.bytes;
    result.task = builder.take();
    result.order.resize(result.task.works.size());
    std::iota(result.order.begin(), result.order.end(), 0);
    return result;
}

} // namespace profiler
