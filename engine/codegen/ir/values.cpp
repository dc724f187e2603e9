#include "engine/codegen/ir/kernel.h"
#include "engine/scalar/registers.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace engine::ir {
namespace {

Value made(Node node) { return Value(std::make_shared<const Node>(std::move(node))); }

bool isWholeLiteral(const Value &x) { return x.node()->op == Op::Literal && isInteger(x.type()); }
std::int64_t wholeOf(const Value &x) { return static_cast<std::int64_t>(x.node()->bits); }
bool is(const Value &x, std::int64_t number) { return isWholeLiteral(x) && wholeOf(x) == number; }

// What C computes in.
DType widened(DType type) { return sizeOf(type) < 4 ? DType::Int32 : type; }

DType commonType(const Value &a, const Value &b)
{
    if (isWholeLiteral(a) && a.type() == DType::Int64 && !isWholeLiteral(b)) return widened(b.type());
    if (isWholeLiteral(b) && b.type() == DType::Int64 && !isWholeLiteral(a)) return widened(a.type());
    const DType first = widened(a.type()), second = widened(b.type());
    for (DType wide : {DType::Float64, DType::Float32, DType::UInt64, DType::Int64, DType::UInt32})
        if (first == wide || second == wide) return wide;
    return DType::Int32;
}

std::optional<std::int64_t> folded(Op op, std::int64_t a, std::int64_t b)
{
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b); // wraps
    switch (op) {
    case Op::Plus: return static_cast<std::int64_t>(x + y);
    case Op::Minus: return static_cast<std::int64_t>(x - y);
    case Op::Times: return static_cast<std::int64_t>(x * y);
    default: return std::nullopt;
    }
}

Value binary(Op op, const Value &a, const Value &b)
{
    if (isWholeLiteral(a) && isWholeLiteral(b) && a.type() == DType::Int64 && b.type() == DType::Int64)
        if (const auto number = folded(op, wholeOf(a), wholeOf(b))) return *number;
    const bool isProduct = op == Op::Times, isSum = op == Op::Plus;
    // x * 1 and x + 0 are x, if C gives them the type of x. -0.0 + 0 is 0.0.
    const auto isNeutral = [&](const Value &one, const Value &kept) {
        return is(one, isProduct ? 1 : 0) && (isProduct || isInteger(kept.type())) && commonType(a, b) == kept.type();
    };
    if ((isProduct || isSum) && isNeutral(b, a)) return a;
    if ((isProduct || isSum) && isNeutral(a, b)) return b;
    const bool isShift = op == Op::ShiftLeft || op == Op::ShiftRight, isTruth = op == Op::Both || op == Op::Either;
    if (isTruth) return made({.op = op, .type = DType::Int32, .in = {a.node(), b.node()}});
    // Truth values stay what they are.
    const bool isBool = op >= Op::BitAnd && op <= Op::BitOr && a.type() == DType::Bool && b.type() == DType::Bool;
    const DType type = isBool ? DType::Bool : isShift ? widened(a.type()) : commonType(a, b);
    const bool isComparison = op >= Op::Less && op <= Op::NotEqual;
    return made({.op = op,
                 .type = isComparison ? DType::Int32 : type,
                 .in = {cast(type, a).node(), cast(isShift ? DType::Int64 : type, b).node()}});
}

} // namespace

Value Value::whole(std::int64_t number) { return literal(DType::Int64, static_cast<std::uint64_t>(number)); }

Value operator+(const Value &a, const Value &b) { return binary(Op::Plus, a, b); }
Value operator-(const Value &a, const Value &b) { return binary(Op::Minus, a, b); }
Value operator*(const Value &a, const Value &b) { return binary(Op::Times, a, b); }
Value operator/(const Value &a, const Value &b) { return binary(Op::Over, a, b); }
Value operator%(const Value &a, const Value &b) { return binary(Op::Rest, a, b); }
Value operator<<(const Value &a, const Value &b) { return binary(Op::ShiftLeft, a, b); }
Value operator>>(const Value &a, const Value &b) { return binary(Op::ShiftRight, a, b); }
Value operator<(const Value &a, const Value &b) { return binary(Op::Less, a, b); }
Value operator<=(const Value &a, const Value &b) { return binary(Op::LessEqual, a, b); }
Value operator>(const Value &a, const Value &b) { return b < a; }
Value operator>=(const Value &a, const Value &b) { return b <= a; }
Value operator==(const Value &a, const Value &b) { return binary(Op::Equal, a, b); }
Value operator!=(const Value &a, const Value &b) { return binary(Op::NotEqual, a, b); }
Value operator&(const Value &a, const Value &b) { return binary(Op::BitAnd, a, b); }
Value operator^(const Value &a, const Value &b) { return binary(Op::BitXor, a, b); }
Value operator|(const Value &a, const Value &b) { return binary(Op::BitOr, a, b); }
Value operator&&(const Value &a, const Value &b) { return binary(Op::Both, a, b); }
Value operator||(const Value &a, const Value &b) { return binary(Op::Either, a, b); }

Value operator-(const Value &a)
{
    const DType type = widened(a.type());
    return made({.op = Op::Negative, .type = type, .in = {cast(type, a).node()}});
}

Value select(const Value &condition, const Value &a, const Value &b)
{
    const DType type = a.type() == b.type() ? a.type() : commonType(a, b);
    return made({.op = Op::Select, .type = type, .in = {condition.node(), cast(type, a).node(), cast(type, b).node()}});
}

Value least(const Value &a, const Value &b) { return select(a < b, a, b); }

Value cast(DType type, const Value &x)
{
    if (x.type() == type) return x;
    if (x.node()->op == Op::Literal && isInteger(x.type())) {
        const std::uint64_t bits = x.node()->bits;
        if (type == DType::UInt32) return literal(type, static_cast<std::uint32_t>(bits));
        if (type == DType::Int32) return literal(type, static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(bits)}));
        if (isInteger(type) && sizeOf(type) == 8) return literal(type, bits);
        if (isFloat(type) && type != DType::Float16)
            return realNumber(type, x.type() == DType::UInt64 ? static_cast<double>(bits) : static_cast<double>(wholeOf(x)));
    }
    // A half that was read is moved as it is.
    if (type == DType::Float16 && x.node()->op == Op::Cast && x.node()->in[0]->type == DType::Float16) return Value(x.node()->in[0]);
    if (type == DType::Float16 && x.type() != DType::Float32) return cast(type, cast(DType::Float32, x));
    if (x.type() == DType::Float16 && type != DType::Float32) return cast(type, cast(DType::Float32, x));
    return made({.op = Op::Cast, .type = type, .in = {x.node()}});
}

Value convert(RtKind from, RtKind to, RtLoop loop, const Value &x)
{
    return made({.op = Op::Convert,
                 .type = nativeDType(to),
                 .in = {x.node()},
                 .kind = from,
                 .loop = loop,
                 .isNarrowing = loop != rt_table()->casts[from][to]});
}

Value fromBits(DType type, const Value &bits) { return made({.op = Op::FromBits, .type = type, .in = {bits.node()}}); }

Value literal(DType type, std::uint64_t bits) { return made({.op = Op::Literal, .type = type, .bits = bits}); }

DType bitsOf(DType type)
{
    constexpr DType kBySize[] = {DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64};
    return kBySize[std::min(std::countr_zero(sizeOf(type)), 3)];
}

Value literal(RtKind kind, const void *place)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, place, registerBytes(kind));
    return literal(nativeDType(kind), bits);
}

Value realNumber(DType type, double number)
{
    return literal(type, type == DType::Float32 ? std::bit_cast<std::uint32_t>(static_cast<float>(number))
                                                : std::bit_cast<std::uint64_t>(number));
}

Value combined(RtReduce reduce, const Value &a, const Value &element)
{
    // Whole numbers wrap around.
    const auto wrapping = [&](const Value &x) { return isInteger(x.type()) ? cast(DType::UInt64, x) : x; };
    switch (reduce) {
    case RT_SUM: return wrapping(a) + wrapping(element);
    case RT_PROD: return wrapping(a) * wrapping(element);
    case RT_MAX: return select((a > element) | (a != a), a, element);
    case RT_MIN: return select((a < element) | (a != a), a, element);
    case RT_ANY: return a | element;
    default: return a & element;
    }
}

} // namespace engine::ir
