#include "engine/runtime/plan/order.h"

#include "engine/liveness/task_builder.h"
#include "engine/runtime/plan/branches.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace engine {
namespace {

// The input that output `var` looks into or overwrites; kNoVar if its memory is fresh.
VarId aliasedInput(const FunctionGraph &graph, VarId var, bool viewsOnly)
{
    const VarNode &node = graph.var(var);
    if (node.owner == kNoApply) return kNoVar;
    const ApplyNode &owner = graph.apply(node.owner);
    for (const Alias &alias : owner.op->viewMap())
        if (alias.output == node.index) return owner.inputs[alias.input].var;
    if (viewsOnly) return kNoVar;
    for (const Alias &alias : owner.op->destroyMap())
        if (alias.output == node.index) return owner.inputs[alias.input].var;
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
                if (alias.input == client.port) open.push_back(reader.outputs[alias.output]);
        }
    }
}

using ApplySet = std::unordered_set<std::uint32_t>;

bool dependsOn(const FunctionGraph &graph, const Branches &branches, ApplyId id, const ApplySet &makers)
{
    const auto isMade = [&](VarId var) { return makers.count(raw(graph.var(var).owner)) != 0; };
    bool result = false;
    branches.eachCondition(id, [&](VarId condition) { result |= isMade(condition); });
    const auto &inputs = graph.apply(id).inputs;
    return result || std::any_of(inputs.begin(), inputs.end(), [&](const Use &use) { return isMade(use.var); });
}

VarId viewRoot(const FunctionGraph &graph, VarId var)
{
    for (VarId next = aliasedInput(graph, var, true); next != kNoVar; next = aliasedInput(graph, var, true)) var = next;
    return var;
}

// Does one of `destroyers` overwrite a value that one of `readers` looks at? Who reads what stands there afterwards, does not
// count: that is another value in the same memory.
bool overwrites(const FunctionGraph &graph, std::span<const ApplyId> destroyers, std::span<const ApplyId> readers)
{
    std::unordered_set<std::uint32_t> overwritten;
    for (ApplyId destroyer : destroyers) {
        const ApplyNode &node = graph.apply(destroyer);
        for (const Alias &alias : node.op->destroyMap()) overwritten.insert(raw(viewRoot(graph, node.inputs[alias.input].var)));
    }
    if (overwritten.empty()) return false;
    for (ApplyId reader : readers)
        for (const Use &use : graph.apply(reader).inputs)
            if (overwritten.count(raw(viewRoot(graph, use.var)))) return true;
    return false;
}

} // namespace

VarId storageRoot(const FunctionGraph &graph, VarId var)
{
    for (VarId next = aliasedInput(graph, var, false); next != kNoVar; next = aliasedInput(graph, var, false)) var = next;
    return var;
}

std::unordered_map<std::uint32_t, std::vector<ApplyId>> readersBeforeDestroyers(const FunctionGraph &graph,
                                                                                std::span<const ApplyId> applies)
{
    std::unordered_map<std::uint32_t, std::vector<ApplyId>> before;
    for (ApplyId id : applies) {
        const ApplyNode &node = graph.apply(id);
        for (const Alias &alias : node.op->destroyMap()) readersOf(graph, node.inputs[alias.input].var, id, before[raw(id)]);
    }
    return before;
}

namespace {

using Readers = std::unordered_map<std::uint32_t, std::vector<ApplyId>>;

struct Frame {
    ApplyId id;
    std::vector<ApplyId> first; ///< what has to come before it, the last one first
};

// Depth first. `before`: readers of what an apply overwrites. A cycle: the applies on it.
std::vector<ApplyId> depthFirst(const FunctionGraph &graph, std::span<const ApplyId> base, const Readers &before, const Branches *branches,
                                std::string &cycle)
{
    enum : char { New, Open, Done };
    std::vector<char> state(graph.applyCount(), New);
    std::vector<ApplyId> order;
    std::vector<Frame> stack;
    const auto enter = [&](ApplyId id) {
        if (state[raw(id)] == Done) return;
        if (state[raw(id)] == Open) {
            for (const Frame &frame : stack) cycle += " → " + graph.apply(frame.id).op->name();
            return;
        }
        state[raw(id)] = Open;
        Frame frame{id, {}};
        const auto owners = [&](VarId var) {
            if (const ApplyId owner = graph.var(var).owner; owner != kNoApply) frame.first.push_back(owner);
        };
        if (branches) branches->eachCondition(id, owners);
        for (const Use &use : graph.apply(id).inputs) owners(use.var);
        if (const auto readers = before.find(raw(id)); readers != before.end())
            frame.first.insert(frame.first.end(), readers->second.begin(), readers->second.end());
        std::reverse(frame.first.begin(), frame.first.end());
        stack.push_back(std::move(frame));
    };
    for (ApplyId start : base) {
        enter(start);
        while (!stack.empty() && cycle.empty()) {
            if (Frame &top = stack.back(); !top.first.empty()) {
                const ApplyId next = top.first.back();
                top.first.pop_back();
                enter(next);
                continue;
            }
            state[raw(stack.back().id)] = Done;
            order.push_back(stack.back().id);
            stack.pop_back();
        }
    }
    return order;
}

} // namespace

namespace {

/// `cycle`: the applies on one, if in-place work makes one.
std::vector<ApplyId> orderAround(const FunctionGraph &graph, std::span<const ApplyId> base, const Readers &before, std::string &cycle)
{
    const Branches branches(graph, base, true);
    if (before.empty() && branches.empty()) return {base.begin(), base.end()};
    if (!branches.empty()) {
        std::vector<ApplyId> order = depthFirst(graph, base, before, &branches, cycle);
        if (cycle.empty()) return order;
        cycle.clear(); // in-place work wants a condition later: what waits for it just always runs
    }
    return depthFirst(graph, base, before, nullptr, cycle);
}

std::vector<ApplyId> baseOf(const FunctionGraph &graph) { return graph.schedule.empty() ? graph.toposort() : graph.schedule; }

} // namespace

std::vector<ApplyId> executionOrder(const FunctionGraph &graph)
{
    const std::vector<ApplyId> base = baseOf(graph);
    std::string cycle;
    std::vector<ApplyId> order = orderAround(graph, base, readersBeforeDestroyers(graph, base), cycle);
    if (!cycle.empty()) throw InternalError("in-place work makes a cycle:" + cycle);
    return order;
}

std::vector<ApplyId> orderOnCopies(const FunctionGraph &graph)
{
    std::string cycle; // only in-place work makes one
    return orderAround(graph, baseOf(graph), {}, cycle);
}

std::vector<OrderedGroup> keepGroupsTogether(const FunctionGraph &graph, std::vector<ApplyId> &order, const Branches &branches)
{
    std::vector<OrderedGroup> result;
    if (graph.groups.empty()) return result;
    constexpr auto kElsewhere = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> placeOf(graph.applyCount(), kElsewhere);
    for (std::size_t at = 0; at < order.size(); ++at) placeOf[raw(order[at])] = at;
    std::vector<std::vector<ApplyId>> groups; // in the order in which they run
    for (const KernelGroup &grouped : graph.groups) {
        std::vector<ApplyId> &group = groups.emplace_back(grouped.applies);
        std::sort(group.begin(), group.end(), [&](ApplyId a, ApplyId b) { return placeOf[raw(a)] < placeOf[raw(b)]; });
        std::vector<std::size_t> places;
        for (ApplyId id : group) places.push_back(placeOf[raw(id)]);
        if (places.back() == kElsewhere || places.back() - places.front() > liveness::kFarthestTogether) continue;
        // What lies between runs before the group where it can, and after it where it needs a result of it.
        std::vector<ApplyId> early, late;
        ApplySet members, makers, afterwards;
        for (ApplyId id : group) members.insert(raw(id));
        makers = members;
        for (std::size_t at = places.front() + 1; at < places.back(); ++at) {
            const ApplyId id = order[at];
            if (members.count(raw(id))) continue;
            const bool needs = dependsOn(graph, branches, id, makers);
            (needs ? late : early).push_back(id);
            if (!needs) continue;
            makers.insert(raw(id));
            afterwards.insert(raw(id));
        }
        const auto isApart = [&](ApplyId id) {
            return branches.of(id) != branches.of(group.front()) || dependsOn(graph, branches, id, afterwards);
        };
        const bool legal = std::none_of(group.begin(), group.end(), isApart) && !overwrites(graph, early, group) &&
                           !overwrites(graph, group, late) && !overwrites(graph, early, late);
        if (!legal) continue;
        std::vector<ApplyId> together = early;
        together.insert(together.end(), group.begin(), group.end());
        together.insert(together.end(), late.begin(), late.end());
        std::copy(together.begin(), together.end(), order.begin() + static_cast<std::ptrdiff_t>(places.front()));
        for (std::size_t at = places.front(); at <= places.back(); ++at) placeOf[raw(order[at])] = at;
        result.push_back({places.front() + early.size(), group.size()});
    }
    // A later group may have moved an earlier one.
    std::unordered_map<std::uint32_t, const std::vector<ApplyId> *> byFirst; // each apply is in one group at most
    for (const std::vector<ApplyId> &group : groups) byFirst.emplace(raw(group.front()), &group);
    std::erase_if(result, [&](const OrderedGroup &placed) {
        const auto members = std::span(order).subspan(placed.first, placed.count);
        const auto group = byFirst.find(raw(members.front()));
        return group == byFirst.end() || !std::equal(group->second->begin(), group->second->end(), members.begin(), members.end());
    });
    return result;
}

} // namespace engine
