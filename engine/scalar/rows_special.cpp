#include "engine/scalar/special.h"
#include "engine/scalar/table.h"

#include <cmath>
#include <numbers>

namespace engine {
namespace {

using namespace terms;
using R = TypeRule;
using S = ScalarCode;
using A = const double *;
using Terms = std::vector<Term>;

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

const ScalarRow kRows[] = {
    {S::Erf, "erf", "erf", "Erf", "erf", "", 1, R::FloatUpgradeReal, 15, "th_erf@($0)", nullptr,
     [](A a, std::size_t) { return std::erf(a[0]); },
     [](const Chain &c) -> Terms { return {c.g * (2 / kRootPi) * expOf(-sqrOf(real(c, 0)))}; }},
    {S::Erfc, "erfc", "erfc", "Erfc", "erfc", "", 1, R::FloatUpgradeReal, 15, "th_erfc@($0)", nullptr,
     [](A a, std::size_t) { return std::erfc(a[0]); },
     [](const Chain &c) -> Terms { return {c.g * (-2 / kRootPi) * expOf(-sqrOf(real(c, 0)))}; }},
    {S::Erfcx, "erfcx", "erfcx", "Erfcx", "erfcx", "", 1, R::FloatUpgradeReal, 25, "th_erfcx@($0)", nullptr,
     [](A a, std::size_t) { return special::erfcx(a[0]); },
     [](const Chain &c) -> Terms { return {c.g * (c.out * real(c, 0) * 2 - number(2 / kRootPi, c.out))}; }},
    {S::Erfinv, "erfinv", "erfinv", "Erfinv", "erfinv", "", 1, R::FloatUpgradeReal, 40, "th_erfinv@($0)", nullptr,
     [](A a, std::size_t) { return special::erfinv(a[0]); },
     [](const Chain &c) -> Terms { return {c.g * (kRootPi / 2) * expOf(sqrOf(c.out))}; }},
    {S::Erfcinv, "erfcinv", "erfcinv", "Erfcinv", "erfcinv", "", 1, R::FloatUpgradeReal, 40, "th_erfcinv@($0)", nullptr,
     [](A a, std::size_t) { return special::erfcinv(a[0]); },
     [](const Chain &c) -> Terms { return {c.g * (-kRootPi / 2) * expOf(sqrOf(c.out))}; }},
    {S::Gamma, "gamma", "gamma", "Gamma", "Γ", "", 1, R::FloatUpgradeReal, 40, "th_tgamma@($0)", nullptr,
     [](A a, std::size_t) { return std::tgamma(a[0]); }, [](const Chain &c) -> Terms { return {c.g * c.out * call(S::Psi, c.in[0])}; }},
    {S::GammaLn, "gammaln", "gammaln", "GammaLn", "log Γ", "", 1, R::FloatUpgradeReal, 40, "th_lgamma@($0)", nullptr,
     [](A a, std::size_t) { return std::lgamma(a[0]); }, [](const Chain &c) -> Terms { return {c.g * call(S::Psi, c.in[0])}; }},
    {S::Psi, "psi", "psi", "Psi", "ψ", "", 1, R::FloatUpgradeReal, 40, "th_psi@($0)", nullptr,
     [](A a, std::size_t) { return special::psi(a[0]); }, [](const Chain &c) -> Terms { return {c.g * call(S::TriGamma, c.in[0])}; }},
    {S::TriGamma, "tri_gamma", "tri_gamma", "TriGamma", "ψ₁", "", 1, R::FloatUpgradeReal, 40, "th_trigamma@($0)", nullptr,
     [](A a, std::size_t) { return special::trigamma(a[0]); }, undefined<1>},
    {S::Chi2sf, "chi2sf", "chi2sf", "Chi2SF", "chi2sf", "", 2, R::Float64Real, 80, "th_chi2sf@($0, $1)", nullptr,
     [](A a, std::size_t) { return special::chi2sf(a[0], a[1]); }, undefined<2>},
    {S::GammaInc, "gammainc", "gammainc", "GammaInc", "P(a,x)", "", 2, R::FloatUpgradeReal, 80, "th_gammainc@($0, $1)", nullptr,
     [](A a, std::size_t) { return special::gammaLowerRegularized(a[0], a[1]); },
     [](const Chain &c) -> Terms {
         return {undefined<1>(c)[0], c.g * gammaIntegrand(c) / call(S::Gamma, c.in[0])};
     }},
    {S::GammaIncc, "gammaincc", "gammaincc", "GammaIncC", "Q(a,x)", "", 2, R::FloatUpgradeReal, 80, "th_gammaincc@($0, $1)", nullptr,
     [](A a, std::size_t) { return special::gammaUpperRegularized(a[0], a[1]); },
     [](const Chain &c) -> Terms {
         return {undefined<1>(c)[0], -c.g * gammaIntegrand(c) / call(S::Gamma, c.in[0])};
     }},
    {S::GammaU, "gammau", "gammau", "GammaU", "Γ(a,x)", "", 2, R::FloatUpgradeReal, 90, "th_gammau@($0, $1)", nullptr,
     [](A a, std::size_t) { return special::gammaUpperRegularized(a[0], a[1]) * std::tgamma(a[0]); },
     [](const Chain &c) -> Terms {
         return {undefined<1>(c)[0], -c.g * gammaIntegrand(c)};
     }},
    {S::GammaL, "gammal", "gammal", "GammaL", "γ(a,x)", "", 2, R::FloatUpgradeReal, 90, "th_gammal@($0, $1)", nullptr,
     [](A a, std::size_t) { return special::gammaLowerRegularized(a[0], a[1]) * std::tgamma(a[0]); },
     [](const Chain &c) -> Terms {
         return {undefined<1>(c)[0], c.g * gammaIntegrand(c)};
     }},
    {S::J0, "j0", "j0", "J0", "J₀", "", 1, R::FloatUpgradeReal, 30, "th_j0@($0)", nullptr, [](A a, std::size_t) { return ::j0(a[0]); },
     [](const Chain &c) -> Terms { return {-c.g * call(S::J1, c.in[0])}; }},
    {S::J1, "j1", "j1", "J1", "J₁", "", 1, R::FloatUpgradeReal, 30, "th_j1@($0)", nullptr, [](A a, std::size_t) { return ::j1(a[0]); },
     [](const Chain &c) -> Terms {
         const Term two = number(2, c.out);
         return {c.g * (call(S::J0, c.in[0]) - call(S::Jv, two, c.in[0])) * 0.5};
     }},
    {S::Jv, "jv", "jv", "Jv", "Jᵥ", "", 2, R::FloatUpgradeReal, 60, "th_jv@($0, $1)", nullptr,
     [](A a, std::size_t) { return special::besselJ(a[0], a[1]); },
     [](const Chain &c) -> Terms {
         return {undefined<1>(c)[0], besselSlope(S::Jv, c, -1)};
     }},
    {S::I0, "i0", "i0", "I0", "I₀", "", 1, R::FloatUpgradeReal, 30, "th_i0@($0)", nullptr,
     [](A a, std::size_t) { return special::besselI(0, a[0]); }, [](const Chain &c) -> Terms { return {c.g * call(S::I1, c.in[0])}; }},
    {S::I1, "i1", "i1", "I1", "I₁", "", 1, R::FloatUpgradeReal, 30, "th_i1@($0)", nullptr,
     [](A a, std::size_t) { return special::besselI(1, a[0]); },
     [](const Chain &c) -> Terms {
         const Term two = number(2, c.out);
         return {c.g * (call(S::I0, c.in[0]) + call(S::Iv, two, c.in[0])) * 0.5};
     }},
    {S::Iv, "iv", "iv", "Iv", "Iᵥ", "", 2, R::FloatUpgradeReal, 60, "th_iv@($0, $1)", nullptr,
     [](A a, std::size_t) { return special::besselI(a[0], a[1]); },
     [](const Chain &c) -> Terms {
         return {undefined<1>(c)[0], besselSlope(S::Iv, c, +1)};
     }},
};

const ScalarRow kComplex[] = {
    {S::Real, "real", "real", "Real", "re", "", 1, R::RealPart, 0.5, nullptr, "$0", [](A a, std::size_t) { return a[0]; },
     [](const Chain &c) -> Terms {
         if (!isComplex(c.in[0].dtype())) return {c.g};
         return {call(S::ComplexFromPair, c.g, number(0, c.g))};
     }},
    {S::Imag, "imag", "imag", "Imag", "im", "", 1, R::RealPart, 0.5, nullptr, "0", [](A, std::size_t) { return 0.0; },
     [](const Chain &c) -> Terms {
         if (!isComplex(c.in[0].dtype())) return {number(0, c.g)};
         return {call(S::ComplexFromPair, number(0, c.g), c.g)};
     }},
    {S::Angle, "angle", "angle", "Angle", "∠", "", 1, R::Angle, 20, nullptr, nullptr,
     [](A a, std::size_t) { return std::atan2(0.0, a[0]); }, undefined<1>},
    {S::Conj, "conj", "conj", "Conj", "x̄", "", 1, R::UpcastMin8, 0.5, nullptr, "$0", [](A a, std::size_t) { return a[0]; },
     [](const Chain &c) -> Terms { return {call(S::Conj, c.g)}; }},
    {S::ComplexFromPair, "complex", "complex", "Complex", "re+i·im", "", 2, R::Complex, 0.5, nullptr, nullptr,
     [](A a, std::size_t) { return a[0]; },
     [](const Chain &c) -> Terms {
         return {call(S::Real, c.g), call(S::Imag, c.g)};
     }},
    {S::ComplexFromPolar, "complex_from_polar", "complex_from_polar", "ComplexFromPolar", "r·e^(iθ)", "", 2, R::Complex, 20, nullptr,
     nullptr, [](A a, std::size_t) { return a[0] * std::cos(a[1]); },
     [](const Chain &c) -> Terms {
         const Term gr = call(S::Real, c.g), gi = call(S::Imag, c.g);
         const Term cosine = call(S::Cos, c.in[1]), sine = call(S::Sin, c.in[1]);
         return {gr * cosine + gi * sine, gi * c.in[0] * cosine - gr * c.in[0] * sine};
     }},
};

} // namespace

std::span<const ScalarRow> specialRows() { return kRows; }
std::span<const ScalarRow> complexRows() { return kComplex; }

} // namespace engine
