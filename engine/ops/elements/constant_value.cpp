// The number that an expression always has, found without running anything.
#include "engine/ops/elements/compose.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/known_sizes.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/convert.h"

namespace engine {
namespace {

constexpr int kDepth = 64; // deeper expressions are not looked into

std::optional<double> valueOf(const VarRef &variable, int depth);

// Formulas are in double: what a whole dtype cannot hold (1 // 0, a sum that begins anew) is not what running it gives.
bool isHeldBy(DType dtype, double value)
{
    if (!isDiscrete(dtype)) return true;
    return withStorageType(dtype, [&]<class T>() { return convertElement<double>(convertElement<T>(value)) == value; });
}

// Element i of a vector that is a shape, a MakeVector or a constant.
std::optional<double> elementOf(const VarRef &vector, std::int64_t i, int depth)
{
    if (!vector->type().isTensor() || vector->type().rank() != 1) return std::nullopt; // element i of a matrix is a row
    if (vector->kind() == Variable::Kind::Constant) {
        const Tensor &tensor = vector->value().tensor();
        if (i < 0) i += tensor.size();
        if (i < 0 || i >= tensor.size()) return std::nullopt;
        return tensor.at(i);
    }
    const Apply *node = vector->owner();
    if (!node) return std::nullopt;
    if (opCast<Shape>(node->opRef())) {
        const auto shape = node->input(0)->type().shape();
        if (i < 0) i += static_cast<std::int64_t>(shape.size());
        if (i < 0 || i >= static_cast<std::int64_t>(shape.size()) || shape[i] == kUnknownDim) return std::nullopt;
        return static_cast<double>(shape[i]);
    }
    if (opCast<MakeVector>(node->opRef())) {
        const auto count = static_cast<std::int64_t>(node->inputs().size());
        if (i < 0) i += count;
        if (i < 0 || i >= count) return std::nullopt;
        return valueOf(node->input(static_cast<int>(i)), depth - 1);
    }
    return std::nullopt;
}

std::optional<double> valueOf(const VarRef &variable, int depth)
{
    if (depth <= 0 || !variable->type().isTensor() || isComplex(variable->type().dtype())) return std::nullopt;
    if (variable->kind() == Variable::Kind::Constant) {
        const Tensor &tensor = variable->value().tensor();
        if (tensor.size() == 0 || (tensor.size() > 1 && !tensor.isUniform())) return std::nullopt;
        return tensor.at(0);
    }
    const Apply *node = variable->owner();
    if (!node) return std::nullopt;
    const OpRef &op = node->opRef();
    if (opCast<DimShuffle>(op) || opCast<Reshape>(op) || opCast<Rebroadcast>(op) || opCast<Alloc>(op))
        return valueOf(node->input(0), depth - 1);
    if (const auto *size = opCast<Shape_i>(op)) {
        const std::int64_t known = node->input(0)->type().shape()[size->axis()];
        if (known != kUnknownDim) return static_cast<double>(known);
        return std::nullopt;
    }
    if (opCast<MakeVector>(op) && node->inputs().size() == 1) return valueOf(node->input(0), depth - 1);
    if (const auto *reading = opCast<Subtensor>(op)) {
        if (reading->entries().size() == 1 && !reading->entries()[0].isSlice) {
            const auto i = valueOf(node->input(1), depth - 1);
            if (i)
                if (const auto element = elementOf(node->input(0), static_cast<std::int64_t>(*i), depth)) return element;
        }
        return valueOf(node->input(0), depth - 1);
    }
    const auto *elemwise = opCast<Elemwise>(op);
    if (!elemwise) return std::nullopt;
    if (elemwise->is(ScalarCode::Second)) return valueOf(node->input(1), depth - 1);
    std::vector<double> arguments;
    for (const VarRef &input : node->inputs()) {
        const auto value = valueOf(input, depth - 1);
        if (!value) return std::nullopt;
        arguments.push_back(*value);
    }
    const double value = elemwise->scalar()->evaluate(arguments);
    return isHeldBy(variable->type().dtype(), value) ? std::optional<double>(value) : std::nullopt;
}

template <class SizeOf>
VarRef withSizes(const VarRef &result, SizeOf sizeOf)
{
    const Type type = result->type();
    std::vector<std::int64_t> shape(type.shape().begin(), type.shape().end());
    for (int axis = 0; axis < type.rank(); ++axis)
        if (const auto size = shape[axis] == kUnknownDim ? sizeOf(axis) : std::nullopt; size && *size >= 0)
            shape[axis] = static_cast<std::int64_t>(*size);
    const Type types[] = {type.withShape(shape)};
    if (types[0].identical(type)) return result;
    return VarRef(Apply::create(result->owner()->opRef(), result->owner()->inputs(), types)->output(0));
}

} // namespace

std::optional<double> scalarConstantValue(const VarRef &variable) { return valueOf(variable, kDepth); }

VarRef applySized(const OpRef &op, std::span<const VarRef> inputs, std::span<const VarRef> sizes)
{
    return withSizes(engine::apply(op, inputs), [&](int axis) { return scalarConstantValue(sizes[axis]); });
}

VarRef applySized(const OpRef &op, std::span<const VarRef> inputs, const VarRef &sizes)
{
    return withSizes(engine::apply(op, inputs), [&](int axis) { return elementOf(sizes, axis, kDepth); });
}

VarRef withKnownSizes(const VarRef &result)
{
    const OpRef &op = result->owner()->opRef();
    const std::span<const VarRef> inputs = result->owner()->inputs();
    if (opCast<Reshape>(op)) return applySized(op, inputs, inputs[1]);
    if (opCast<Alloc>(op)) return applySized(op, inputs, inputs.subspan(1));
    if (opCast<AllocEmpty>(op)) return applySized(op, inputs, inputs);
    return result;
}

} // namespace engine
