// Sums, extremes, places of extremes, running sums, order.
#include "engine/onnx/model/call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/reductions/cumulative.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/reductions/sort.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/join.h"

#include <limits>

namespace engine::onnx {
namespace {

using S = ScalarCode;

struct Reduction {
    explicit Reduction(Call &call) : x(call.in(0)), keep(call.integer("keepdims", 1) != 0)
    {
        const auto given = call.intsOf("axes", 1);
        if (given && !given->empty()) axes = call.axes(*given, call.rank());
        else if (call.integer("noop_with_empty_axes", 0)) isIdentity = true;
        if (axes.empty() && !isIdentity)
            for (int i = 0; i < call.rank(); ++i) axes.push_back(i);
    }
    VarRef of(ReduceKind kind, const VarRef &a) const
    {
        if (isIdentity) return a;
        if (axes.empty()) return a; // without axes there is one element
        return cast(reduce(kind, a, axes, keep), a->type().dtype());
    }
    VarRef x;
    bool keep;
    bool isIdentity = false;
    std::vector<int> axes;
};

Vars reduceSum(Call &call)
{
    const Reduction r(call);
    return {r.of(ReduceKind::Sum, r.x)};
}
Vars reduceProd(Call &call)
{
    const Reduction r(call);
    return {r.of(ReduceKind::Prod, r.x)};
}

// Over nothing: the smallest there is, and for the minimum the largest.
VarRef extreme(const Reduction &r, bool isMax)
{
    const DType dtype = r.x->type().dtype();
    if (dtype == DType::Bool) return cast(r.of(isMax ? ReduceKind::Any : ReduceKind::All, r.x), dtype);
    bool isEmpty = false;
    for (const int axis : r.axes) isEmpty = isEmpty || r.x->type().shape()[static_cast<std::size_t>(axis)] == 0;
    if (isEmpty && isFloat(dtype)) { // one more element that changes nothing
        VarRef x = r.x;
        const double limit = isMax ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        for (const int axis : r.axes) {
            Vars sizes = allSizes(x);
            sizes[static_cast<std::size_t>(axis)] = int64(1);
            const VarRef more[] = {x, pinned(alloc(number(dtype, limit), sizes))};
            x = pinned(join(axis, more));
        }
        return r.of(isMax ? ReduceKind::Max : ReduceKind::Min, x);
    }
    return r.of(isMax ? ReduceKind::Max : ReduceKind::Min, r.x);
}
Vars reduceMax(Call &call) { return {extreme(Reduction(call), true)}; }
Vars reduceMin(Call &call) { return {extreme(Reduction(call), false)}; }
Vars reduceMean(Call &call)
{
    const Reduction r(call);
    if (r.isIdentity || r.axes.empty()) return {r.x};
    const DType dtype = call.dtype();
    if (!isDiscrete(dtype)) return {cast(mean(r.x, r.axes, r.keep), dtype)};
    VarRef count = int64(1);
    for (const int axis : r.axes) count = mul(count, sizeOf(r.x, axis));
    return {cast(elementwise(S::IntDiv, {sum(r.x, r.axes, r.keep), count}), dtype)};
}
Vars reduceL1(Call &call)
{
    const Reduction r(call);
    return {r.of(ReduceKind::Sum, elementwise(S::Abs, {r.x}))};
}
Vars reduceL2(Call &call)
{
    const Reduction r(call);
    return {cast(elementwise(S::Sqrt, {r.of(ReduceKind::Sum, sqr(r.x))}), call.dtype())};
}
Vars reduceSumSquare(Call &call)
{
    const Reduction r(call);
    return {r.of(ReduceKind::Sum, sqr(r.x))};
}
Vars reduceLogSum(Call &call)
{
    const Reduction r(call);
    return {cast(log(r.of(ReduceKind::Sum, r.x)), call.dtype())};
}
Vars reduceLogSumExp(Call &call)
{
    Reduction r(call);
    return {cast(log(r.of(ReduceKind::Sum, exp(r.x))), call.dtype())};
}

Vars argumentOf(Call &call, bool isMax)
{
    VarRef x = call.in(0);
    const int axis = call.axis(call.integer("axis", 0), call.rank());
    const bool keep = call.integer("keepdims", 1), isLast = call.integer("select_last_index", 0);
    if (isLast) {
        std::vector<IndexItem> items(static_cast<std::size_t>(axis), IndexItem::slice());
        items.push_back(IndexItem::slice({}, {}, int64(-1)));
        x = pinned(subtensor(x, items));
    }
    const VarRef place = isMax ? argmax(x, std::vector<int>{axis}, keep) : argmin(x, std::vector<int>{axis}, keep);
    if (!isLast) return {place};
    return {sub(sub(sizeOf(x, axis), int64(1)), place)};
}
Vars argMax(Call &call) { return argumentOf(call, true); }
Vars argMin(Call &call) { return argumentOf(call, false); }

Vars cumulative(Call &call, bool isProduct)
{
    VarRef x = call.in(0);
    const DType dtype = call.dtype();
    const int axis = call.axis(call.constantInts(1).at(0), call.rank());
    const bool isReverse = call.integer("reverse", 0), isExclusive = call.integer("exclusive", 0);
    const auto backwards = [&](const VarRef &a) {
        std::vector<IndexItem> items(static_cast<std::size_t>(axis), IndexItem::slice());
        items.push_back(IndexItem::slice({}, {}, int64(-1)));
        return pinned(subtensor(a, items));
    };
    if (isReverse) x = backwards(x);
    if (isExclusive) {
        Ints before(static_cast<std::size_t>(call.rank()), 0), none = before;
        before[static_cast<std::size_t>(axis)] = 1;
        std::vector<IndexItem> items(static_cast<std::size_t>(axis), IndexItem::slice());
        items.push_back(IndexItem::slice({}, int64(-1)));
        x = padded(pinned(subtensor(x, items)), before, none, number(dtype, isProduct ? 1 : 0));
    }
    VarRef result = cast(isProduct ? cumprod(x, axis) : cumsum(x, axis), dtype);
    if (isReverse) result = backwards(result);
    return {result};
}
Vars cumSum(Call &call) { return cumulative(call, false); }
Vars cumProd(Call &call) { return cumulative(call, true); }

// Equal elements come in the order of their places, whichever end is wanted.
Vars topKOf(Call &call)
{
    const VarRef &x = call.in(0);
    const int axis = call.axis(call.integer("axis", -1), call.rank());
    const std::int64_t k = call.opset() < 10 ? call.integer("k") : call.constantInts(1).at(0);
    const bool isLargest = call.integer("largest", 1);
    const std::int64_t size = x->type().shape()[static_cast<std::size_t>(axis)];
    if (k < 0 || (size != kUnknownDim && k > size))
        call.fail("wants the " + std::to_string(k) + " first of " + std::to_string(size) + " elements");
    const VarRef order = argsort(
        isLargest ? (isUnsignedInteger(call.dtype()) || call.dtype() == DType::Bool ? sub(number(call.dtype(), -1), x) : neg(x)) : x, axis);
    const VarRef places = sliced(order, axis, 0, k);
    return {gathered(x, places, axis), places};
}

const OpRows kReductionsRows{
    {"", "ArgMax", 1, argMax},
    {"", "ArgMin", 1, argMin},
    {"", "CumProd", 26, cumProd},
    {"", "CumSum", 11, cumSum},
    {"", "ReduceL1", 1, reduceL1},
    {"", "ReduceL2", 1, reduceL2},
    {"", "ReduceLogSum", 1, reduceLogSum},
    {"", "ReduceLogSumExp", 1, reduceLogSumExp},
    {"", "ReduceMax", 1, reduceMax},
    {"", "ReduceMean", 1, reduceMean},
    {"", "ReduceMin", 1, reduceMin},
    {"", "ReduceProd", 1, reduceProd},
    {"", "ReduceSum", 1, reduceSum},
    {"", "ReduceSumSquare", 1, reduceSumSquare},
    {"", "TopK", 1, topKOf},
};

} // namespace
} // namespace engine::onnx
