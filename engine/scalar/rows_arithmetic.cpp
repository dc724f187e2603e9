#include "engine/scalar/special.h"
#include "engine/scalar/table.h"

#include <cmath>

namespace engine {
namespace {

using namespace terms;
using R = TypeRule;
using S = ScalarCode;
using A = const double *;
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

double folded(A a, std::size_t n, double (*f)(double, double))
{
    double result = a[0];
    for (std::size_t i = 1; i < n; ++i) result = f(result, a[i]);
    return result;
}

constexpr const char *kFloorDivide = "($1 == 0 ? 0 : $1 == -1 ? 0 - $0 : $0 / $1 - (($0 % $1 != 0) & (($0 < 0) != ($1 < 0))))";
constexpr const char *kModulo = "($1 == 0 || $1 == -1 ? 0 : $0 % $1 + (($0 % $1 != 0) & (($0 < 0) != ($1 < 0))) * $1)";

const ScalarRow kRows[] = {
    {S::Add, "add", "add", "Add", "+", "+", -1, R::Upcast, 1, "($0 + $1)", nullptr,
     [](A a, std::size_t n) { return folded(a, n, [](double x, double y) { return x + y; }); }, everyOne},
    {S::Mul, "mul", "mul", "Mul", "×", "*", -1, R::Upcast, 1, "($0 * $1)", nullptr,
     [](A a, std::size_t n) { return folded(a, n, [](double x, double y) { return x * y; }); }, productRule},
    {S::Sub, "sub", "sub", "Sub", "−", "-", 2, R::UpcastNoBool, 1, "($0 - $1)", nullptr, [](A a, std::size_t) { return a[0] - a[1]; },
     [](const Chain &c) -> Terms {
         return {c.g, -c.g};
     }},
    {S::TrueDiv, "true_div", "true_div", "TrueDiv", "÷", "/", 2, R::TrueDiv, 4, "($0 / $1)", nullptr,
     [](A a, std::size_t) { return a[0] / a[1]; },
     [](const Chain &c) -> Terms {
         const Term x = real(c, 0), y = real(c, 1), g = c.g;
         return {g / y, -(g * x) / (y * y)};
     }},
    {S::IntDiv, "int_div", "int_div", "IntDiv", "//", "//", 2, R::UpcastNoComplex, 6, "th_floordiv@($0, $1)", kFloorDivide,
     [](A a, std::size_t) { return special::floorDivide(a[0], a[1]); }, nullptr},
    {S::Mod, "mod", "mod", "Mod", "%", "%", 2, R::UpcastNoComplex, 6, "th_mod@($0, $1)", kModulo,
     [](A a, std::size_t) { return special::modulo(a[0], a[1]); },
     [](const Chain &c) -> Terms {
         return {c.g, -call(S::IntDiv, c.in[0], c.in[1]) * c.g};
     }},
    {S::Pow, "pow", "pow", "Pow", "xʸ", "**", 2, R::UpcastMin8, 12, "th_pow@($0, $1)", nullptr,
     [](A a, std::size_t) { return std::pow(a[0], a[1]); }, powRule},
    {S::Neg, "neg", "neg", "Neg", "−x", "-", 1, R::UpcastNoBool, 1, "(-$0)", "(0 - $0)", [](A a, std::size_t) { return -a[0]; },
     [](const Chain &c) -> Terms { return {-c.g}; }},
    {S::Abs, "Abs", "abs_", "Abs", "|x|", "", 1, R::RealPart, 1, "th_fabs@($0)", "($0 < 0 ? 0 - $0 : $0)",
     [](A a, std::size_t) { return std::fabs(a[0]); },
     [](const Chain &c) -> Terms {
         if (isComplex(c.in[0].dtype())) return {c.g * c.in[0] / c.out};
         return {c.g * call(S::Sgn, c.in[0])};
     }},
    {S::Sgn, "sgn", "sgn", "Sgn", "sgn", "", 1, R::UpcastNoComplex, 1, "($0 > 0 ? 1 : $0 < 0 ? -1 : $0 + 0)", "(($0 > 0) - ($0 < 0))",
     [](A a, std::size_t) { return a[0] > 0   ? 1.0
                                   : a[0] < 0 ? -1.0
                                              : a[0] + 0.0; }, nullptr},
    {S::Inv, "inv", "inv", "Inv", "1/x", "", 1, R::FloatUpgrade, 4, "(1 / $0)", nullptr, [](A a, std::size_t) { return 1 / a[0]; },
     [](const Chain &c) -> Terms {
         const Term x = real(c, 0);
         return {-c.g / (x * x)};
     }},
    {S::Sqr, "sqr", "sqr", "Sqr", "x²", "", 1, R::Upcast, 1, "($0 * $0)", nullptr, [](A a, std::size_t) { return a[0] * a[0]; },
     [](const Chain &c) -> Terms { return {c.g * c.in[0] * 2}; }},
    {S::Sqrt, "sqrt", "sqrt", "Sqrt", "√", "", 1, R::FloatUpgrade, 4, "th_sqrt@($0)", nullptr,
     [](A a, std::size_t) { return std::sqrt(a[0]); }, [](const Chain &c) -> Terms { return {c.g * 0.5 / c.out}; }},
    {S::Maximum, "maximum", "maximum", "Maximum", "max", "", 2, R::UpcastNoComplex, 1, "($0 > $1 ? $0 : $0 != $0 ? $0 : $1)",
     "($0 > $1 ? $0 : $1)", [](A a, std::size_t) { return a[0] > a[1] || a[0] != a[0] ? a[0] : a[1]; }, pickRule},
    {S::Minimum, "minimum", "minimum", "Minimum", "min", "", 2, R::UpcastNoComplex, 1, "($0 < $1 ? $0 : $0 != $0 ? $0 : $1)",
     "($0 < $1 ? $0 : $1)", [](A a, std::size_t) { return a[0] < a[1] || a[0] != a[0] ? a[0] : a[1]; }, pickRule},
    {S::Clip, "clip", "clip", "Clip", "clip", "", 3, R::UpcastNoComplex, 2, "($0 < $1 ? $1 : $0 > $2 ? $2 : $0)", nullptr,
     [](A a, std::size_t) { return a[0] < a[1]   ? a[1]
                                   : a[0] > a[2] ? a[2]
                                                 : a[0]; }, clipRule},
    {S::Second, "second", "second", "Second", "fill", "", 2, R::Second, 0.5, "$1", nullptr, [](A a, std::size_t) { return a[1]; },
     [](const Chain &c) -> Terms {
         return {Term(), c.g};
     }},
    {S::Identity, "identity", "tensor_copy", "Identity", "copy", "", 1, R::Upcast, 0.5, "$0", nullptr,
     [](A a, std::size_t) { return a[0]; }, everyOne},
    {S::Switch, "Switch", "switch", "Switch", "switch", "", 3, R::Switch, 1, "($0 ? $1 : $2)", nullptr,
     [](A a, std::size_t) { return a[0] != 0 ? a[1] : a[2]; }, switchRule},
};

} // namespace

std::span<const ScalarRow> arithmeticRows() { return kRows; }

} // namespace engine
