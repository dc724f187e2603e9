#include "engine/graph/ir/lineage.h"

#include "engine/tensor/errors.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace engine {
namespace {

/// Both are sorted.
template <class Into, class From>
void unite(Into &into, const From &from)
{
    if (from.empty()) return;
    if (into.empty()) {
        into.assign(from.begin(), from.end());
        return;
    }
    if (into.back() < from.front()) {
        for (const auto &one : from) into.push_back(one);
        return;
    }
    if (std::includes(into.begin(), into.end(), from.begin(), from.end())) return;
    std::vector<typename Into::value_type> all;
    all.reserve(into.size() + from.size());
    std::set_union(into.begin(), into.end(), from.begin(), from.end(), std::back_inserter(all));
    into.assign(all.begin(), all.end());
}

template <class T>
void keepEachOnce(std::vector<T> &list)
{
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

} // namespace

Lineage traceLineage(const FunctionGraph &graph)
{
    constexpr std::size_t kFew = 4; // sorted lists that are united one by one
    const Journal &journal = graph.journal();
    ENGINE_ASSERT(graph.position() == journal.steps.size(), "lineage is told at the last step");
    Lineage result;
    result.origins.resize(graph.applyCount());
    result.birth.resize(graph.applyCount());
    for (std::uint32_t i = 0; i < graph.originalApplyCount(); ++i) result.origins[i].push_back(ApplyId{i});

    // Forward: origins accumulate. Last entry per removed apply wins (an apply leaves the graph once).
    std::vector<const Fate *> fates(graph.applyCount());
    std::vector<ApplyId> origins;
    std::vector<std::uint32_t> birth;
    for (std::uint32_t s = 0; s < journal.steps.size(); ++s) {
        const Step &step = journal.steps[s];
        const auto region = journal.region(step);
        origins.clear();
        birth.clear();
        if (region.size() <= kFew) {
            for (ApplyId id : region) {
                unite(origins, result.origins[raw(id)]);
                unite(birth, result.birth[raw(id)]);
            }
        } else {
            for (ApplyId id : region) {
                origins.insert(origins.end(), result.origins[raw(id)].begin(), result.origins[raw(id)].end());
                birth.insert(birth.end(), result.birth[raw(id)].begin(), result.birth[raw(id)].end());
            }
            keepEachOnce(origins);
            keepEachOnce(birth);
        }
        birth.push_back(s); // later than all others
        for (ApplyId id : journal.produced(step)) {
            unite(result.origins[raw(id)], origins);
            unite(result.birth[raw(id)], birth);
        }
        for (const Fate &fate : journal.fates(step)) {
            fates[raw(fate.apply)] = &fate;
            if (fate.kind != FateKind::Merged) continue;
            for (VarId to : journal.heirs(fate)) {
                const ApplyId owner = graph.var(to).owner;
                if (owner != kNoApply) unite(result.origins[raw(owner)], result.origins[raw(fate.apply)]);
            }
        }
    }

    // Backward: follow each original apply to what is alive in the end.
    result.fates.reserve(graph.originalApplyCount());
    std::vector<std::uint32_t> queue, seenFor(graph.applyCount(), ~0u); // by apply: the last original that led there
    for (std::uint32_t i = 0; i < graph.originalApplyCount(); ++i) {
        FinalFate fate{ApplyId{i}, FateKind::Kept, {}, {}};
        queue.assign(1, i);
        bool constant = false;
        while (!queue.empty()) {
            const std::uint32_t at = queue.back();
            queue.pop_back();
            if (std::exchange(seenFor[at], i) == i) continue;
            if (graph.apply(ApplyId{at}).live) {
                fate.to.push_back(ApplyId{at});
                continue;
            }
            ENGINE_ASSERT(fates[at], "apply " + std::to_string(at) + " vanished without a fate");
            const Fate &link = *fates[at];
            if (link.kind == FateKind::Constant) constant = true;
            // The most telling kind along the way names the whole: fused before moved before replaced …
            const auto weight = [](FateKind kind) {
                switch (kind) {
                case FateKind::Fused: return 4;
                case FateKind::Moved: return 3;
                case FateKind::Replaced: return 2;
                case FateKind::Merged: return 1;
                default: return 0;
                }
            };
            if (weight(link.kind) > weight(fate.kind)) fate.kind = link.kind;
            for (VarId to : journal.heirs(link)) {
                const VarNode &var = graph.var(to);
                if (var.owner != kNoApply) queue.push_back(raw(var.owner));
                else if (var.live) fate.leaves.push_back(to);
            }
        }
        std::sort(fate.to.begin(), fate.to.end());
        if (fate.to.empty()) {
            const bool constantLeaf = std::any_of(fate.leaves.begin(), fate.leaves.end(),
                                                  [&](VarId leaf) { return graph.var(leaf).kind == Variable::Kind::Constant; });
            if (constantLeaf || (constant && fate.leaves.empty())) fate.kind = FateKind::Constant;
            else if (fate.leaves.empty()) fate.kind = FateKind::Dead;
        } else if (fate.to.size() == 1 && fate.to[0] == ApplyId{i}) {
            fate.kind = FateKind::Kept;
        }
        result.fates.push_back(std::move(fate));
    }
    return result;
}

std::vector<TraceId> Lineage::sources(const FunctionGraph &graph, ApplyId apply) const
{
    std::vector<TraceId> lines;
    for (ApplyId origin : origins[raw(apply)]) {
        const TraceId trace = graph.apply(origin).trace;
        if (trace != TraceId::None && std::find(lines.begin(), lines.end(), trace) == lines.end()) lines.push_back(trace);
    }
    return lines;
}

} // namespace engine
