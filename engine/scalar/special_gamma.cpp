// The incomplete gamma functions, P and Q = 1 - P, each computed where the other would cancel.
#include "engine/scalar/special.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace engine::special {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kManyTerms = 1e7; ///< from here on series near x = a take too long and the uniform expansion is exact

// exp(-x + a log x - lgamma(a)), the factor that the series and the continued fraction share.
double factor(double a, double x) { return std::exp(a * std::log(x) - x - std::lgamma(a)); }

double lowerSeries(double a, double x)
{
    double term = 1 / a;
    double total = term;
    for (int n = 1; n < 100000; ++n) {
        term *= x / (a + n);
        total += term;
        if (std::fabs(term) < std::fabs(total) * kEpsilon) break;
    }
    return total * factor(a, x);
}

// Lentz's evaluation of the continued fraction of Q(a, x).
double upperFraction(double a, double x)
{
    constexpr double tiny = 1e-300;
    double b = x + 1 - a;
    double c = 1 / tiny;
    double d = 1 / (b == 0 ? tiny : b);
    double result = d;
    for (int n = 1; n < 100000; ++n) {
        const double coefficient = -n * (n - a);
        b += 2;
        d = coefficient * d + b;
        if (std::fabs(d) < tiny) d = tiny;
        c = b + coefficient / c;
        if (std::fabs(c) < tiny) c = tiny;
        d = 1 / d;
        const double change = d * c;
        result *= change;
        if (std::fabs(change - 1) < kEpsilon) break;
    }
    return result * factor(a, x);
}

// log Γ(1 + a), also where 1 + a would lose a.
double logGamma1p(double a)
{
    if (a > 0.01) return std::lgamma(1 + a);
    constexpr double zeta[] = {1.6449340668482264, 1.2020569031595943, 1.0823232337111382, 1.0369277551433699, 1.0173430619844491};
    double sum = -std::numbers::egamma * a, power = -a;
    for (int k = 2; k < 7; ++k) sum += zeta[k - 2] * (power *= -a) / k;
    return sum;
}

// Q for a < 1 and x < 2, where P is nearly 1: 1 - x^a/Γ(1+a) · (1 + a Σ (-x)^k / (k! (a + k))).
double upperSmall(double a, double x)
{
    const double exponent = a * std::log(x) - logGamma1p(a);
    double term = 1, total = 0;
    for (int k = 1; k < 60; ++k) {
        term *= -x / k;
        total += term / (a + k);
        if (std::fabs(term) < std::fabs(total) * kEpsilon) break;
    }
    return -std::expm1(exponent) - std::exp(exponent) * a * total;
}

// Temme's uniform expansion for large a: Q = erfc(η √(a/2)) / 2 + R, P = erfc(-η √(a/2)) / 2 - R.
double uniform(double a, double x, bool upper)
{
    const double m = (x - a) / a;
    double half = m - std::log1p(m); // η² / 2
    if (std::fabs(m) < 0.01) {
        half = 0;
        double power = m;
        for (int k = 2; k < 10; ++k) half += (k % 2 == 0 ? 1 : -1) * (power *= m) / k;
    }
    const double eta = std::copysign(std::sqrt(2 * half), m);
    const double correction = std::fabs(eta) < 1e-3 ? -1.0 / 3 + eta / 12 - eta * eta * 2 / 135 : 1 / m - 1 / eta;
    const double rest = std::exp(-a * half) / std::sqrt(2 * std::numbers::pi * a) * correction;
    const double spread = eta * std::sqrt(a / 2);
    return upper ? std::erfc(spread) / 2 + rest : std::erfc(-spread) / 2 - rest;
}

} // namespace

double gammaLowerRegularized(double a, double x)
{
    if (std::isnan(a) || std::isnan(x) || a < 0 || x < 0 || (a == 0 && x == 0) || (std::isinf(a) && std::isinf(x))) return kNaN;
    if (x == 0 || std::isinf(a)) return 0;
    if (std::isinf(x) || a == 0) return 1;
    if (a > kManyTerms) return uniform(a, x, false);
    return x < a + 1 ? lowerSeries(a, x) : 1 - upperFraction(a, x);
}

double gammaUpperRegularized(double a, double x)
{
    if (std::isnan(a) || std::isnan(x) || a < 0 || x < 0 || (a == 0 && x == 0) || (std::isinf(a) && std::isinf(x))) return kNaN;
    if (x == 0 || std::isinf(a)) return 1;
    if (std::isinf(x) || a == 0) return 0;
    if (a > kManyTerms) return uniform(a, x, true);
    if (x >= a + 1) return upperFraction(a, x);
    return a < 1 ? upperSmall(a, x) : 1 - lowerSeries(a, x);
}

double chi2sf(double x, double degrees) { return gammaUpperRegularized(degrees / 2, x / 2); }

} // namespace engine::special
