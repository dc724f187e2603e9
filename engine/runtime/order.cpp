#include "engine/runtime/order.h"

#include "engine/graph/errors.h"

#include <algorithm>
#include <unordered_map>

namespace engine {
namespace {

// The input that output `var` looks into or overwrites; kNoVar if its memory is fresh.
VarId aliasedInput(const FunctionGraph &graph, VarId var, bool viewsOnly)
{
    const VarNode &node = graph.var(var);
    if (node.owner == kNoApply) return kNoVar;
    const ApplyNode &owner = graph.apply(node.owner);
    for (const Alias &alias : owner.op->viewMap())
        if (alias.output == static_cast<int>(node.index)) return owner.inputs[static_cast<std::size_t>(alias.input)].var;
    if (viewsOnly) return kNoVar;
    for (const Alias &alias : owner.op->destroyMap())
        if (alias.output == static_cast<int>(node.index)) return owner.inputs[static_cast<std::size_t>(alias.input)].var;
    return kNoVar;
}

// Everybody who reads the memory of `destroyed` in the state before `destroyer` overwrites it.
void readersOf(const FunctionGraph &graph, VarId destroyed, ApplyId destroyer, std::vector<ApplyId> &readers)
{
    VarId base = destroyed;
    for (VarId next = aliasedInput(graph, base, true); next != kNoVar; next = aliasedInput(graph, base, true)) base = next;
    std::vector<VarId> open{base};
    while (!open.empty()) {
        const VarId var = open.back();
        open.pop_back();
        for (const Client &client : graph.var(var).clients) {
            if (client.isGraphOutput() || client.apply == destroyer) continue;
            readers.push_back(client.apply);
            const ApplyNode &reader = graph.apply(client.apply);
            for (const Alias &alias : reader.op->viewMap())
                if (alias.input == static_cast<int>(client.port))
                    open.push_back(reader.outputs[static_cast<std::size_t>(alias.output)]);
        }
    }
}

} // namespace

VarId storageRoot(const FunctionGraph &graph, VarId var)
{
    for (VarId next = aliasedInput(graph, var, false); next != kNoVar; next = aliasedInput(graph, var, false)) var = next;
    return var;
}

std::vector<ApplyId> executionOrder(const FunctionGraph &graph)
{
    const std::vector<ApplyId> base = graph.toposort();
    std::unordered_map<std::uint32_t, std::vector<ApplyId>> before;
    for (ApplyId id : base) {
        const ApplyNode &node = graph.apply(id);
        for (const Alias &alias : node.op->destroyMap())
            readersOf(graph, node.inputs[static_cast<std::size_t>(alias.input)].var, id, before[raw(id)]);
    }
    if (before.empty()) return base;

    // Depth first again, with the readers as further inputs of a destroyer.
    enum : char { New, Open, Done };
    std::vector<char> state(graph.applyCount(), New);
    std::vector<ApplyId> order;
    struct Frame {
        ApplyId id;
        std::size_t next;
    };
    std::vector<Frame> stack;
    const auto enter = [&](ApplyId id) {
        if (state[raw(id)] == Done) return;
        if (state[raw(id)] == Open) {
            std::string names;
            for (const Frame &frame : stack) names += " → " + graph.apply(frame.id).op->name();
            throw InternalError("in-place work makes a cycle:" + names);
        }
        state[raw(id)] = Open;
        stack.push_back({id, 0});
    };
    for (ApplyId start : base) {
        enter(start);
        while (!stack.empty()) {
            Frame &top = stack.back();
            const ApplyNode &node = graph.apply(top.id);
            const auto extra = before.find(raw(top.id));
            const std::size_t extras = extra == before.end() ? 0 : extra->second.size();
            if (top.next < node.inputs.size()) {
                const ApplyId owner = graph.var(node.inputs[top.next++].var).owner;
                if (owner != kNoApply) enter(owner);
            } else if (top.next < node.inputs.size() + extras) {
                const ApplyId reader = extra->second[top.next++ - node.inputs.size()];
                enter(reader);
            } else {
                state[raw(top.id)] = Done;
                order.push_back(top.id);
                stack.pop_back();
            }
        }
    }
    return order;
}

} // namespace engine
