// Softmax over the first axis of a matrix, computed where the elements lie.
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/rewrite/machine/build.h"

#include <optional>

namespace engine {
namespace {

const std::vector<int> kTurned{1, 0};

std::optional<VarHandle> turnedBack(VarHandle v)
{
    const auto shuffle = madeBy<DimShuffle>(v);
    return shuffle && shuffle->opAs<DimShuffle>()->order() == kTurned ? std::optional(shuffle->input(0)) : std::nullopt;
}

/// A number for each column, beside the columns.
VarHandle ofColumns(Editor &edit, const OpRef &reduction, VarHandle x)
{
    return dimshuffle(edit, edit.make(reduction, {x}), {DimShuffle::kNewAxis, 0});
}

VarHandle sumOfColumns(Editor &edit, VarHandle x)
{
    const DType acc = x.dtype() == DType::Float32 ? DType::Float64 : x.dtype();
    return ofColumns(edit, makeOp<CAReduce>(ReduceKind::Sum, std::vector<int>{0}, x.dtype(), acc), x);
}

VarHandle largestOfColumns(Editor &edit, VarHandle x)
{
    return ofColumns(edit, makeOp<CAReduce>(ReduceKind::Largest, std::vector<int>{0}), x);
}

/// So that no exponential of it overflows.
VarHandle fromLargest(Editor &edit, VarHandle x) { return elementwise(edit, ScalarCode::Sub, {x, largestOfColumns(edit, x)}); }

/// The transpose of what a softmax, its logarithm or its gradient makes of transposed arrays. Nothing if it makes it of others.
std::optional<VarHandle> byColumns(Editor &edit, VarHandle rows)
{
    if (const auto softmax = madeBy<Softmax>(rows)) {
        const auto x = turnedBack(softmax->input(0));
        if (!x) return std::nullopt;
        const VarHandle powers = elementwise(edit, ScalarCode::Exp, {fromLargest(edit, *x)});
        return elementwise(edit, ScalarCode::Mul, {powers, elementwise(edit, ScalarCode::Inv, {sumOfColumns(edit, powers)})});
    }
    if (const auto logarithm = madeBy<LogSoftmax>(rows)) {
        const auto x = turnedBack(logarithm->input(0));
        if (!x) return std::nullopt;
        const VarHandle shifted = fromLargest(edit, *x);
        const VarHandle total = sumOfColumns(edit, elementwise(edit, ScalarCode::Exp, {shifted}));
        return elementwise(edit, ScalarCode::Sub, {shifted, elementwise(edit, ScalarCode::Log, {total})});
    }
    const auto gradient = madeBy<SoftmaxGrad>(rows);
    if (!gradient) return std::nullopt;
    const auto arriving = turnedBack(gradient->input(0));
    const auto known = turnedBack(gradient->input(1));
    const auto softmax = arriving && !known ? byColumns(edit, gradient->input(1)) : known;
    if (!arriving || !softmax) return std::nullopt;
    const VarHandle mean = sumOfColumns(edit, elementwise(edit, ScalarCode::Mul, {*arriving, *softmax}));
    return elementwise(edit, ScalarCode::Mul, {elementwise(edit, ScalarCode::Sub, {*arriving, mean}), *softmax});
}

REWRITE(croton_softmax_of_columns, Phase::Fusion)
    .why("the rows of a transposed matrix lie apart in memory: the softmax of columns reads them side by side, as they lie")
    .hurts("an array whose columns lie one behind the other (Fortran's order) was read as it lies by the rows of its transpose")
    .example("x: fmatrix; T(Softmax(T(x)))",
             "x: fmatrix; e = exp(x - max(x, axis=0, keepdims=True)); e * inv(sum(e, axis=0, keepdims=True))")
    .nearMiss("x: fmatrix; T(Softmax(x))")
    .nearMiss("x: fmatrix; Softmax(T(x))")
    .at(-1) // before what it makes is fused
    .tag("croton")
    .match<DimShuffle>([](const NodeHandle &node, Editor &edit) {
        if (node.opAs<DimShuffle>()->order() != kTurned) return declined("no transpose of a matrix");
        if (node.op()->isOnDevice()) return declined("on a device");
        const auto columns = byColumns(edit, node.input(0));
        if (!columns) return declined("no softmax of a transposed matrix");
        return become(edit, node, *columns, "a softmax of columns");
    });

} // namespace
} // namespace engine
