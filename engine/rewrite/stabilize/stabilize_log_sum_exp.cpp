// Logarithms of sums of exponentials: the largest is taken out, so that none overflows.
#include "engine/ops/reductions/reduce.h"
#include "engine/rewrite/machine/build.h"

#include <algorithm>
#include <utility>

namespace engine {
namespace {

/// A reduction, perhaps seen through the axes that keepdims adds, or a quotient of one.
bool mayBeSum(VarHandle v)
{
    if (const auto shuffle = madeBy<DimShuffle>(v)) v = shuffle->input(0);
    return madeByReduce(v, ReduceKind::Sum).has_value();
}

/// a - max(a) over those axes: none of its exponentials overflows, and one of them is 1.
bool hasNoLargest(const VarHandle &x, const std::vector<int> &axes)
{
    const auto difference = madeBy(x, ScalarCode::Sub);
    if (!difference) return false;
    VarHandle shift = difference->input(1);
    if (const auto shuffle = madeBy<DimShuffle>(shift)) shift = shuffle->input(0);
    auto largest = madeByReduce(shift, ReduceKind::Largest);
    if (!largest) largest = madeByReduce(shift, ReduceKind::Max);
    return largest && largest->input(0) == difference->input(0) && largest->opAs<CAReduce>()->axesFor(x.rank()) == axes;
}

/// max(x) over some axes, spread over x or not.
bool isLargestOf(VarHandle v, const VarHandle &x)
{
    if (const auto shuffle = madeBy<DimShuffle>(v)) v = shuffle->input(0);
    auto largest = madeByReduce(v, ReduceKind::Largest);
    if (!largest) largest = madeByReduce(v, ReduceKind::Max);
    return largest && largest->input(0) == x;
}

REWRITE(croton_largest_goes_first, Phase::Specialize)
    .why(
        "x - (max(x) + log(s)) loses what log(s) has beside a large maximum; (x - max(x)) - log(s) has all its digits, and x - max(x) is there already")
    .hurts("a subtraction of the size of x instead of an addition of the size of the maximum")
    .example("x: dmatrix; y: dcol; m = dimshuffle(largest(x, axis=1), 0, 'x'); x - (m + y)",
             "x: dmatrix; y: dcol; m = dimshuffle(largest(x, axis=1), 0, 'x'); (x - m) - y")
    .example("x: dmatrix; y: dcol; m = dimshuffle(largest(x, axis=1), 0, 'x'); (m + y) - x",
             "x: dmatrix; y: dcol; m = dimshuffle(largest(x, axis=1), 0, 'x'); y - (x - m)")
    .nearMiss("x: dmatrix; y: dmatrix; z: dcol; m = dimshuffle(largest(y, axis=1), 0, 'x'); x - (m + z)")
    .tag("croton")
    .match<ScalarCode::Sub>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node) || !isFloatType(node.output())) return declined("no difference of floats");
        for (const std::size_t side : {1, 0}) { // of the sum
            const VarHandle x = node.input(1 - side);
            const auto sum = madeBy(node.input(side), ScalarCode::Add);
            if (!sum || !(x.type() == node.output().type())) continue;
            std::vector<VarHandle> others = sum->inputs();
            const auto largest = std::find_if(others.begin(), others.end(), [&](const VarHandle &term) { return isLargestOf(term, x); });
            if (largest == others.end()) continue;
            const VarHandle shifted = elementwise(edit, ScalarCode::Sub, {x, *largest});
            others.erase(largest);
            const VarHandle rest = others.size() == 1 ? others[0] : elementwise(edit, scalarOp(ScalarCode::Add), others);
            const auto [from, what] = side == 1 ? std::pair(shifted, rest) : std::pair(rest, shifted);
            return become(edit, node, elementwise(edit, ScalarCode::Sub, {from, what}));
        }
        return declined("neither side is a sum with the largest of the other side");
    });

REWRITE(local_log_add, Phase::Stabilize)
    .why("log(exp(x) + exp(y)) overflows; with the larger one taken out it does not")
    .hurts("a maximum, a minimum and a comparison more")
    // Equal infinities would give inf - inf.
    .turns("log(exp(x) + exp(y))", "m = maximum(x, y); m + log1p(exp(switch(eq(x, y), 0.0, minimum(x, y) - m)))")
    .nearMiss("log(exp(x) + sin(y))")
    .also({Phase::Specialize});

REWRITE(local_log_sum_exp, Phase::Stabilize)
    .why("log(sum(exp(x))) overflows for x above 709; with the maximum taken out it does not")
    .hurts("one more pass over the array for the maximum")
    .improves("inf above 709, -inf below -745")
    .pass("local_log_sum_exp")
    .example("x: dmatrix; log(sum(exp(x), axis=1))",
             "x: dmatrix; m = largest(x, axis=1); d = dimshuffle(m, 0, 'x'); m + log(sum(switch(eq(x, d), 1.0, exp(x - d)), axis=1))")
    .example(
        "x: dmatrix; n: dscalar; log(sum(exp(x), axis=1) / n)",
        "x: dmatrix; n: dscalar; m = largest(x, axis=1); d = dimshuffle(m, 0, 'x'); m + log(sum(switch(eq(x, d), 1.0, exp(x - d)), axis=1) / n)")
    .example("x: dmatrix; log(2 * sum(exp(x), axis=1))",
             "x: dmatrix; m = largest(x, axis=1); d = dimshuffle(m, 0, 'x'); m + log(2 * sum(switch(eq(x, d), 1.0, exp(x - d)), axis=1))")
    .nearMiss("x: dmatrix; log(sum(x, axis=1))")
    .nearMiss("x: dmatrix; log(sum(exp(x - dimshuffle(largest(x, axis=1), 0, 'x')), axis=1))")
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        // The logarithm of a mean divides first; divided by a constant it is a product.
        VarHandle inside = node.input(0);
        std::vector<VarHandle> divisors, factors;
        for (int depth = 0; depth < 4; ++depth) {
            if (const auto quotient = madeBy(inside, ScalarCode::TrueDiv)) {
                divisors.push_back(quotient->input(1));
                inside = quotient->input(0);
            } else if (const auto times = madeBy(inside, ScalarCode::Mul)) {
                const auto inputs = times->inputs();
                const auto sum = std::find_if(inputs.begin(), inputs.end(), mayBeSum);
                if (sum == inputs.end()) break;
                for (const VarHandle &input : inputs)
                    if (!(input == *sum)) factors.push_back(input);
                if (factors.size() + 1 < inputs.size()) return declined("the sum is there twice", times->id());
                inside = *sum;
            } else break;
        }
        // log may look at the sum through the axes that keepdims added.
        std::optional<NodeHandle> shuffle = madeBy<DimShuffle>(inside);
        if (shuffle) inside = shuffle->input(0);
        const auto sum = madeByReduce(inside, ReduceKind::Sum);
        if (!sum) return declined("its input is no sum over axes", ownerOf(inside));
        const auto exponential = madeBy(sum->input(0), ScalarCode::Exp);
        if (!exponential) return declined("the sum is not over exponentials", ownerOf(sum->input(0)));
        if (!isFloatType(node.output())) return declined("not a float");
        const VarHandle x = exponential->input(0);
        if (x.dtype() != node.output().dtype()) return declined("the dtype would change");
        const CAReduce &reduce = *sum->opAs<CAReduce>();
        const std::vector<int> axes = reduce.axesFor(x.rank());
        if (hasNoLargest(x, axes)) return declined("the largest is taken out already", ownerOf(x));
        const VarHandle m = edit.make(makeOp<CAReduce>(ReduceKind::Largest, reduce.axes()), {x});
        std::vector<int> order;
        int next = 0;
        for (int axis = 0; axis < x.rank(); ++axis)
            order.push_back(std::find(axes.begin(), axes.end(), axis) != axes.end() ? DimShuffle::kNewAxis : next++);
        const VarHandle wide = dimshuffle(edit, m, order);
        // Where x is the maximum the term is 1, also when both are infinite.
        const VarHandle terms = elementwise(edit, ScalarCode::Switch,
                                            {elementwise(edit, ScalarCode::Eq, {x, wide}), constantLike(edit, x, 1),
                                             elementwise(edit, ScalarCode::Exp, {elementwise(edit, ScalarCode::Sub, {x, wide})})});
        VarHandle total = edit.make(sum->op(), {terms}), largest = m;
        if (shuffle) {
            total = edit.make(shuffle->op(), {total});
            largest = edit.make(shuffle->op(), {largest});
        }
        for (const VarHandle &factor : factors) total = elementwise(edit, ScalarCode::Mul, {factor, total});
        for (const VarHandle &divisor : divisors) total = elementwise(edit, ScalarCode::TrueDiv, {total, divisor});
        const VarHandle after = elementwise(edit, ScalarCode::Add, {largest, elementwise(edit, ScalarCode::Log, {total})});
        return become(edit, node, after, "took the maximum out of the sum");
    });

} // namespace
} // namespace engine
