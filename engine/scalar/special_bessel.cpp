// Bessel functions of the first kind, J and I, for every real order and argument. The library's versions throw where they
// do not converge; an elementwise function gives a number.
#include "engine/scalar/special.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace engine::special {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class Function>
double orNaN(Function function)
{
    try {
        return function();
    } catch (const std::domain_error &) {
        return kNaN;
    } catch (const std::runtime_error &) { // no convergence
        return kNaN;
    }
}

// (x/2)^v / Γ(v+1) · Σ (x²/4)^k / (k! (v+1)(v+2)…): every term is positive.
double seriesI(double v, double x)
{
    const double q = x * x / 4;
    double term = 1, total = 1;
    for (int k = 1; k < 10000; ++k) {
        term *= q / (k * (v + k));
        total += term;
        if (term < total * 1e-17) break;
    }
    return v == 0 ? total : std::exp(v * (std::log(x) - std::numbers::ln2) - std::lgamma(v + 1)) * total;
}

// Debye's expansion, uniform in x: exp(η) / √(2π h) · Σ u_k(v/h) / v^k with h = √(v² + x²). Its logarithm tells overflow too.
struct Debye {
    double exponent, tail;
};
Debye debyeI(double v, double x)
{
    const double h = std::hypot(v, x);
    const double eta = h + v * std::log(x / (v + h));
    const double t = v / h, t2 = t * t;
    const double u1 = t * (3 - 5 * t2) / 24;
    const double u2 = t2 * (81 + t2 * (-462 + t2 * 385)) / 1152;
    const double u3 = t2 * t * (30375 + t2 * (-369603 + t2 * (765765 - t2 * 425425))) / 414720;
    return {eta - 0.5 * std::log(2 * std::numbers::pi * h), 1 + (u1 + (u2 + u3 / v) / v) / v};
}

// I of order v >= 0 for x >= 0.
double positiveI(double v, double x)
{
    if (std::isinf(x)) return std::isinf(v) ? kNaN : kInf;
    if (x == 0 || std::isinf(v)) return v == 0 ? 1 : 0;
    const Debye debye = debyeI(v, x);
    if (debye.exponent > 710) return kInf;
    if (debye.exponent < -750) return 0;
    if (v >= 500) return std::exp(debye.exponent) * debye.tail;
    if (x < 30 || v >= 50) return seriesI(v, x);
    return orNaN([&] { return std::cyl_bessel_i(v, x); });
}

} // namespace

double besselJ(double order, double x)
{
    if (std::isnan(x) || std::isnan(order)) return kNaN;
    const bool whole = order == std::floor(order) && !std::isinf(order);
    if (x < 0 && !whole) return kNaN;
    if (std::isinf(order)) return order > 0 && !std::isinf(x) ? 0 : kNaN;
    if (std::isinf(x)) return 0;
    if (whole && std::fabs(order) < 1e6) return ::jn(static_cast<int>(order), x);
    if (x < 0) return std::fmod(order, 2) != 0 ? -besselJ(order, -x) : besselJ(order, -x);
    if (order >= 0) return orNaN([&] { return std::cyl_bessel_j(order, x); });
    // Reflection for negative real orders.
    const double angle = order * std::numbers::pi;
    return orNaN([&] { return std::cos(angle) * std::cyl_bessel_j(-order, x) + std::sin(angle) * std::cyl_neumann(-order, x); });
}

double besselI(double order, double x)
{
    if (std::isnan(x) || std::isnan(order)) return kNaN;
    const bool whole = order == std::floor(order);
    if (whole) order = std::fabs(order);
    if (x < 0) {
        if (!whole) return kNaN;
        const double value = positiveI(order, -x);
        return std::fmod(order, 2) != 0 ? -value : value;
    }
    const double value = positiveI(std::fabs(order), x);
    if (order >= 0 || x > 700) return value; // the reflected part has vanished
    return value + 2 / std::numbers::pi * std::sin(-order * std::numbers::pi) * orNaN([&] { return std::cyl_bessel_k(-order, x); });
}

} // namespace engine::special
