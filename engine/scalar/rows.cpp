// The derivatives of scalar functions, and the table of their rows.
#include "engine/scalar/table.h"

#include <cmath>
#include <numbers>

namespace engine {
namespace {

using namespace terms;
using R = TypeRule;
using S = ScalarCode;
using Terms = std::vector<Term>;

Terms everyOne(const Chain &c) { return Terms(c.in.size(), c.g); }

Terms productRule(const Chain &c)
{
    Terms result;
    for (std::size_t i = 0; i < c.in.size(); ++i) {
        Terms factors{c.g};
        for (std::size_t k = 0; k < c.in.size(); ++k)
            if (k != i) factors.push_back(c.in[k]);
        result.push_back(factors.size() == 1 ? c.g : call(scalarOp(S::Mul), factors));
    }
    return result;
}

// Ties give everything to the first argument.
Terms pickRule(const Chain &c)
{
    const Term first = call(S::Eq, c.out, c.in[0]);
    return {first * c.g, (1 - cast(first, c.g.dtype())) * c.g};
}

Terms powRule(const Chain &c)
{
    const Term x = real(c, 0), y = c.in[1], g = c.g;
    const bool isWhole = isDiscrete(c.in[1].dtype());
    const Term one = isWhole ? constant(DType::Int8, 1, c.out) : number(1, c.in[1]);
    const Term towardsExponent = g * call(S::Log, x) * c.out;
    return {g * y * call(S::Pow, x, y - one), call(S::Switch, call(S::Eq, x, number(0, x)), number(0, c.g), towardsExponent)};
}

Terms clipRule(const Chain &c)
{
    const Term x = c.in[0], low = c.in[1], high = c.in[2], g = c.g;
    const Term inside = call(S::And, call(S::Ge, x, low), call(S::Le, x, high));
    return {inside * g, call(S::Lt, x, low) * g, call(S::Gt, x, high) * g};
}

Terms switchRule(const Chain &c)
{
    const Term zero = number(0, c.g);
    const Term condition = call(S::Second, c.in[0], number(0, c.out));
    return {condition, call(S::Switch, c.in[0], c.g, zero), call(S::Switch, c.in[0], zero, c.g)};
}

const double kRootPi = std::sqrt(std::numbers::pi);

Term expOf(const Term &x) { return call(S::Exp, x); }
Term sqrOf(const Term &x) { return call(S::Sqr, x); }

template <int Count>
Terms undefined(const Chain &c)
{
    return Terms(Count, Term::undefined("the derivative of " + c.op.friendlyName() + " is not known"));
}

// d/dx of a Bessel function of the first kind (sign -1) or of the modified one (sign +1).
Term besselSlope(S code, const Chain &c, int sign)
{
    const Term order = real(c, 0), x = c.in[1];
    const Term below = call(code, order - 1, x), above = call(code, order + 1, x);
    return (sign < 0 ? below - above : below + above) * 0.5 * c.g;
}

// x^(a-1) e^-x, the integrand of the incomplete gamma functions.
Term gammaIntegrand(const Chain &c)
{
    const Term a = real(c, 0), x = real(c, 1);
    return call(S::Pow, x, a - 1) * expOf(-x);
}

// x² in the dtype of the result: int8 would overflow.
Term squared(const Chain &c, std::size_t i = 0) { return call(S::Sqr, real(c, i)); }
Term sqrtOf(const Term &x) { return call(S::Sqrt, x); }

Terms arctan2Rule(const Chain &c)
{
    const Term norm = squared(c, 0) + squared(c, 1);
    return {c.g * c.in[1] / norm, -c.g * c.in[0] / norm};
}

Terms ultraFastRule(const Chain &c)
{
    const Term exact = call(S::Sigmoid, c.in[0]);
    return {c.g * exact * (1 - exact)};
}

Terms absRule(const Chain &c)
{
    if (isComplex(c.in[0].dtype())) return {c.g * c.in[0] / c.out};
    return {c.g * call(S::Sgn, c.in[0])};
}

Terms realRule(const Chain &c)
{
    if (!isComplex(c.in[0].dtype())) return {c.g};
    return {call(S::ComplexFromPair, c.g, number(0, c.g))};
}

Terms imagRule(const Chain &c)
{
    if (!isComplex(c.in[0].dtype())) return {number(0, c.g)};
    return {call(S::ComplexFromPair, number(0, c.g), c.g)};
}

Terms polarRule(const Chain &c)
{
    const Term gr = call(S::Real, c.g), gi = call(S::Imag, c.g);
    const Term cosine = call(S::Cos, c.in[1]), sine = call(S::Sin, c.in[1]);
    return {gr * cosine + gi * sine, gi * c.in[0] * cosine - gr * c.in[0] * sine};
}

#define SLOPES(...) [](const Chain &c) { return Terms __VA_ARGS__; }
#define FUNCTION(code, primitive, name, symbol, className, friendly, infix, arity, types, cost, ...)                                       \
    {S::code, name, symbol, className, friendly, infix, arity, R::types, cost, __VA_ARGS__},
const ScalarRow kRows[] = {
#include "engine/rt/functions/all.def"
};

} // namespace

std::span<const ScalarRow> scalarRows() { return kRows; }

} // namespace engine
