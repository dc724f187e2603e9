// What an op does to each element: arithmetic, comparisons, logic, bits, dtypes.
#include "engine/ops/elements/elementwise.h"
#include "engine/onnx/model/call.h"
#include "engine/onnx/model/tensors.h"
#include "engine/ops/shapes/alloc.h"

#include <numbers>

namespace engine::onnx {
namespace {

using S = ScalarCode;

template <S code>
Vars unary(Call &call)
{
    return {elementwise(code, {call.in(0)})};
}

VarRef backTo(const VarRef &a, DType dtype) { return cast(a, dtype); }

template <S code>
Vars binary(Call &call)
{
    return {elementwise(code, {call.in(0), call.in(1)})};
}

// Opsets below 7 wanted to be told to broadcast, and from which axis.
template <S code>
Vars binaryFromAxis(Call &call)
{
    VarRef b = call.in(1);
    if (call.integer("broadcast", 0) && call.hasAttribute("axis")) {
        const int left = call.rank(), first = call.axis(call.integer("axis"), left);
        std::vector<int> added;
        for (int i = first + b->type().rank(); i < left; ++i) added.push_back(b->type().rank() + static_cast<int>(added.size()));
        b = withAxes(b, added);
    }
    return {elementwise(code, {call.in(0), b})};
}

// The same dtype comes out that went in; ONNX computes float functions of floats only.
template <S code>
Vars likeInput(Call &call)
{
    return {backTo(elementwise(code, {call.in(0)}), call.dtype())};
}

VarRef truncatedQuotient(const VarRef &a, const VarRef &b)
{
    const DType dtype = a->type().dtype();
    const VarRef floor = elementwise(S::IntDiv, {a, b});
    if (!isSignedInteger(dtype)) return floor;
    const VarRef zero = number(dtype, 0), rest = sub(a, mul(floor, b));
    const VarRef isBelow = elementwise(S::And, {elementwise(S::Neq, {rest, zero}), elementwise(S::Lt, {floor, zero})});
    return add(floor, cast(isBelow, dtype));
}

Vars div(Call &call)
{
    if (isDiscrete(call.dtype())) return {truncatedQuotient(call.in(0), call.in(1))};
    return {trueDiv(call.in(0), call.in(1))};
}

Vars mod(Call &call)
{
    const VarRef a = call.in(0), b = call.in(1);
    if (!call.integer("fmod", 0)) return {elementwise(S::Mod, {a, b})};
    if (isUnsignedInteger(call.dtype())) return {elementwise(S::Mod, {a, b})};
    const VarRef size = elementwise(S::Mod, {elementwise(S::Abs, {a}), elementwise(S::Abs, {b})});
    return {mul(size, elementwise(S::Sgn, {a}))};
}

Vars power(Call &call)
{
    const DType dtype = call.dtype();
    VarRef base = call.in(0), exponent = call.in(1);
    if (isDiscrete(dtype) && isFloat(exponent->type().dtype())) base = cast(base, DType::Float64);
    return {cast(pow(base, exponent), dtype)};
}

template <S code>
Vars fold(Call &call)
{
    VarRef result = call.in(0);
    for (int i = 1; i < call.inputCount(); ++i) result = elementwise(code, {result, call.in(i)});
    return {result};
}

Vars meanOf(Call &call) { return {trueDiv(fold<S::Add>(call)[0], number(call.dtype(), call.inputCount()))}; }

Vars negate(Call &call) { return {neg(call.in(0))}; }
Vars logicalNot(Call &call) { return {elementwise(S::Invert, {call.in(0)})}; }

Vars clip(Call &call)
{
    const DType dtype = call.dtype();
    VarRef low = call.optional(1), high = call.optional(2), result = call.in(0);
    if (call.opset() < 11) {
        if (call.hasAttribute("min")) low = number(dtype, call.number("min", 0));
        if (call.hasAttribute("max")) high = number(dtype, call.number("max", 0));
    }
    if (low) result = elementwise(S::Maximum, {result, low});
    if (high) result = elementwise(S::Minimum, {result, high});
    return {result};
}

Vars isInfinite(Call &call)
{
    const VarRef x = call.in(0), zero = number(call.dtype(), 0);
    VarRef result = elementwise(S::IsInf, {x});
    if (!call.integer("detect_negative", 1)) result = elementwise(S::And, {result, elementwise(S::Gt, {x, zero})});
    if (!call.integer("detect_positive", 1)) result = elementwise(S::And, {result, elementwise(S::Lt, {x, zero})});
    return {result};
}

// NaN is not equal to itself, and so neither zero.
VarRef converted(const VarRef &x, DType to)
{
    const DType from = x->type().dtype();
    if (to == DType::Bool && from != DType::Bool) return elementwise(S::Neq, {x, number(from, 0)});
    return cast(x, to);
}

Vars castTo(Call &call)
{
    DType dtype = DType::Float32;
    if (call.hasAttribute("to") && call.opset() < 6) { // a name, not a number
        const auto named = dtypeFromName(call.text("to", ""));
        if (!named) call.integer("to");
        else dtype = *named;
    } else {
        dtype = dtypeOf(static_cast<std::int32_t>(call.integer("to")), call.place() + ": what it casts to");
    }
    return {converted(call.in(0), dtype)};
}

Vars castLike(Call &call) { return {converted(call.in(0), call.dtype(1))}; }

Vars where(Call &call) { return {elementwise(S::Switch, {call.in(0), call.in(1), call.in(2)})}; }

Vars bitShift(Call &call)
{
    const VarRef factor = cast(pow(number(call.dtype(), 2), call.in(1)), call.dtype());
    if (call.text("direction", "") == "LEFT") return {mul(call.in(0), factor)};
    if (isSignedInteger(call.dtype())) { // the sign fills what becomes free, all of it where the shift is too big or negative
        const VarRef &shift = call.in(1), zero = number(call.dtype(), 0);
        const double widest = static_cast<double>(engine::sizeOf(call.dtype()) * 8 - 1);
        const VarRef isFar =
            elementwise(S::Or, {elementwise(S::Ge, {shift, number(shift->type().dtype(), widest)}), elementwise(S::Lt, {shift, zero})});
        const VarRef signs = switchOn(elementwise(S::Lt, {call.in(0), zero}), number(call.dtype(), -1), zero);
        return {switchOn(isFar, signs, elementwise(S::IntDiv, {call.in(0), switchOn(isFar, number(call.dtype(), 1), factor)}))};
    }
    return {elementwise(S::IntDiv, {call.in(0), factor})};
}

// Of integers of one width: the same bits.
Vars bitCast(Call &call)
{
    const DType to = dtypeOf(static_cast<std::int32_t>(call.integer("to")), call.place());
    if (engine::sizeOf(to) != engine::sizeOf(call.dtype()) || !isDiscrete(to) || !isDiscrete(call.dtype()))
        call.fail("looks at the bits of floating-point numbers, which Croton does not do");
    return {cast(call.in(0), to)};
}

Vars identity(Call &call) { return {call.in(0)}; }

Vars reciprocal(Call &call) { return {elementwise(S::Inv, {call.in(0)})}; }

Vars prelu(Call &call)
{
    const VarRef x = call.in(0), zero = number(call.dtype(), 0);
    VarRef slope = call.in(1);
    if (call.opset() < 7 && slope->type().rank() == 1 && call.rank() > 1) slope = alongChannels(slope, call.rank());
    return {switchOn(elementwise(S::Lt, {x, zero}), mul(x, slope), x)};
}

const OpRows kElementwiseRows{
    {"", "Abs", 1, unary<S::Abs>},
    {"", "Acos", 7, likeInput<S::Arccos>},
    {"", "Acosh", 9, likeInput<S::Arccosh>},
    {"", "Add", 1, binaryFromAxis<S::Add>},
    {"", "Add", 7, binary<S::Add>},
    {"", "And", 7, binary<S::And>},
    {"", "Asin", 7, likeInput<S::Arcsin>},
    {"", "Asinh", 9, likeInput<S::Arcsinh>},
    {"", "Atan", 7, likeInput<S::Arctan>},
    {"", "Atanh", 9, likeInput<S::Arctanh>},
    {"", "BitCast", 26, bitCast},
    {"", "BitShift", 11, bitShift},
    {"", "BitwiseAnd", 18, binary<S::And>},
    {"", "BitwiseNot", 18, unary<S::Invert>},
    {"", "BitwiseOr", 18, binary<S::Or>},
    {"", "BitwiseXor", 18, binary<S::Xor>},
    {"", "Cast", 1, castTo},
    {"", "CastLike", 15, castLike},
    {"", "Ceil", 1, unary<S::Ceil>},
    {"", "Clip", 1, clip},
    {"", "Cos", 7, likeInput<S::Cos>},
    {"", "Cosh", 9, likeInput<S::Cosh>},
    {"", "Div", 1, div},
    {"", "Equal", 7, binary<S::Eq>},
    {"", "Erf", 9, likeInput<S::Erf>},
    {"", "Exp", 1, likeInput<S::Exp>},
    {"", "Floor", 1, unary<S::Floor>},
    {"", "Greater", 7, binary<S::Gt>},
    {"", "GreaterOrEqual", 12, binary<S::Ge>},
    {"", "Identity", 1, identity},
    {"", "IsInf", 10, isInfinite},
    {"", "IsNaN", 9, unary<S::IsNan>},
    {"", "Less", 7, binary<S::Lt>},
    {"", "LessOrEqual", 12, binary<S::Le>},
    {"", "Log", 1, likeInput<S::Log>},
    {"", "Max", 1, fold<S::Maximum>},
    {"", "Mean", 1, meanOf},
    {"", "Min", 1, fold<S::Minimum>},
    {"", "Mod", 10, mod},
    {"", "Mul", 1, binaryFromAxis<S::Mul>},
    {"", "Mul", 7, binary<S::Mul>},
    {"", "Neg", 1, negate},
    {"", "Not", 1, logicalNot},
    {"", "Or", 7, binary<S::Or>},
    {"", "PRelu", 1, prelu},
    {"", "Pow", 7, power},
    {"", "Reciprocal", 1, reciprocal},
    {"", "Round", 11, unary<S::RoundHalfToEven>},
    {"", "Sign", 9, unary<S::Sgn>},
    {"", "Sin", 7, likeInput<S::Sin>},
    {"", "Sinh", 9, likeInput<S::Sinh>},
    {"", "Sqrt", 1, likeInput<S::Sqrt>},
    {"", "Sub", 1, binaryFromAxis<S::Sub>},
    {"", "Sub", 7, binary<S::Sub>},
    {"", "Sum", 1, fold<S::Add>},
    {"", "Tan", 7, likeInput<S::Tan>},
    {"", "Tanh", 1, likeInput<S::Tanh>},
    {"", "Where", 9, where},
    {"", "Xor", 7, binary<S::Xor>},
};

} // namespace
} // namespace engine::onnx
