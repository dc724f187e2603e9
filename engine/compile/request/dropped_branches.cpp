#include "engine/compile/request/dropped_branches.h"

#include "engine/graph/op/lazy.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/rewrite/machine/build.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::uint8_t kBothTaken = 0; // else the port of the branch that is never taken

/// By original apply; what is gone reads what it read when it went. Empty: no condition is known.
std::vector<std::uint8_t> untakenPorts(const FunctionGraph &graph)
{
    std::vector<std::uint8_t> ports;
    for (std::uint32_t i = 0; i < graph.originalApplyCount(); ++i) {
        const ApplyNode &apply = graph.apply(ApplyId{i});
        const auto *op = apply.live ? nullptr : opCast<Elemwise>(apply.op);
        if (!op || !op->is(ScalarCode::Switch)) continue;
        const auto condition = constantValue(VarHandle(graph, apply.inputs[0].var));
        if (!condition) continue;
        ports.resize(graph.originalApplyCount(), kBothTaken);
        ports[i] = *condition != 0 ? 2 : 1;
    }
    return ports;
}

/// The edges of the graph as it was written.
struct Original {
    std::vector<std::vector<VarId>> inputs; // by original apply
    std::vector<VarId> outputs;
};

Original originalOf(const FunctionGraph &graph)
{
    Original original{std::vector<std::vector<VarId>>(graph.originalApplyCount()), graph.outputs()};
    for (std::uint32_t i = 0; i < graph.originalApplyCount(); ++i)
        for (const Use &use : graph.apply(ApplyId{i}).inputs) original.inputs[i].push_back(use.var);
    const auto &edits = graph.journal().edits;
    for (std::size_t i = edits.size(); i-- > 0;) {
        const Edit &edit = edits[i];
        if (edit.kind == Edit::Kind::SetOutput) original.outputs[edit.port] = VarId{edit.oldValue};
        if (edit.kind == Edit::Kind::SetInput && edit.id < original.inputs.size())
            original.inputs[edit.id][edit.port] = VarId{edit.oldValue};
    }
    return original;
}

} // namespace

std::vector<bool> inDroppedBranches(const FunctionGraph &graph)
{
    const std::size_t count = graph.originalApplyCount();
    std::vector<const LazyOp *> lazy(count);
    for (std::uint32_t i = 0; i < count; ++i) lazy[i] = dynamic_cast<const LazyOp *>(graph.apply(ApplyId{i}).op.get());
    const bool hasChoices = std::any_of(lazy.begin(), lazy.end(), [](const LazyOp *op) { return op; });
    std::vector<std::uint8_t> untaken = untakenPorts(graph);
    if ((untaken.empty() && !hasChoices) || !graph.keepsJournal()) return {};
    untaken.resize(count, kBothTaken);
    const auto isSurelyRead = [&](std::size_t id, std::size_t port) {
        const int input = static_cast<int>(port);
        if (lazy[id]) return lazy[id]->reads(input, true) && lazy[id]->reads(input, false);
        return untaken[id] == kBothTaken || port != untaken[id];
    };
    const Original original = originalOf(graph);
    std::vector<bool> isReached(untaken.size(), false);
    std::vector<ApplyId> open;
    const auto reach = [&](VarId var) {
        const ApplyId owner = graph.var(var).owner;
        if (owner == kNoApply || isReached[raw(owner)]) return;
        isReached[raw(owner)] = true;
        open.push_back(owner);
    };
    for (VarId output : original.outputs) reach(output);
    while (!open.empty()) {
        const std::size_t id = raw(open.back());
        open.pop_back();
        for (std::size_t port = 0; port < original.inputs[id].size(); ++port)
            if (isSurelyRead(id, port)) reach(original.inputs[id][port]);
    }
    std::vector<bool> isDropped(untaken.size());
    for (std::size_t i = 0; i < untaken.size(); ++i) isDropped[i] = !isReached[i] || untaken[i] != kBothTaken;
    return isDropped;
}

} // namespace engine
