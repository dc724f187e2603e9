// Numbers of 8 and 16 bits with a scale and a zero.
#include "engine/onnx/model/call.h"
#include "engine/onnx/model/tensors.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/repeat.h"
#include "engine/ops/shapes/reshape.h"

#include <cmath>

namespace engine::onnx {
namespace {

using S = ScalarCode;

// A scale or a zero in the axes of `x`: one number, one along an axis, or one a block of an axis.
VarRef spreadOver(Call &call, const VarRef &x, VarRef given)
{
    const int rank = x->type().rank();
    if (given->type().rank() == 0) return given;
    if (given->type().rank() == 1 && given->type().isBroadcastable(0) && rank != 1) return reshapeTo(given, {});
    const std::int64_t block = call.integer("block_size", 0);
    const int axis = call.axis(call.integer("axis", 1), std::max(rank, 1));
    if (block > 0) {
        const std::int64_t size = sizesOf(x)[static_cast<std::size_t>(axis)];
        if (size == kUnknownDim) call.fail("needs to know the size of the axis that has blocks");
        return sliced(pinned(repeat(given, int64(block), axis)), axis, 0, size);
    }
    if (given->type().rank() != 1) return given;
    std::vector<int> order(static_cast<std::size_t>(rank), -1);
    order[static_cast<std::size_t>(axis)] = 0;
    return permuted(given, order);
}

struct Limits {
    explicit Limits(DType dtype)
    {
        const int bits = static_cast<int>(engine::sizeOf(dtype)) * 8;
        const bool isSigned = isSignedInteger(dtype);
        low = isSigned ? -std::ldexp(1.0, bits - 1) : 0;
        high = std::ldexp(1.0, isSigned ? bits - 1 : bits) - 1;
    }
    double low, high;
};

VarRef saturated(const VarRef &rounded, DType dtype)
{
    const Limits limits(dtype);
    const DType own = rounded->type().dtype();
    return cast(elementwise(S::Minimum, {elementwise(S::Maximum, {rounded, number(own, limits.low)}), number(own, limits.high)}), dtype);
}

VarRef quantized(const VarRef &x, const VarRef &scale, const VarRef &zero, DType dtype)
{
    VarRef result = elementwise(S::RoundHalfToEven, {trueDiv(x, scale)});
    if (zero) result = add(result, cast(zero, result->type().dtype()));
    return saturated(result, dtype);
}

Vars quantizeLinear(Call &call)
{
    DType dtype = call.has(2) ? call.dtype(2) : call.type("output_dtype", DType::UInt8);
    if (!call.has(2) && call.integer("output_dtype", 0) == 0) dtype = DType::UInt8;
    const VarRef x = cast(call.in(0), isDiscrete(call.dtype()) || call.dtype() == DType::Float16 ? DType::Float32 : call.dtype());
    const VarRef scale = cast(spreadOver(call, x, call.in(1)), x->type().dtype());
    return {quantized(x, scale, call.has(2) ? spreadOver(call, x, call.in(2)) : VarRef(), dtype)};
}

Vars dequantizeLinear(Call &call)
{
    const DType dtype = call.dtype(1);
    VarRef x = cast(call.in(0), dtype);
    if (call.has(2)) x = sub(x, cast(spreadOver(call, x, call.in(2)), dtype));
    return {mul(x, spreadOver(call, x, call.in(1)))};
}

Vars dynamicQuantizeLinear(Call &call)
{
    const VarRef &x = call.in(0);
    const VarRef zero = number(DType::Float32, 0), most = number(DType::Float32, 255);
    const VarRef low = elementwise(S::Minimum, {reduce(ReduceKind::Min, x), zero}),
                 high = elementwise(S::Maximum, {reduce(ReduceKind::Max, x), zero});
    const VarRef scale = trueDiv(sub(high, low), most);
    const VarRef place = saturated(elementwise(S::RoundHalfToEven, {trueDiv(sub(zero, low), scale)}), DType::UInt8);
    return {quantized(x, scale, place, DType::UInt8), scale, place};
}

// Whole numbers as floats of 64 bits, in which products and sums of them are exact.
VarRef exact(Call &call, int input, int zero, bool isLeft)
{
    const VarRef x = cast(call.in(input), DType::Float64);
    if (!call.has(zero)) return x;
    VarRef z = cast(call.in(zero), DType::Float64);
    if (z->type().rank() == 1) {
        if (z->type().isBroadcastable(0)) z = reshapeTo(z, {});
        else if (isLeft) z = withAxes(z, {1}); // one a row
    }
    return sub(x, z);
}

Vars matMulInteger(Call &call) { return {cast(matMul(exact(call, 0, 2, true), exact(call, 1, 3, false)), DType::Int32)}; }

VarRef rowsScale(const VarRef &scale, bool isLeft)
{
    if (scale->type().rank() != 1) return scale;
    if (scale->type().isBroadcastable(0)) return reshapeTo(scale, {});
    return isLeft ? withAxes(scale, {1}) : scale;
}

Vars qLinearMatMul(Call &call)
{
    const VarRef product = matMul(exact(call, 0, 2, true), exact(call, 3, 5, false));
    const DType wide = DType::Float64;
    const VarRef factor = trueDiv(mul(cast(rowsScale(call.in(1), true), wide), cast(rowsScale(call.in(4), false), wide)),
                                  cast(rowsScale(call.in(6), true), wide));
    const VarRef rounded = elementwise(S::RoundHalfToEven, {mul(product, factor)});
    return {saturated(add(rounded, cast(rowsScale(call.in(7), true), wide)), call.dtype(7))};
}

const OpRows kQuantizedRows{
    {"", "DequantizeLinear", 10, dequantizeLinear}, {"", "DynamicQuantizeLinear", 11, dynamicQuantizeLinear},
    {"", "MatMulInteger", 10, matMulInteger},       {"", "QLinearMatMul", 10, qLinearMatMul},
    {"", "QuantizeLinear", 10, quantizeLinear},
};

} // namespace
} // namespace engine::onnx
