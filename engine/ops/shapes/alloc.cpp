#include "engine/ops/shapes/alloc.h"

#include "engine/device/device.h"
#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/op/precise_form.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/graph/syntax/pretty_form.h"
#include "engine/ops/elements/compose.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/tensor/errors.h"

namespace engine {
namespace {

std::vector<std::int64_t> declaredSizes(const char *symbol, std::span<const Operand> sizes)
{
    std::vector<std::int64_t> shape;
    for (const Operand &size : sizes) {
        if (!size.type.isTensor() || size.type.rank() != 0 || !isInteger(size.type.dtype()))
            throw TypeMismatch(std::string("[") + symbol + "] sizes must be integer scalars, got " + size.type.text());
        std::int64_t known = size.constant ? size.constant->tensor().intAt(0) : kUnknownDim;
        if (size.constant && known < 0)
            throw ShapeMismatch(std::string("[") + symbol + "] a size cannot be negative: " + std::to_string(known));
        shape.push_back(known);
    }
    return shape;
}

bool sizesAsShape(ShapeBuilder &shapes, int first, std::vector<SymShape> &outputs)
{
    SymShape shape;
    for (int i = first; i < shapes.inputCount(); ++i) {
        const auto size = shapes.value(i);
        if (!size) return false;
        shape.push_back(*size);
    }
    outputs = {shape};
    return true;
}

} // namespace

std::vector<Type> Alloc::outputTypes(std::span<const Operand> inputs) const
{
    const Type value = inputs[0].type;
    const std::vector<std::int64_t> shape = declaredSizes("alloc", inputs.subspan(1));
    if (!value.isTensor() || value.rank() > static_cast<int>(shape.size()))
        throw ShapeMismatch("[alloc] the value has more dimensions than there are sizes: " + value.text() + " and " +
                            std::to_string(shape.size()) + " sizes");
    return {Type::tensor(value.dtype(), shape)};
}

bool Alloc::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const { return sizesAsShape(shapes, 1, outputs); }

std::vector<SizeRule> Alloc::sizeRules(ShapeBuilder &shapes) const
{
    std::vector<SizeRule> rules;
    const int pad = shapes.inputCount() - 1 - shapes.inputRank(0);
    for (int axis = 0; axis < shapes.inputRank(0); ++axis) {
        const int place = 1 + pad + axis;
        const auto wanted = shapes.value(place);
        if (!wanted || shapes.inputBroadcastable(0, axis)) continue;
        const Sym size = shapes.dim(0, axis);
        rules.push_back({size, shapes.repeatedSize(size, *wanted), 0, axis, place, -1});
    }
    return rules;
}

std::optional<Sym> Alloc::inferValue(ShapeBuilder &shapes, int, int element) const
{
    const bool repeated = shapes.inputRank(0) == 0 || (shapes.inputRank(0) == 1 && shapes.inputBroadcastable(0, 0));
    if (shapes.inputRank(0) > 1) return std::nullopt;
    return shapes.value(0, repeated ? 0 : element);
}

std::vector<VarRef> Alloc::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const Type type = node.input(0)->type();
    std::vector<VarRef> terms(node.inputs().size(), disconnected());
    if (isDiscrete(node.output(0)->type().dtype())) {
        terms[0] = zerosLike(node.input(0), floatX());
        return terms;
    }
    VarRef g = outputGrads[0];
    std::vector<int> added;
    for (int axis = 0; axis < g->type().rank() - type.rank(); ++axis) added.push_back(axis);
    if (!added.empty()) g = sum(g, added);
    terms[0] = sumToPattern(g, type);
    return terms;
}

std::vector<VarRef> Alloc::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (!evalPoints[0]) return {VarRef()};
    std::vector<VarRef> inputs(node.inputs().begin(), node.inputs().end());
    inputs[0] = evalPoints[0];
    return {engine::apply(node.opRef(), inputs)};
}

std::vector<Type> AllocEmpty::outputTypes(std::span<const Operand> inputs) const
{
    return {Type::tensor(m_dtype, declaredSizes("alloc_empty", inputs))};
}

bool AllocEmpty::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const { return sizesAsShape(shapes, 0, outputs); }

std::vector<VarRef> AllocEmpty::gradient(const Apply &node, std::span<const VarRef>) const
{
    return std::vector<VarRef>(node.inputs().size(), disconnected());
}

std::vector<Type> DeepCopyOp::outputTypes(std::span<const Operand> inputs) const { return {inputs[0].type}; }

VarRef alloc(const VarRef &value, std::span<const VarRef> sizes)
{
    static const OpRef op = makeOp<Alloc>();
    std::vector<VarRef> inputs{value};
    inputs.insert(inputs.end(), sizes.begin(), sizes.end());
    return applySized(op, inputs, sizes);
}

std::string Alloc::deviceName() const { return "GpuAlloc<" + deviceOf(worksOn()).info().name + ">"; }
std::string AllocEmpty::deviceName() const
{
    return "GpuAllocEmpty{dtype='" + std::string(nameOf(m_dtype)) + "', context_name='" + deviceOf(worksOn()).info().name + "'}";
}

PRECISE_MOVES(Alloc, 0, 1);
PRECISE_MOVES(DeepCopyOp, 0, 1);
PRETTY(Alloc, [](const Apply &node, PrettyWriter &out) { prettyCall("alloc", node, out); });
OP_CARD(Alloc, Creation, arity(1, kMaxRank + 1));
OP_CARD(AllocEmpty, Creation, arity(0, kMaxRank), parameter("dtype", &AllocEmpty::dtype));
OP_CARD(DeepCopyOp, View, arity(1));

namespace {

NotationValue allocated(NotationCall &call)
{
    const VarRef value = call.variable("value");
    return alloc(value, call.sizes());
}

} // namespace

NOTATION("alloc(value, n0, n1, …)", allocated);
NOTATION("Alloc(value, n0, n1, …)", allocated);
NOTATION("AllocEmpty(dtype, n0, …)", [](NotationCall &call) -> NotationValue {
    const DType dtype = call.dtype("dtype");
    std::vector<VarRef> sizes;
    for (const VarRef &size : call.variables()) sizes.push_back(cast(size, DType::Int64));
    return engine::apply(makeOp<AllocEmpty>(dtype), sizes);
});

} // namespace engine
