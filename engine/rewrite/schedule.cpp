// Groups of applies that one kernel runs together. The graph keeps its nodes, so that nothing people look for vanishes.
#include "engine/ops/dimshuffle.h"
#include "engine/ops/dot.h"
#include "engine/ops/elementwise.h"
#include "engine/rewrite/driver.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::size_t kMatrixPort = 2, kVectorPort = 3; // of Gemv
constexpr std::size_t kMostBetween = 6;

const Gemv *gemvOf(const FunctionGraph &graph, ApplyId id) { return opCast<Gemv>(graph.apply(id).op); }

// The matrix that `var` is the transpose of.
std::optional<VarId> transposed(const FunctionGraph &graph, VarId var)
{
    const ApplyId owner = graph.var(var).owner;
    if (owner == kNoApply) return std::nullopt;
    const auto *op = opCast<DimShuffle>(graph.apply(owner).op);
    if (!op || op->order() != std::vector<int>{1, 0}) return std::nullopt;
    return graph.apply(owner).inputs[0].var;
}

// The vector work between the two products: `from` and what depends on it, back from `var`. False: something else is there.
bool collectBetween(const FunctionGraph &graph, VarId var, ApplyId from, std::vector<ApplyId> &found)
{
    const ApplyId owner = graph.var(var).owner;
    if (owner == from || owner == kNoApply) return true;
    if (std::find(found.begin(), found.end(), owner) != found.end()) return true;
    const ApplyNode &node = graph.apply(owner);
    if (!opCast<Elemwise>(node.op) || graph.var(var).type.rank() != 1) return true; // an operand from elsewhere
    if (found.size() == kMostBetween) return false;
    found.push_back(owner);
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](const Use &use) { return collectBetween(graph, use.var, from, found); });
}

// Of these only what depends on `from`, in the order of execution.
std::vector<ApplyId> dependents(const FunctionGraph &graph, const std::vector<ApplyId> &order, ApplyId from, const std::vector<ApplyId> &found)
{
    std::vector<ApplyId> chain{from};
    for (ApplyId id : order) {
        if (std::find(found.begin(), found.end(), id) == found.end()) continue;
        const auto &inputs = graph.apply(id).inputs;
        const bool depends = std::any_of(inputs.begin(), inputs.end(), [&](const Use &use) {
            const ApplyId owner = graph.var(use.var).owner;
            return owner != kNoApply && std::find(chain.begin(), chain.end(), owner) != chain.end();
        });
        if (depends) chain.push_back(id);
    }
    return chain;
}

void groupRowPasses(WholeRun &run)
{
    const FunctionGraph &graph = run.graph();
    const std::vector<ApplyId> order = graph.toposort();
    std::vector<char> taken(graph.applyCount(), 0);
    for (ApplyId second : order) {
        if (!gemvOf(graph, second)) continue;
        const auto matrix = transposed(graph, graph.apply(second).inputs[kMatrixPort].var);
        if (!matrix) {
            run.decline(second, "its matrix is not the transpose of another product's");
            continue;
        }
        for (const Client &client : graph.var(*matrix).clients) {
            if (client.isGraphOutput() || client.port != kMatrixPort || !gemvOf(graph, client.apply) || taken[raw(client.apply)]) continue;
            const VarId vector = graph.apply(second).inputs[kVectorPort].var;
            std::vector<ApplyId> between;
            if (!collectBetween(graph, vector, client.apply, between)) {
                run.decline(second, "too much work lies between the two products", client.apply);
                continue;
            }
            std::vector<ApplyId> group = dependents(graph, order, client.apply, between);
            const ApplyId maker = graph.var(vector).owner;
            if (group.size() < 2 || std::find(group.begin(), group.end(), maker) == group.end()) {
                run.decline(second, "its vector does not come from the other product by elementwise work alone", client.apply);
                continue;
            }
            group.push_back(second);
            for (ApplyId id : group) taken[raw(id)] = 1;
            run.group(std::move(group));
            break;
        }
    }
}

REWRITE(one_pass_over_rows, Phase::Schedule)
    .why("x·w, elementwise work on it and xᵀ·g read the matrix twice: done some rows at a time, a matrix that no cache holds is read once")
    .hurts("a profile splits the time of the group by its parts, so each part shows the price of the other's cache misses")
    .example("x: dmatrix; w: dvector; z: dvector; u: dvector; cgemv(u, 1.0, dimshuffle(x, 1, 0), exp(cgemv(z, 1.0, x, w, 0.0)), 0.0)",
             "x: dmatrix; w: dvector; z: dvector; u: dvector; cgemv(u, 1.0, dimshuffle(x, 1, 0), exp(cgemv(z, 1.0, x, w, 0.0)), 0.0)")
    .nearMiss("x: dmatrix; w: dvector; z: dvector; u: dvector; cgemv(u, 1.0, x, exp(cgemv(z, 1.0, x, w, 0.0)), 0.0)")
    .tag("croton")
    .whole(groupRowPasses);

} // namespace
} // namespace engine
