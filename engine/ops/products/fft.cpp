#include "engine/ops/products/fft.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"

#include <cmath>

namespace engine {
namespace {

DType wantFloats(const char *symbol, std::span<const Operand> inputs, int least)
{
    const Type x = inputs[0].type, sizes = inputs[1].type;
    const std::string name = std::string("[") + symbol + "] ";
    if (!x.isTensor() || x.rank() < least)
        throw TypeMismatch(name + "wants an array of at least " + std::to_string(least) + " dimensions, the first for examples, got " +
                           x.text());
    if (x.dtype() != DType::Float32 && x.dtype() != DType::Float64)
        throw TypeMismatch(name + "works in float32 and float64, got " + x.text(), "cast it");
    if (!sizes.isTensor() || sizes.rank() != 1 || !isInteger(sizes.dtype()))
        throw TypeMismatch(name + "the lengths of the transformed axes are a vector of integers, got " + sizes.text());
    return x.dtype();
}

VarRef element(const VarRef &vector, std::int64_t place)
{
    const IndexItem item = IndexItem::at(place);
    return subtensor(vector, std::span(&item, 1));
}

/// The frequencies that stand for two (all but the first, and the last of an even length) times `factor`.
VarRef scaledTwins(const VarRef &spectrum, const VarRef &sizes, double factor)
{
    const VarRef length = element(sizes, -1), one = constantOf(DType::Int64, 1), two = constantOf(DType::Int64, 2);
    std::vector<IndexItem> items(static_cast<std::size_t>(spectrum->type().rank()) - 2, IndexItem::slice());
    items.push_back(IndexItem::slice(one, elementwise(ScalarCode::IntDiv, {add(length, one), two})));
    const VarRef twins = subtensor(spectrum, items);
    return setSubtensor(twins, mul(twins, constantOf(spectrum->type().dtype(), factor)));
}

Cost costOfTransform(const Dims &array)
{
    const auto count = static_cast<double>(array.product());
    return {2.5 * count * std::log2(count + 2)};
}

} // namespace

std::vector<Type> RealFourier::outputTypes(std::span<const Operand> inputs) const
{
    return {Type::ofRank(wantFloats("rfft", inputs, 2), inputs[0].type.rank() + 1)};
}
bool RealFourier::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    SymShape shape{shapes.dim(0, 0)};
    const int axes = shapes.inputRank(0) - 1;
    for (int axis = 0; axis < axes; ++axis) {
        const auto size = shapes.value(1, axis);
        if (!size) return false;
        shape.push_back(axis + 1 < axes ? *size : shapes.add(shapes.floorDiv(*size, shapes.constant(2)), shapes.constant(1)));
    }
    shape.push_back(shapes.constant(2));
    outputs = {shape};
    return true;
}
Cost RealFourier::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return costOfTransform(inputs[0]); }

std::vector<VarRef> RealFourier::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return {irfft(scaledTwins(outputGrads[0], node.input(1), 0.5), node.input(1)), disconnected()};
}
std::vector<VarRef> RealFourier::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return {evalPoints[0] ? rfft(evalPoints[0], node.input(1)) : VarRef()};
}

std::vector<Type> InverseRealFourier::outputTypes(std::span<const Operand> inputs) const
{
    return {Type::ofRank(wantFloats("irfft", inputs, 3), inputs[0].type.rank() - 1)};
}
bool InverseRealFourier::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    SymShape shape{shapes.dim(0, 0)};
    for (int axis = 0; axis < shapes.inputRank(0) - 2; ++axis) {
        const auto size = shapes.value(1, axis);
        if (!size) return false;
        shape.push_back(*size);
    }
    outputs = {shape};
    return true;
}
Cost InverseRealFourier::cost(std::span<const Dims>, std::span<const Dims> outputs) const { return costOfTransform(outputs[0]); }

std::vector<VarRef> InverseRealFourier::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return {scaledTwins(rfft(outputGrads[0], node.input(1)), node.input(1), 2), disconnected()};
}
std::vector<VarRef> InverseRealFourier::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return {evalPoints[0] ? irfft(evalPoints[0], node.input(1)) : VarRef()};
}

VarRef rfft(const VarRef &x, const VarRef &sizes) { return engine::apply(makeOp<RealFourier>(), {x, sizes}); }
VarRef irfft(const VarRef &x, const VarRef &sizes) { return engine::apply(makeOp<InverseRealFourier>(), {x, sizes}); }

OP_CARD(RealFourier, Fourier, arity(2));
OP_CARD(InverseRealFourier, Fourier, arity(2));

NOTATION("rfft(x, sizes)", rfft);
NOTATION("irfft(x, sizes)", irfft);

} // namespace engine
