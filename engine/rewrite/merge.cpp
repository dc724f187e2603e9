// Common subexpressions: equal constants, then equal ops on equal inputs, in one sweep.
#include "engine/rewrite/driver.h"

#include <unordered_map>

namespace engine {
namespace {

void mergeConstants(WholeRun &run)
{
    const FunctionGraph &graph = run.graph();
    std::unordered_multimap<std::size_t, VarId> kept;
    for (std::uint32_t i = 0; i < graph.varCount(); ++i) {
        const VarId id{i};
        const VarNode &node = graph.var(id);
        if (!node.live || node.kind != Variable::Kind::Constant || node.clients.empty()) continue;
        const Value &value = node.leaf->value();
        const std::size_t key = value.contentHash() ^ node.type.hash();
        VarId twin = kNoVar;
        for (auto [it, end] = kept.equal_range(key); it != end && twin == kNoVar; ++it)
            if (graph.var(it->second).type.identical(node.type) && graph.var(it->second).leaf->value().sameAs(value)) twin = it->second;
        if (twin == kNoVar) {
            kept.emplace(key, id);
            continue;
        }
        ApplyId reader = kNoApply;
        for (const Client &client : node.clients)
            if (!client.isGraphOutput()) reader = client.apply;
        run.step(reader, [&](Editor &edit) {
            const VarHandle from = edit.var(id), to = edit.var(twin);
            if (!from.name().empty() && to.name().empty()) edit.rename(to.id(), from.name());
            edit.replace(from, to, FateKind::Merged);
            return replaced("equal constants");
        });
    }
}

void mergeApplies(WholeRun &run)
{
    const FunctionGraph &graph = run.graph();
    const std::vector<ApplyId> order = run.order();
    for (ApplyId id : order) {
        if (!graph.apply(id).live) continue;
        // The twin may have merged into this one already, so ask again until there is none.
        while (const std::optional<ApplyId> twin = run.edit().findTwin(id)) {
            const ApplyId kept = std::min(id, *twin), removed = std::max(id, *twin);
            const bool merged = run.step(removed, [&](Editor &edit) {
                for (std::size_t out = 0; out < graph.apply(removed).outputs.size(); ++out) {
                    const VarHandle from = edit.node(removed).output(out), to = edit.node(kept).output(out);
                    // The removed variable's name wins, as in Theano.
                    if (!from.name().empty()) edit.rename(to.id(), from.name());
                    edit.replace(from, to, FateKind::Merged);
                }
                return replaced("the same op on the same inputs");
            });
            if (!merged || removed == id) break;
        }
    }
}

REWRITE(MergeOptimizer, Phase::Merge)
    .why("what is written twice is computed once")
    .hurts("keeps the shared value in memory until its last reader ran")
    .example("x: fvector; exp(x) + exp(x)", "x: fvector; y = exp(x); y + y")
    .nearMiss("x: fvector; z: fvector; exp(x) + exp(z)")
    .tag("merge")
    .fastCompile()
    .whole([](WholeRun &run) {
        mergeConstants(run);
        mergeApplies(run);
    });

} // namespace
} // namespace engine
