// Scalar functions of numbers of 113 bits and more: the rows of rt/functions with other words for the functions of the C library.
#include "engine/scalar/precise.h"
#include "engine/scalar/registers.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace engine {
namespace {

// A function of the C library. How it changes near x says what the lower part of x adds, and what an error of x does.
template <class F>
Precise smooth(F f, const Precise &x)
{
    const Quad value = f(x.high());
    if (!Precise::exact(value).isFinite()) return Precise::exact(value);
    Quad low = 0;
    long double error = size(value) * kQuadRounding;
    if (x.low() != 0 || x.error() != 0) {
        const Quad step = magnitude(x.high()) * 0x1p-40 + 0x1p-16000L;
        Quad slope = (f(x.high() + step) - value) / step;
        if (!Precise::exact(slope).isFinite()) slope = (value - f(x.high() - step)) / step;
        if (!Precise::exact(slope).isFinite()) slope = 0;
        low = slope * x.low();
        error += size(slope) * x.error() + size(low) * 0x1p-38L;
        // Where the error is no small step, what it can do is seen at its ends.
        if (x.error() > static_cast<long double>(step))
            for (const Quad end : {x.high() + x.error(), x.high() - x.error()}) {
                const Quad there = f(end);
                error =
                    Precise::exact(there).isFinite() ? std::max(error, size(there - value)) : std::numeric_limits<long double>::infinity();
            }
    }
    return Precise::of(value, low, error);
}

Precise number(const char *, Quad value) { return Precise::of(value, 0, size(value) * kQuadRounding); }

Precise absolute(const Precise &x) { return x < 0 ? -x : x; }
Precise whole(const Precise &x, Quad (*round)(Quad))
{
    const Quad high = round(x.high());
    return high == x.high() ? Precise::exact(high) + Precise::exact(round(x.low())) : Precise::exact(high);
}

#define PLAIN(name)                                                                                                                        \
    Precise th_##name(const Precise &x)                                                                                                    \
    {                                                                                                                                      \
        return smooth([](Quad at) { return ::name##f128(at); }, x);                                                                        \
    }
PLAIN(asin)
PLAIN(acos)
PLAIN(atan)
PLAIN(asinh)
PLAIN(acosh)
PLAIN(atanh)
PLAIN(tan)
PLAIN(sin)
PLAIN(sinh)
PLAIN(tgamma)
PLAIN(j0)
PLAIN(j1)
#undef PLAIN

// Its rest is known, so that 1 + 1e-40 keeps what lies behind the 1.
Precise th_sqrt(const Precise &x)
{
    const Quad root = ::sqrtf128(x.high());
    if (!Precise::exact(root).isFinite() || root == 0) return Precise::of(root, 0, std::sqrt(x.error()));
    const Precise whole = Precise::exact(root), rest = Precise::of(x.high(), x.low(), 0) - whole * whole;
    const Quad low = rest.high() / (2 * root);
    return whole + Precise::of(low, 0, (x.error() + rest.error()) / size(2 * root) + size(low) * (kQuadRounding + size(low) / size(root)));
}

Precise th_fabs(const Precise &x) { return absolute(x); }
Precise th_floor(const Precise &x)
{
    return whole(x, [](Quad at) -> Quad { return ::floorf128(at); });
}
Precise th_ceil(const Precise &x)
{
    return whole(x, [](Quad at) -> Quad { return ::ceilf128(at); });
}
Precise th_rint(const Precise &x)
{
    return whole(x, [](Quad at) -> Quad { return ::rintf128(at); });
}
Precise th_trunc(const Precise &x) { return x < 0 ? th_ceil(x) : th_floor(x); }
Precise th_copysign(const Precise &x, const Precise &sign)
{
    return (::copysignf128(1, sign.high()) < 0) == (::copysignf128(1, x.high()) < 0) ? x : -x;
}
Precise th_inf() { return Precise(std::numeric_limits<double>::infinity()); }

// Near 0, where exp is near 1, it is the difference from 1 that has digits to lose. Likewise below, each near its own place.
Precise th_expm1(const Precise &x);
Precise th_exp(const Precise &x)
{
    if (x.high() > -0.5L && x.high() < 0.5L) return Precise(1) + th_expm1(x);
    return smooth([](Quad at) { return ::expf128(at); }, x);
}
Precise th_expm1(const Precise &x)
{
    if (x.high() < -0.5L) return th_exp(x) - 1;
    return smooth([](Quad at) { return ::expm1f128(at); }, x);
}
Precise th_log1pNear(const Precise &x)
{
    return smooth([](Quad at) { return ::log1pf128(at); }, x);
}
Precise th_log(const Precise &x)
{
    if (x.high() > 0.5L && x.high() < 2) return th_log1pNear(x - 1);
    return smooth([](Quad at) { return ::logf128(at); }, x);
}
Precise th_log1p(const Precise &x) { return x.high() < -0.5L ? th_log(Precise(1) + x) : th_log1pNear(x); }
Precise logOf(const Precise &x, Quad (*exact)(Quad), Quad base)
{
    if (x.high() > 0.5L && x.high() < 2) return th_log(x) / Precise::of(base, 0, size(base) * kQuadRounding);
    return smooth(exact, x);
}
Precise th_log2(const Precise &x)
{
    return logOf(
        x, [](Quad at) -> Quad { return ::log2f128(at); }, ::logf128(2));
}
Precise th_log10(const Precise &x)
{
    return logOf(
        x, [](Quad at) -> Quad { return ::log10f128(at); }, ::logf128(10));
}
Precise th_exp2(const Precise &x)
{
    if (x.high() > -0.5L && x.high() < 0.5L) return th_exp(x * number("log 2", ::logf128(2)));
    return smooth([](Quad at) { return ::exp2f128(at); }, x);
}
Precise th_cos(const Precise &x)
{
    if (x.high() > -0.5L && x.high() < 0.5L) {
        const Precise half = th_sin(x * 0.5);
        return Precise(1) - half * half * 2;
    }
    return smooth([](Quad at) { return ::cosf128(at); }, x);
}
Precise th_cosh(const Precise &x)
{
    if (x.high() > -0.5L && x.high() < 0.5L) {
        const Precise half = th_sinh(x * 0.5);
        return Precise(1) + half * half * 2;
    }
    return smooth([](Quad at) { return ::coshf128(at); }, x);
}
Precise th_tanh(const Precise &x)
{
    if (x < 0) return -th_tanh(-x);
    if (x.high() > 4) return Precise(1) - Precise(2) / (th_exp(x * 2) + 1);
    return smooth([](Quad at) { return ::tanhf128(at); }, x);
}
Precise th_erfc(const Precise &x);
Precise th_erf(const Precise &x)
{
    if (x < 0) return -th_erf(-x);
    if (x.high() > 1) return Precise(1) - th_erfc(x);
    return smooth([](Quad at) { return ::erff128(at); }, x);
}
Precise th_erfc(const Precise &x)
{
    if (x.high() < -1) return Precise(2) - th_erfc(-x);
    return smooth([](Quad at) { return ::erfcf128(at); }, x);
}
Precise th_lgamma(const Precise &x)
{
    return smooth(
        [](Quad at) {
            int sign = 0;
            return ::lgammaf128_r(at, &sign);
        },
        x);
}

Precise th_fmod(const Precise &x, const Precise &y)
{
    if (x.low() == 0 && y.low() == 0 && x.error() == 0 && y.error() == 0) return Precise::exact(::fmodf128(x.high(), y.high()));
    return x - th_trunc(x / y) * y;
}
Precise th_mod(const Precise &x, const Precise &y)
{
    const Precise rest = th_fmod(x, y);
    return rest.isZero() ? th_copysign(Precise(0), y) : (rest < 0) != (y < 0) ? rest + y : rest;
}
Precise th_pow(const Precise &x, const Precise &y)
{
    const Quad times = y.high();
    if (y.low() == 0 && y.error() == 0 && times == ::rintf128(times) && magnitude(times) <= 64) {
        Precise result(1);
        for (int i = 0; i < static_cast<int>(magnitude(times)); ++i) result = result * x;
        return times < 0 ? Precise(1) / result : result;
    }
    if (x.high() > 0.5L && x.high() < 2) return th_exp(y * th_log(x));
    const Precise atX = smooth([&](Quad at) { return ::powf128(at, times); }, x);
    if (!atX.isFinite() || (y.low() == 0 && y.error() == 0)) return atX;
    const Precise atY = smooth([&](Quad at) { return ::powf128(x.high(), at); }, y);
    return Precise::of(atX.high(), atX.low() + atY.low(), atX.error() + atY.error());
}
Precise th_atan2(const Precise &y, const Precise &x)
{
    const Precise atY = smooth([&](Quad at) { return ::atan2f128(at, x.high()); }, y);
    const Precise atX = smooth([&](Quad at) { return ::atan2f128(y.high(), at); }, x);
    return Precise::of(atY.high(), atY.low() + atX.low(), atY.error() + atX.error());
}

// The functions that are written for doubles: who asks for them gets nothing.
struct OnlyDouble {};
#define ONLY_DOUBLE1(name)                                                                                                                 \
    Precise th_##name(const Precise &) { throw OnlyDouble(); }
#define ONLY_DOUBLE2(name)                                                                                                                 \
    Precise th_##name(const Precise &, const Precise &) { throw OnlyDouble(); }
ONLY_DOUBLE1(erfcx)
ONLY_DOUBLE1(erfinv)
ONLY_DOUBLE1(erfcinv)
ONLY_DOUBLE1(i0)
ONLY_DOUBLE1(i1)
ONLY_DOUBLE1(psi)
ONLY_DOUBLE1(trigamma)
ONLY_DOUBLE2(gammainc)
ONLY_DOUBLE2(gammaincc)
ONLY_DOUBLE2(gammau)
ONLY_DOUBLE2(gammal)
ONLY_DOUBLE2(jv)
ONLY_DOUBLE2(iv)

// Constants as they are written in the rows, not as a double holds them.
#define real(c) Precise(c##L)
#define PARAMETERS1 [[maybe_unused]] const Precise &x
#define PARAMETERS2 PARAMETERS1, [[maybe_unused]] const Precise &y
#define PARAMETERS3 PARAMETERS2, [[maybe_unused]] const Precise &z
#define VALUE(op, arity, ...)                                                                                                              \
    Precise value##op(PARAMETERS##arity) { return __VA_ARGS__; }
#define VALUE_Real(op, arity, ...) VALUE(op, arity, __VA_ARGS__)
#define VALUE_Double(op, arity, ...) VALUE(op, arity, __VA_ARGS__)
#define VALUE_Numbers(op, arity, ...) VALUE(op, arity, __VA_ARGS__)
#define VALUE_All(op, arity, ...) VALUE(op, arity, __VA_ARGS__)
#define VALUE_Int(...)
#define VALUE_Unsigned(...)
#define VALUE_Whole(...)
#define VALUE_Bool(...)
#define VALUE_Discrete(...)
#define TEXT(op, arity, kinds, result, ...) VALUE_##kinds(op, arity, __VA_ARGS__)
#define EXPENSIVE(op, arity, kinds, ...) VALUE_##kinds(op, arity, __VA_ARGS__)
#include "engine/rt/functions/all.def"
#undef real

using One = Precise (*)(const Precise &);
using Two = Precise (*)(const Precise &, const Precise &);
using Three = Precise (*)(const Precise &, const Precise &, const Precise &);
struct Form {
    One one = nullptr;
    Two two = nullptr;
    Three three = nullptr;
};
void put(Form &form, One f) { form.one = f; }
void put(Form &form, Two f) { form.two = f; }
void put(Form &form, Three f) { form.three = f; }

using Forms = std::array<Form, RT_OP_COUNT>;
Forms makeForms()
{
    Forms forms;
#define PUT(op) put(forms[RT_##op], value##op);
#undef VALUE_Real
#undef VALUE_Double
#undef VALUE_Numbers
#undef VALUE_All
#define VALUE_Real(op, ...) PUT(op)
#define VALUE_Double(op, ...) PUT(op)
#define VALUE_Numbers(op, ...) PUT(op)
#define VALUE_All(op, ...) PUT(op)
#define TEXT(op, arity, kinds, ...) VALUE_##kinds(op)
#define EXPENSIVE(op, arity, kinds, ...) VALUE_##kinds(op)
#include "engine/rt/functions/all.def"
    return forms;
}

std::optional<Precise> called(RtOp op, std::span<const Precise> in)
{
    static const Forms forms = makeForms();
    const Form &form = forms[op];
    try {
        if (in.size() == 1 && form.one) return form.one(in[0]);
        if (in.size() == 2 && form.two) return form.two(in[0], in[1]);
        if (in.size() == 3 && form.three) return form.three(in[0], in[1], in[2]);
    } catch (const OnlyDouble &) {
    }
    return std::nullopt;
}

// Of whole numbers the engine's own value is exact.
std::optional<Precise> counted(const ScalarOp &function, std::span<const Precise> arguments)
{
    std::vector<double> values;
    for (const Precise &argument : arguments) values.push_back(argument.toDouble());
    return Precise(function.evaluate(values));
}

} // namespace

std::optional<Precise> preciseValue(const ScalarOp &function, std::span<const Precise> arguments, DType result)
{
    const ScalarCode code = function.code();
    if (isComplex(result) || function.body()) return std::nullopt;
    switch (code) {
    case ScalarCode::Second: return arguments[1];
    case ScalarCode::Switch: return arguments[0].isZero() ? arguments[2] : arguments[1];
    case ScalarCode::Cast:
        if (result == DType::Bool) return Precise(arguments[0].isZero() ? 0 : 1);
        return isDiscrete(result) && arguments[0].isFinite() ? th_trunc(arguments[0]) : arguments[0];
    case ScalarCode::IntDiv:
    case ScalarCode::Mod:
        if (isDiscrete(result) && arguments[1].isZero()) return Precise(0);
        break;
    case ScalarCode::Sgn:
        if (arguments[0].isZero() || arguments[0].isNan()) return arguments[0];
        break;
    default: break;
    }
    const std::optional<RtOp> op = primitiveOf(code);
    if (!op) return std::nullopt;
    if (function.arity() >= 0 || arguments.size() < 2) {
        if (auto value = arguments.size() < 2 && function.arity() < 0 ? std::optional(arguments[0]) : called(*op, arguments)) return value;
        return isDiscrete(result) ? counted(function, arguments) : std::nullopt;
    }
    Precise value = arguments[0];
    for (const Precise &next : arguments.subspan(1)) {
        const Precise pair[] = {value, next};
        const auto both = called(*op, pair);
        if (!both) return isDiscrete(result) ? counted(function, arguments) : std::nullopt;
        value = *both;
    }
    return value;
}

} // namespace engine
