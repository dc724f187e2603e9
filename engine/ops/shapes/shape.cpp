#include "engine/ops/shapes/shape.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/op/precise_form.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/graph/syntax/pretty_form.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/tensor/errors.h"

#include <array>

namespace engine {

std::vector<Type> Shape::outputTypes(std::span<const Operand> inputs) const
{
    if (!inputs[0].type.isTensor()) throw TypeMismatch("[shape] wants a tensor, got " + inputs[0].type.text());
    // Never declared broadcastable, as in Theano: the shape of a vector is an ordinary vector.
    const int rank = inputs[0].type.rank();
    const std::int64_t length = rank == 1 ? kUnknownDim : rank;
    return {Type::tensor(DType::Int64, std::span<const std::int64_t>(&length, 1))};
}

bool Shape::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    outputs = {{shapes.constant(shapes.inputRank(0))}};
    return true;
}

std::optional<Sym> Shape::inferValue(ShapeBuilder &shapes, int, int element) const { return shapes.dim(0, element); }

std::vector<VarRef> Shape::gradient(const Apply &, std::span<const VarRef>) const { return {disconnected()}; }

std::vector<Type> Shape_i::outputTypes(std::span<const Operand> inputs) const
{
    const Type type = inputs[0].type;
    if (!type.isTensor() || m_axis < 0 || m_axis >= type.rank())
        throw ShapeMismatch("[shape] there is no axis " + std::to_string(m_axis) + " in " + type.text());
    return {Type::scalar(DType::Int64)};
}

bool Shape_i::inferShape(ShapeBuilder &, std::vector<SymShape> &outputs) const
{
    outputs = {{}};
    return true;
}

std::optional<Sym> Shape_i::inferValue(ShapeBuilder &shapes, int, int) const { return shapes.dim(0, m_axis); }

std::vector<VarRef> Shape_i::gradient(const Apply &, std::span<const VarRef>) const { return {disconnected()}; }

std::vector<Type> MakeVector::outputTypes(std::span<const Operand> inputs) const
{
    for (const Operand &input : inputs) {
        if (!input.type.isTensor() || input.type.rank() != 0) throw ShapeMismatch("[make_vector] wants scalars, got " + input.type.text());
        if (promote(input.type.dtype(), m_dtype) != m_dtype)
            throw TypeMismatch("[make_vector] a vector of " + std::string(nameOf(m_dtype)) + " cannot hold " +
                               std::string(nameOf(input.type.dtype())));
    }
    const auto length = static_cast<std::int64_t>(inputs.size());
    return {Type::tensor(m_dtype, std::span<const std::int64_t>(&length, 1))};
}

bool MakeVector::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    outputs = {{shapes.constant(shapes.inputCount())}};
    return true;
}

std::optional<Sym> MakeVector::inferValue(ShapeBuilder &shapes, int, int element) const
{
    if (!isInteger(m_dtype)) return std::nullopt;
    return shapes.value(element);
}

std::vector<VarRef> MakeVector::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    std::vector<VarRef> terms;
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
        const VarRef &input = node.inputs()[i];
        if (isDiscrete(m_dtype)) terms.push_back(zerosLike(input, floatX()));
        else terms.push_back(elementAt(outputGrads[0], static_cast<std::int64_t>(i)));
    }
    return terms;
}

std::vector<VarRef> MakeVector::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    std::vector<VarRef> inputs;
    bool any = false;
    for (std::size_t i = 0; i < evalPoints.size(); ++i) {
        any |= static_cast<bool>(evalPoints[i]);
        inputs.push_back(evalPoints[i] ? evalPoints[i] : zerosLike(node.inputs()[i]));
    }
    return {any ? engine::apply(node.opRef(), inputs) : VarRef()};
}

OpRef shapeOp(int axis)
{
    static const auto *ops = [] {
        auto *made = new std::array<OpRef, kMaxRank>;
        for (int i = 0; i < kMaxRank; ++i) (*made)[i] = makeOp<Shape_i>(i);
        return made;
    }();
    return axis >= 0 && axis < kMaxRank ? (*ops)[axis] : makeOp<Shape_i>(axis);
}

VarRef shape(const VarRef &a)
{
    static const OpRef op = makeOp<Shape>();
    return engine::apply(op, {a});
}

VarRef shapeOf(const VarRef &a, int axis) { return engine::apply(shapeOp(axis), {a}); }

VarRef makeVector(std::span<const VarRef> scalars)
{
    DType dtype = DType::Int64;
    if (!scalars.empty()) dtype = scalars[0]->type().dtype();
    for (const VarRef &scalar : scalars) dtype = promote(dtype, scalar->type().dtype());
    return engine::apply(makeOp<MakeVector>(dtype), scalars);
}

namespace {

[[maybe_unused]] const bool k_makeVector = (builders().makeVector = makeVector, true);

} // namespace

PRECISE_MOVES(MakeVector, 0, ~std::size_t(0));
OP_CARD(Shape, Shape, arity(1));
OP_CARD(Shape_i, Shape, arity(1), axis("axis", &Shape_i::axis)).shown("i", &Shape_i::axis);
OP_CARD(MakeVector, Shape, arity(0, kAnyNumber), parameter("dtype", &MakeVector::dtype));

NOTATION("shape(x)", shape);
NOTATION("Shape(x)", shape);
NOTATION("shape_i(x, axis)", shapeOf);
NOTATION("Shape_i{0}(x)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return shapeOf(x, call.axis("axis", x->type().rank()));
});
NOTATION("size(x)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    VarRef product;
    for (int axis = 0; axis < x->type().rank(); ++axis) {
        const VarRef one = shapeOf(x, axis);
        product = product ? mul(product, one) : one;
    }
    return product ? product : literal(std::int64_t{1});
});
NOTATION("make_vector(n0, n1, …)", makeVector);
NOTATION("MakeVector(n0, n1, …)", [](NotationCall &call) -> NotationValue {
    std::vector<VarRef> parts;
    for (const VarRef &part : call.variables()) parts.push_back(cast(part, DType::Int64));
    return engine::apply(makeOp<MakeVector>(DType::Int64), parts);
});

PRETTY(Shape, [](const Apply &node, PrettyWriter &out) { prettyCall("Shape", node, out); });
PRETTY(MakeVector, [](const Apply &node, PrettyWriter &out) {
    if (node.inputs().empty()) return prettyCall(node.op().name(), node, out);
    out.text("[");
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
        if (i) out.text(", ");
        out.variable(node.inputs()[i]);
    }
    out.text("]");
});

} // namespace engine
