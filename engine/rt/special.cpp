// Functions that are rare enough to run one element at a time, in double: one build for every level.
#include "engine/rt/rt.h"

#include <cmath>
#include <limits>

extern "C" void rt_fill_special(RtTable *table);

namespace {

constexpr double kPi = 3.14159265358979323846;

double erfcx(double x)
{
    if (x < 25) return std::exp(x * x) * std::erfc(x);
    // Continued fraction; two terms are exact enough out here.
    const double t = 1.0 / (x * x);
    return (1.0 - 0.5 * t * (1.0 - 1.5 * t * (1.0 - 2.5 * t))) / (x * std::sqrt(kPi));
}

double erfcinv(double y)
{
    if (!(y >= 0 && y <= 2)) return std::numeric_limits<double>::quiet_NaN();
    if (y == 0) return std::numeric_limits<double>::infinity();
    if (y == 2) return -std::numeric_limits<double>::infinity();
    const double small = y < 1 ? y : 2 - y;
    // Rational start of Abramowitz and Stegun 26.2.23, then Halley's steps.
    const double t = std::sqrt(-2 * std::log(small / 2));
    double x = -0.70711 * ((2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)) - t);
    for (int step = 0; step < 3; ++step) {
        const double error = std::erfc(x) - small;
        x += error / (1.12837916709551257 * std::exp(-x * x) - x * error);
    }
    return y < 1 ? x : -x;
}

double erfinv(double y)
{
    if (!(y >= -1 && y <= 1)) return std::numeric_limits<double>::quiet_NaN();
    if (std::fabs(y) > 0.5) return y > 0 ? erfcinv(1 - y) : -erfcinv(1 + y);
    double x = y * 0.88622692545275801365;
    for (int step = 0; step < 4; ++step) {
        const double error = std::erf(x) - y;
        x -= error / (1.12837916709551257 * std::exp(-x * x) + x * error);
    }
    return x;
}

double psi(double x)
{
    if (x <= 0 && std::floor(x) == x) return std::numeric_limits<double>::quiet_NaN();
    if (x < 0) return psi(1 - x) - kPi / std::tan(kPi * x);
    double result = 0;
    for (; x < 10; x += 1) result -= 1 / x;
    const double t = 1 / (x * x);
    return result + std::log(x) - 0.5 / x -
           t * (1.0 / 12 - t * (1.0 / 120 - t * (1.0 / 252 - t * (1.0 / 240 - t * (1.0 / 132 - t * (691.0 / 32760 - t / 12))))));
}

double trigamma(double x)
{
    if (x <= 0 && std::floor(x) == x) return std::numeric_limits<double>::infinity();
    if (x < 0) {
        const double s = std::sin(kPi * x);
        return -trigamma(1 - x) + kPi * kPi / (s * s);
    }
    double result = 0;
    for (; x < 10; x += 1) result += 1 / (x * x);
    const double t = 1 / (x * x);
    return result + 1 / x + t / 2 +
           t / x * (1.0 / 6 - t * (1.0 / 30 - t * (1.0 / 42 - t * (1.0 / 30 - t * (5.0 / 66 - t * (691.0 / 2730 - t * 7.0 / 6))))));
}

double logGamma(double x)
{
    int sign = 0;
    return lgamma_r(x, &sign);
}
double gammaOf(double x) { return std::tgamma(x); }
double bessel0(double x) { return ::j0(x); }
double bessel1(double x) { return ::j1(x); }

template <class T, double (*F)(double)>
void unary(void *out, const void *const *in, long n)
{
    T *o = static_cast<T *>(out);
    const T *a = static_cast<const T *>(in[0]);
    for (long i = 0; i < n; ++i) o[i] = static_cast<T>(F(static_cast<double>(a[i])));
}
template <class T>
void fill(RtTable *t, RtKind k)
{
    t->loops[RT_ERFCX][k] = unary<T, erfcx>;
    t->loops[RT_ERFINV][k] = unary<T, erfinv>;
    t->loops[RT_ERFCINV][k] = unary<T, erfcinv>;
    t->loops[RT_GAMMA][k] = unary<T, gammaOf>;
    t->loops[RT_GAMMALN][k] = unary<T, logGamma>;
    t->loops[RT_PSI][k] = unary<T, psi>;
    t->loops[RT_TRIGAMMA][k] = unary<T, trigamma>;
    t->loops[RT_J0][k] = unary<T, bessel0>;
    t->loops[RT_J1][k] = unary<T, bessel1>;
}

} // namespace

extern "C" void rt_fill_special(RtTable *table)
{
    fill<float>(table, RT_F32);
    fill<double>(table, RT_F64);
}
