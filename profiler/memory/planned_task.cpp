#include "profiler/memory/planned_task.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace profiler {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

} // namespace

PlannedTask plannedTask(const PlanFacts &facts, liveness::TaskBuilder::WhatIf whatIf,
                        const std::function<std::int64_t(const BufferRow &)> &bytesOf)
{
    struct Node {
        ApplyKey key;
        int from = 0;
        std::vector<const BufferRow *> made;
        std::vector<std::uint32_t> reads;
    };
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
        const auto passOf = facts.passes.find(node.key);
        const int now = passOf == facts.passes.end() ? -1 : passOf->second;
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
