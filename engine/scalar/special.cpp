#include "engine/scalar/special.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace engine::special {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

} // namespace

double modulo(double a, double b)
{
    if (b == 0) return kNaN;
    double result = std::fmod(a, b);
    if (result != 0) {
        if ((b < 0) != (result < 0)) result += b;
    } else {
        result = std::copysign(0.0, b);
    }
    return result;
}

double floorDivide(double a, double b)
{
    if (b == 0) return a / b;
    const double remainder = std::fmod(a, b);
    double quotient = (a - remainder) / b;
    if (remainder != 0 && (b < 0) != (remainder < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(0.0, a / b);
    double whole = std::floor(quotient);
    if (quotient - whole > 0.5) whole += 1;
    return whole;
}

double sigmoid(double x)
{
    const double e = std::exp(-std::fabs(x));
    return (x >= 0 ? 1 : e) / (1 + e);
}

double softplus(double x)
{
    if (std::isnan(x)) return x;
    return std::log1p(std::exp(-std::fabs(x))) + (x > 0 ? x : 0);
}

double ultraFastSigmoid(double x)
{
    const double half = 0.5 * x;
    double z;
    if (half >= 0)
        z = half < 1.7 ? 1.5 * half / (1 + half) : half < 3 ? 0.935409070603099 + 0.0458812946797165 * (half - 1.7) : 0.99505475368673;
    else
        z = -half < 1.7 ? 1.5 * half / (1 - half)
            : -half < 3 ? -(0.935409070603099 + 0.0458812946797165 * (-half - 1.7))
                        : -0.99505475368673;
    return 0.5 * (z + 1);
}

double erfcx(double x)
{
    if (x < 25) return std::exp(x * x) * std::erfc(x);
    // Asymptotic series: beyond 25 six terms reach double precision.
    const double inverse = 1 / (x * x);
    double term = 1, total = 1;
    for (int n = 1; n < 8; ++n) {
        term *= -(2 * n - 1) * inverse / 2;
        total += term;
    }
    return total / (x * std::sqrt(std::numbers::pi));
}

double erfinv(double x)
{
    if (std::isnan(x) || x < -1 || x > 1) return kNaN;
    if (x == 1) return kInf;
    if (x == -1) return -kInf;
    if (x == 0) return x;
    // A rough start (Winitzki's formula), then Halley's iteration on erf or, near the ends, on erfc.
    const double a = 0.147;
    const double l = std::log1p(-x * x);
    const double t = 2 / (std::numbers::pi * a) + l / 2;
    double y = std::copysign(std::sqrt(std::sqrt(t * t - l / a) - t), x);
    for (int i = 0; i < 4; ++i) {
        const double error = std::fabs(x) < 0.5 ? std::erf(y) - x : x > 0 ? (1 - x) - std::erfc(y) : std::erfc(-y) - (1 + x);
        const double slope = 2 / std::sqrt(std::numbers::pi) * std::exp(-y * y);
        const double step = error / slope;
        y -= step / (1 + y * step);
    }
    return y;
}

double erfcinv(double x)
{
    if (std::isnan(x) || x < 0 || x > 2) return kNaN;
    if (x == 0) return kInf;
    if (x == 2) return -kInf;
    if (x >= 0.1 && x <= 1.9) return erfinv(1 - x);
    if (x > 1) return -erfcinv(2 - x);
    double y = std::sqrt(-std::log(x));
    for (int i = 0; i < 8; ++i) {
        const double step = (std::erfc(y) - x) / (-2 / std::sqrt(std::numbers::pi) * std::exp(-y * y));
        y -= step / (1 + y * step);
    }
    return y;
}

double psi(double x)
{
    if (x <= 0 && x == std::floor(x)) return x == 0 ? -std::copysign(kInf, x) : kNaN;
    double result = 0;
    if (x < 0) {
        result = -std::numbers::pi / std::tan(std::numbers::pi * x);
        x = 1 - x;
    }
    for (; x < 10; x += 1) result -= 1 / x;
    const double s = 1 / (x * x);
    const double tail = s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s * (1.0 / 132 - s * 691.0 / 32760)))));
    return result + std::log(x) - 0.5 / x - tail;
}

double trigamma(double x)
{
    if (x <= 0 && x == std::floor(x)) return kInf;
    if (x < 0) {
        const double s = std::numbers::pi / std::sin(std::numbers::pi * x);
        return s * s - trigamma(1 - x);
    }
    double result = 0;
    for (; x < 10; x += 1) result += 1 / (x * x);
    const double s = 1 / (x * x);
    return result + 1 / x + s / 2 + s / x * (1.0 / 6 - s * (1.0 / 30 - s * (1.0 / 42 - s * (1.0 / 30 - s * 5.0 / 66))));
}

double roundHalfToEven(double x) { return std::nearbyint(x); }
double xlogx(double x) { return x == 0 ? 0 : x * std::log(x); }
double xlogy0(double x, double y) { return x == 0 ? 0 : x * std::log(y); }

} // namespace engine::special
