// Integers that elementwise applies compute, as symbols of the shape program: bounds and sizes known before running.
#include "engine/ops/elements/elementwise.h"

#include <cmath>
#include <optional>
#include <vector>

namespace engine {
namespace {

using Known = std::optional<Sym>;

std::optional<Sym> folded(std::span<const Sym> values, ShapeBuilder &shapes, Sym (ShapeBuilder::*join)(Sym, Sym))
{
    Sym result = values[0];
    for (const Sym value : values.subspan(1)) result = (shapes.*join)(result, value);
    return result;
}

/// Small integers begin anew behind their ends, and sizes are taken from what they then are.
Sym wrapped(ShapeBuilder &shapes, Sym value, DType dtype)
{
    if (!isInteger(dtype) || sizeOf(dtype) >= 4) return value;
    const Sym range = shapes.constant(std::int64_t{1} << (8 * sizeOf(dtype)));
    if (isUnsignedInteger(dtype)) return shapes.mod(value, range);
    const Sym half = shapes.constant(std::int64_t{1} << (8 * sizeOf(dtype) - 1));
    return shapes.sub(shapes.mod(shapes.add(value, half), range), half);
}

std::optional<Sym> knownValue(ShapeBuilder &shapes, const ScalarOp &op, std::span<const Known> arguments)
{
    const ScalarCode code = op.code();
    if (code == ScalarCode::Second) return arguments[1];
    std::vector<Sym> a;
    for (const Known &argument : arguments) {
        if (!argument) return std::nullopt;
        a.push_back(*argument);
    }
    const auto flipped = [&](Sym x) { return shapes.sub(shapes.constant(1), x); };
    const auto differ = [&] { return shapes.max(shapes.less(a[0], a[1]), shapes.less(a[1], a[0])); };
    switch (code) {
    case ScalarCode::Add: return folded(a, shapes, &ShapeBuilder::add);
    case ScalarCode::Mul: return folded(a, shapes, &ShapeBuilder::mul);
    case ScalarCode::Sub: return shapes.sub(a[0], a[1]);
    case ScalarCode::IntDiv: return shapes.floorDiv(a[0], a[1]);
    case ScalarCode::Mod: return shapes.mod(a[0], a[1]);
    case ScalarCode::Maximum: return shapes.max(a[0], a[1]);
    case ScalarCode::Minimum: return shapes.min(a[0], a[1]);
    case ScalarCode::Neg: return shapes.sub(shapes.constant(0), a[0]);
    case ScalarCode::Abs: return shapes.max(a[0], shapes.sub(shapes.constant(0), a[0]));
    case ScalarCode::Sqr: return shapes.mul(a[0], a[0]);
    case ScalarCode::Switch: return shapes.select(a[0], a[1], a[2]);
    case ScalarCode::Clip: return shapes.min(shapes.max(a[0], a[1]), a[2]);
    case ScalarCode::Lt: return shapes.less(a[0], a[1]);
    case ScalarCode::Gt: return shapes.less(a[1], a[0]);
    case ScalarCode::Le: return flipped(shapes.less(a[1], a[0]));
    case ScalarCode::Ge: return flipped(shapes.less(a[0], a[1]));
    case ScalarCode::Neq: return differ();
    case ScalarCode::Eq: return flipped(differ());
    case ScalarCode::Identity: return a[0];
    case ScalarCode::Cast:
        if (!isInteger(*op.castTarget())) return std::nullopt;
        return wrapped(shapes, a[0], *op.castTarget());
    default: return std::nullopt;
    }
}

std::optional<Sym> literalSym(ShapeBuilder &shapes, const ScalarInstruction &instruction)
{
    constexpr double kExact = 9007199254740992.0; // 2^53
    if (!isDiscrete(instruction.dtype) || std::abs(instruction.literal) > kExact) return std::nullopt;
    return shapes.constant(static_cast<std::int64_t>(instruction.literal));
}

std::optional<Sym> outputOf(ShapeBuilder &shapes, const ScalarBody &body, std::vector<Known> values, int output)
{
    for (const ScalarInstruction &instruction : body.instructions) {
        std::vector<Known> arguments;
        for (const std::uint32_t at : instruction.arguments) arguments.push_back(values[at]);
        if (!instruction.op) values.push_back(literalSym(shapes, instruction));
        else if (!isDiscrete(instruction.dtype)) values.push_back(std::nullopt);
        else values.push_back(knownValue(shapes, *instruction.op, arguments));
        if (values.back()) values.back() = wrapped(shapes, *values.back(), instruction.dtype);
    }
    return values[body.outputs[output]];
}

} // namespace

std::optional<Sym> Elemwise::inferValue(ShapeBuilder &shapes, int output, int element) const
{
    const int count = m_scalar->arity() >= 0 ? m_scalar->arity() : shapes.inputCount();
    std::vector<Known> arguments;
    for (int i = 0; i < count; ++i) {
        const bool repeated = shapes.inputRank(i) == 1 && shapes.inputBroadcastable(i, 0);
        arguments.push_back(shapes.value(i, repeated ? 0 : element));
    }
    if (const ScalarBody *body = m_scalar->body()) return outputOf(shapes, *body, std::move(arguments), output);
    return knownValue(shapes, *m_scalar, arguments);
}

} // namespace engine
