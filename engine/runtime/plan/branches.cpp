#include "engine/runtime/plan/branches.h"

#include "engine/graph/op/lazy.h"
#include "engine/tensor/convert.h"

#include <algorithm>

namespace engine {
namespace {

constexpr BranchId kNobody{-2};

} // namespace

bool isTrue(const View &condition)
{
    return withStorageType(condition.dtype, [&]<class T>() { return convertElement<bool>(*condition.as<T>()); });
}

// The innermost branch that both are part of.
BranchId Branches::common(BranchId a, BranchId b) const
{
    while (a != b) {
        if (a == kAlways || b == kAlways) return kAlways;
        BranchId &inner = m_depth[a] >= m_depth[b] ? a : b;
        inner = m_all[inner].around;
    }
    return a;
}

// From the results back: an apply is part of the branch that all of its readers are part of.
Branches::Branches(const FunctionGraph &graph, std::span<const ApplyId> order, bool isOpen)
{
    const auto isLazy = [&](ApplyId id) { return dynamic_cast<const LazyOp *>(graph.apply(id).op.get()) != nullptr; };
    if (std::none_of(order.begin(), order.end(), isLazy)) return;
    std::unordered_map<std::uint32_t, std::size_t> places;
    for (std::size_t at = 0; at < order.size() && !isOpen; ++at) places.emplace(raw(order[at]), at);
    const auto isKnownBefore = [&](VarId condition, std::size_t at) {
        const ApplyId owner = graph.var(condition).owner;
        const auto place = owner == kNoApply ? places.end() : places.find(raw(owner));
        return place == places.end() || place->second < at;
    };
    std::unordered_map<std::uint64_t, BranchId> known; // by choice and side
    const auto side = [&](ApplyId choice, bool wanted) {
        const auto [place, isNew] = known.emplace((static_cast<std::uint64_t>(raw(choice)) << 1) | wanted, kNobody);
        if (isNew) {
            const BranchId around = of(choice);
            place->second = m_all.add({choice, graph.apply(choice).inputs[0].var, wanted, around});
            m_depth.add(around == kAlways ? 0 : m_depth[around] + 1);
        }
        return place->second;
    };
    for (std::size_t at = order.size(); at-- > 0;) {
        BranchId result = kNobody;
        const auto add = [&](BranchId branch) { result = result == kNobody ? branch : common(result, branch); };
        for (VarId out : graph.apply(order[at]).outputs)
            for (const Client &client : graph.var(out).clients) {
                if (client.isGraphOutput()) {
                    add(kAlways);
                    continue;
                }
                const auto *lazy = dynamic_cast<const LazyOp *>(graph.apply(client.apply).op.get());
                const int port = static_cast<int>(client.port);
                const bool ifTrue = !lazy || lazy->reads(port, true), ifFalse = !lazy || lazy->reads(port, false);
                add(ifTrue == ifFalse ? of(client.apply) : side(client.apply, ifTrue));
            }
        if (result == kNobody) continue;
        for (BranchId branch = result; branch != kAlways; branch = m_all[branch].around)
            if (!isKnownBefore(m_all[branch].condition, at)) result = m_all[branch].around;
        if (result != kAlways) m_of.emplace(raw(order[at]), result);
    }
}

} // namespace engine
