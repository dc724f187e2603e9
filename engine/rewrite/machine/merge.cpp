// Common subexpressions: equal constants, then equal ops on equal inputs, in one sweep.
#include "engine/graph/ir/cons_table.h"
#include "engine/rewrite/machine/driver.h"

#include <algorithm>

namespace engine {
namespace {

/// A place among the constants: a table by variable would be as long as the graph.
enum class Place : std::uint32_t {};
constexpr std::uint32_t raw(Place place) { return static_cast<std::uint32_t>(place); }

void mergeConstants(WholeRun &run)
{
    const FunctionGraph &graph = run.graph();
    ConsTable<Place> kept;
    kept.reserve(run.edit().constants().size(), run.edit().constants().size());
    for (std::size_t i = 0; i < run.edit().constants().size(); ++i) {
        const auto [id, key] = run.edit().constants()[i];
        const VarNode &node = graph.var(id);
        if (!node.live || node.clients.empty()) continue;
        VarId twin = kNoVar;
        kept.any(key, [&](Place place) {
            const VarId other = run.edit().constants()[raw(place)].first;
            if (!graph.var(other).type.identical(node.type) || !graph.var(other).leaf->value().sameAs(node.leaf->value())) return false;
            twin = other;
            return true;
        });
        if (twin == kNoVar) {
            kept.insert(key, Place{static_cast<std::uint32_t>(i)});
            continue;
        }
        ApplyId reader = kNoApply;
        for (const Client &client : node.clients)
            if (!client.isGraphOutput()) reader = client.apply;
        run.step(reader, [&, id = id](Editor &edit) {
            const VarHandle from = edit.var(id), to = edit.var(twin);
            if (!from.name().empty() && to.name().empty()) edit.rename(to.id(), from.name());
            edit.replace(from, to, FateKind::Merged);
            return replaced("equal constants");
        });
    }
}

// Who reads such a value and cannot do so before it is overwritten needs one of its own.
bool isOverwritten(const FunctionGraph &graph, ApplyId id)
{
    std::vector<VarId> open(graph.apply(id).outputs.begin(), graph.apply(id).outputs.end());
    while (!open.empty()) {
        const VarId var = open.back();
        open.pop_back();
        for (const Client &client : graph.var(var).clients) {
            if (client.isGraphOutput()) continue;
            const ApplyNode &reader = graph.apply(client.apply);
            const auto meets = [&](const Alias &alias) { return alias.input == client.port; };
            if (std::ranges::any_of(reader.op->destroyMap(), meets)) return true;
            for (const Alias &alias : reader.op->viewMap())
                if (meets(alias)) open.push_back(reader.outputs[static_cast<std::size_t>(alias.output)]);
        }
    }
    return false;
}

void mergeApplies(WholeRun &run)
{
    const FunctionGraph &graph = run.graph();
    if (!run.edit().mayHaveTwins()) return;
    bool leftNone = true;
    const std::vector<ApplyId> order = run.order();
    constexpr std::size_t kAhead = 8;
    for (std::size_t at = 0; at < order.size(); ++at) {
        // The places in the table are anywhere: those of the next applies come near together.
        if (at % kAhead == 0)
            for (std::size_t next = at + kAhead; next < std::min(at + 2 * kAhead, order.size()); ++next)
                run.edit().prefetchTwin(order[next]);
        const ApplyId id = order[at];
        if (!graph.apply(id).live) continue;
        // The twin may have merged into this one already, so ask again until there is none.
        while (const std::optional<ApplyId> twin = run.edit().findTwin(id)) {
            const ApplyId kept = std::min(id, *twin), removed = std::max(id, *twin);
            if (isOverwritten(graph, kept) || isOverwritten(graph, removed)) {
                leftNone = false;
                break;
            }
            const bool merged = run.step(removed, [&](Editor &edit) {
                for (std::size_t out = 0; out < graph.apply(removed).outputs.size(); ++out) {
                    const VarHandle from = edit.node(removed).output(out), to = edit.node(kept).output(out);
                    // The removed variable's name wins, as in Theano.
                    if (!from.name().empty()) edit.rename(to.id(), from.name());
                    edit.replace(from, to, FateKind::Merged);
                }
                return replaced("the same op on the same inputs");
            });
            leftNone &= merged;
            if (!merged || removed == id) break;
        }
    }
    if (leftNone) run.edit().leftNoTwins();
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
