#include "engine/rewrite/execution/scan_parts.h"

#include "engine/graph/ir/clone.h"
#include "engine/graph/op/lazy.h"
#include "engine/ops/shapes/reshape.h"

#include <algorithm>
#include <unordered_set>

namespace engine {

bool hasChoice(const InnerGraph &body)
{
    const std::vector<Apply *> applies = toposort(body.outputs, body.inputs);
    return std::any_of(applies.begin(), applies.end(), [](const Apply *apply) { return dynamic_cast<const LazyOp *>(&apply->op()); });
}

VarHandle asInside(Editor &edit, VarHandle given, Type inside, int from)
{
    if (!inside.isTensor() || given.rank() != inside.rank() + from) return given;
    std::vector<std::pair<int, bool>> axes;
    for (int axis = 0; axis < inside.rank(); ++axis)
        if (inside.isBroadcastable(axis) && !given.type().isBroadcastable(axis + from)) axes.emplace_back(axis + from, true);
    return axes.empty() ? given : edit.make(makeOp<Rebroadcast>(std::move(axes)), {given});
}

ScanParts::ScanParts(const NodeHandle &node) : info(node.opAs<Scan>()->info())
{
    const Scan &op = *node.opAs<Scan>();
    const InnerGraph &body = *op.inner();
    const auto outer = [&](std::size_t i) { return node.input(i); };
    const auto inner = [&](std::size_t i) { return body.inputs[i]; };
    const auto result = [&](std::size_t i) { return body.outputs[i]; };
    steps = outer(0);
    for (std::size_t i = 0; i < info.sequences; ++i) sequences.push_back({inner(i), outer(op.outerSequence(i))});
    for (const ScanState &one : op.states()) {
        State state;
        state.kind = one.kind;
        state.in = one.in;
        state.out = one.out;
        for (std::size_t k = 0; k < one.in.size(); ++k) state.inner.push_back(inner(one.firstInner + k));
        for (std::size_t k = 0; k < one.out.size(); ++k) state.results.push_back(result(one.firstResult + k));
        state.outer = outer(one.outerInput);
        state.output = one.outerOutput;
        states.push_back(std::move(state));
    }
    for (std::size_t i = 0; i < info.nitSot; ++i)
        maps.push_back({result(op.nitResult(i)), outer(op.outerLength(i)), static_cast<int>(op.nitOutput(i))});
    for (std::size_t i = 0; i < info.shared; ++i)
        shared.push_back(
            {inner(op.innerShared(i)), result(op.sharedResult(i)), outer(op.outerShared(i)), static_cast<int>(op.sharedOutput(i))});
    for (std::size_t i = 0; i < info.nonSequences; ++i) fixed.push_back({inner(op.innerNonSequence(i)), outer(op.outerNonSequence(i))});
    if (info.isWhile) condition = result(op.condition());
}

std::vector<VarRef> ScanParts::results() const
{
    std::vector<VarRef> all;
    for (const State &state : states) all.insert(all.end(), state.results.begin(), state.results.end());
    for (const Map &map : maps) all.push_back(map.result);
    for (const Shared &one : shared) all.push_back(one.result);
    if (condition) all.push_back(*condition);
    return all;
}

void ScanParts::substituteResults(std::span<const VarRef> from, std::span<const VarRef> to)
{
    const std::vector<VarRef> after = substitute(results(), from, to);
    auto next = after.begin();
    for (State &state : states)
        for (VarRef &result : state.results) result = *next++;
    for (Map &map : maps) map.result = *next++;
    for (Shared &one : shared) one.result = *next++;
    if (condition) condition = *next;
}

namespace {

std::size_t erasedUnread(std::vector<ScanParts::Input> &inputs, const ScanParts &parts)
{
    std::unordered_set<const Variable *> read;
    for (const VarRef &one : ancestors(parts.results())) read.insert(one.get());
    return std::erase_if(inputs, [&](const ScanParts::Input &input) { return !read.count(input.inner.get()); });
}

} // namespace

bool ScanParts::dropUnread() { return erasedUnread(sequences, *this) + erasedUnread(fixed, *this) > 0; }

bool ScanParts::dropUnreadFixed() { return erasedUnread(fixed, *this) > 0; }

std::optional<NodeHandle> ScanParts::replace(Editor &edit, const NodeHandle &node) const
{
    ScanInfo counted = info;
    counted.sequences = static_cast<int>(sequences.size());
    counted.mitMot.clear();
    counted.mitSot.clear();
    counted.sitSot = 0;
    counted.nitSot = static_cast<int>(maps.size());
    counted.shared = static_cast<int>(shared.size());
    counted.nonSequences = static_cast<int>(fixed.size());
    counted.overwritten.clear();
    InnerGraph body;
    std::vector<VarHandle> outer{steps};
    for (const Input &input : sequences) {
        body.inputs.push_back(input.inner);
        outer.push_back(input.outer);
    }
    for (const State &state : states) {
        if (state.kind == ScanState::Kind::MitMot) counted.mitMot.push_back({state.in, state.out});
        else if (state.kind == ScanState::Kind::MitSot) counted.mitSot.push_back(state.in);
        else ++counted.sitSot;
        body.inputs.insert(body.inputs.end(), state.inner.begin(), state.inner.end());
        outer.push_back(state.outer);
    }
    for (const Shared &one : shared) {
        body.inputs.push_back(one.inner);
        outer.push_back(one.outer);
    }
    for (const Map &map : maps) outer.push_back(map.length);
    for (const Input &input : fixed) {
        body.inputs.push_back(input.inner);
        outer.push_back(input.outer);
    }
    body.outputs = results();
    const NodeHandle made = edit.apply(scanOp(std::move(counted), std::move(body)), outer);
    std::vector<std::pair<int, std::size_t>> places;
    for (std::size_t s = 0; s < states.size(); ++s) places.emplace_back(states[s].output, s);
    for (std::size_t i = 0; i < maps.size(); ++i) places.emplace_back(maps[i].output, states.size() + i);
    for (std::size_t i = 0; i < shared.size(); ++i) places.emplace_back(shared[i].output, states.size() + maps.size() + i);
    for (const auto &[before, after] : places)
        if (before >= 0 && !made.output(after).type().convertibleTo(node.output(before).type())) return std::nullopt;
    for (const auto &[before, after] : places)
        if (before >= 0) edit.replace(node.output(before), made.output(after));
    return made;
}

} // namespace engine
