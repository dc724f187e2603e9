// Groups of applies that one kernel runs together. The graph keeps its nodes, so that nothing people look for vanishes.
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/rewrite/machine/driver.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::size_t kMatrixPort = 2, kVectorPort = 3; // of Gemv
constexpr std::size_t kMostBetween = 6;

// Devices run applies one by one.
const Gemv *gemvOf(const FunctionGraph &graph, ApplyId id)
{
    const OpRef &op = graph.apply(id).op;
    return op->isOnDevice() ? nullptr : opCast<Gemv>(op);
}

// The matrix that `var` is the transpose of.
std::optional<VarId> sourceOfTranspose(const FunctionGraph &graph, VarId var)
{
    const ApplyId owner = graph.var(var).owner;
    if (owner == kNoApply) return std::nullopt;
    const auto *op = opCast<DimShuffle>(graph.apply(owner).op);
    if (!op || op->order() != std::vector<int>{1, 0}) return std::nullopt;
    return graph.apply(owner).inputs[0].var;
}

/// What a vector comes from by elementwise work on vectors.
struct VectorWork {
    std::vector<ApplyId> applies;
    std::vector<ApplyId> products; // behind them, those of one matrix
    bool isTooMuch = false;
};

void collectWork(const FunctionGraph &graph, VarId vector, VarId matrix, VectorWork &work)
{
    const ApplyId owner = graph.var(vector).owner;
    if (owner == kNoApply || work.isTooMuch) return;
    const ApplyNode &node = graph.apply(owner);
    const auto take = [&](std::vector<ApplyId> &list) {
        if (std::find(list.begin(), list.end(), owner) != list.end()) return false;
        list.push_back(owner);
        return true;
    };
    if (gemvOf(graph, owner) && node.inputs[kMatrixPort].var == matrix) {
        take(work.products);
        return;
    }
    if (!opCast<Elemwise>(node.op) || graph.var(vector).type.rank() != 1) return; // an operand from elsewhere
    if (!take(work.applies)) return;
    work.isTooMuch = work.applies.size() > kMostBetween;
    for (const Use &use : node.inputs) collectWork(graph, use.var, matrix, work);
}

/// `from` and of these what depends on it, in the order of execution.
std::vector<ApplyId> dependents(const FunctionGraph &graph, ApplyId from, const std::vector<ApplyId> &inOrder)
{
    std::vector<ApplyId> chain{from};
    for (ApplyId id : inOrder) {
        const auto &inputs = graph.apply(id).inputs;
        const bool depends = std::any_of(inputs.begin(), inputs.end(), [&](const Use &use) {
            const ApplyId owner = graph.var(use.var).owner;
            return owner != kNoApply && std::find(chain.begin(), chain.end(), owner) != chain.end();
        });
        if (depends) chain.push_back(id);
    }
    return chain;
}

/// Another product of the matrix, for who asks why; where there are many, one of the first.
ApplyId otherProduct(const FunctionGraph &graph, VarId matrix, const std::vector<char> &taken)
{
    constexpr std::size_t kLooks = 16;
    const auto &clients = graph.var(matrix).clients;
    for (std::size_t i = 0; i < std::min(kLooks, clients.size()); ++i) {
        const Client &client = clients[i];
        if (!client.isGraphOutput() && client.port == kMatrixPort && gemvOf(graph, client.apply) && !taken[raw(client.apply)])
            return client.apply;
    }
    return kNoApply;
}

void groupRowPasses(WholeRun &run)
{
    const FunctionGraph &graph = run.graph();
    const std::vector<ApplyId> order = graph.toposort();
    std::vector<std::uint32_t> rank(graph.applyCount());
    for (std::size_t i = 0; i < order.size(); ++i) rank[raw(order[i])] = static_cast<std::uint32_t>(i);
    std::vector<char> taken(graph.applyCount(), 0);
    for (ApplyId second : order) {
        if (!gemvOf(graph, second)) continue;
        const auto matrix = sourceOfTranspose(graph, graph.apply(second).inputs[kMatrixPort].var);
        if (!matrix) {
            run.decline(second, "its matrix is not the transpose of another product's");
            continue;
        }
        const VarId vector = graph.apply(second).inputs[kVectorPort].var;
        VectorWork work;
        collectWork(graph, vector, *matrix, work);
        if (work.isTooMuch) {
            if (const ApplyId other = otherProduct(graph, *matrix, taken); other != kNoApply)
                run.decline(second, "too much work lies between the two products", other);
            continue;
        }
        std::sort(work.applies.begin(), work.applies.end(), [&](ApplyId a, ApplyId b) { return rank[raw(a)] < rank[raw(b)]; });
        const auto place = [&](ApplyId product) { return graph.apply(product).inputs[kMatrixPort].position; };
        std::sort(work.products.begin(), work.products.end(), [&](ApplyId a, ApplyId b) { return place(a) < place(b); });
        const ApplyId maker = graph.var(vector).owner;
        bool isGrouped = false;
        for (ApplyId first : work.products) {
            if (taken[raw(first)]) continue;
            std::vector<ApplyId> group = dependents(graph, first, work.applies);
            if (group.size() < 2 || std::find(group.begin(), group.end(), maker) == group.end()) continue;
            group.push_back(second);
            for (ApplyId id : group) taken[raw(id)] = 1;
            run.group(std::move(group));
            isGrouped = true;
            break;
        }
        if (isGrouped) continue;
        if (const ApplyId other = otherProduct(graph, *matrix, taken); other != kNoApply)
            run.decline(second, "its vector does not come from the other product by elementwise work alone", other);
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
