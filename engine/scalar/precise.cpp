#include "engine/scalar/precise.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace engine {
namespace {

struct Pair {
    Quad high, low;
};

bool isFiniteQuad(Quad x) { return x - x == 0; }

// The sum, and what its rounding lost.
Pair sumOf(Quad a, Quad b)
{
    const Quad sum = a + b;
    if (!isFiniteQuad(sum)) return {sum, 0};
    const Quad back = sum - a;
    return {sum, (a - (sum - back)) + (b - back)};
}

Pair productOf(Quad a, Quad b)
{
    const Quad product = a * b;
    if (!isFiniteQuad(product)) return {product, 0};
    return {product, ::fmaf128(a, b, -product)};
}

} // namespace

Precise Precise::of(Quad high, Quad low, long double error)
{
    Precise result;
    result.m_high = high;
    result.m_low = isFiniteQuad(high) ? low : 0;
    result.m_error = isFiniteQuad(high) ? error : 0;
    return result;
}

bool Precise::isFinite() const { return isFiniteQuad(m_high); }

Precise operator+(const Precise &x, const Precise &y)
{
    const Pair sum = sumOf(x.m_high, y.m_high);
    if (!isFiniteQuad(sum.high)) return Precise::of(sum.high, 0, 0);
    const Pair rest = sumOf(x.m_low, y.m_low);
    // What is left of the larger ones may be far from what is left of the smaller ones: all three are summed with care.
    const Pair middle = sumOf(sum.low, rest.high);
    const Pair high = sumOf(sum.high, middle.high);
    const Pair low = sumOf(high.low, middle.low);
    const Pair total = sumOf(high.high, low.high);
    const long double lost = size(rest.low) + size(low.low) + size(total.low) * kQuadRounding;
    return Precise::of(total.high, total.low, x.m_error + y.m_error + lost);
}

Precise operator*(const Precise &x, const Precise &y)
{
    const Pair product = productOf(x.m_high, y.m_high);
    if (!isFiniteQuad(product.high)) return Precise::of(product.high, 0, 0);
    const Quad a = x.m_high * y.m_low, b = x.m_low * y.m_high;
    const Pair total = sumOf(product.high, product.low + (a + b));
    const long double lost = (size(product.low) + size(a) + size(b)) * kQuadRounding + size(x.m_low * y.m_low);
    return Precise::of(total.high, total.low, lost + size(x.m_high) * y.m_error + size(y.m_high) * x.m_error + x.m_error * y.m_error);
}

Precise operator/(const Precise &x, const Precise &y)
{
    const Quad first = x.m_high / y.m_high;
    if (!isFiniteQuad(first) || !isFiniteQuad(y.m_high)) return Precise::of(first, 0, 0);
    const Precise divisor = Precise::of(y.m_high, y.m_low, 0);
    const Precise rest = Precise::of(x.m_high, x.m_low, 0) - divisor * Precise::of(first, 0, 0);
    const Quad second = rest.m_high / y.m_high;
    const Pair total = sumOf(first, second);
    const long double by = size(y.m_high);
    const long double errors = (x.m_error + size(first) * y.m_error) / by;
    const bool isOpen = y.m_error >= by; // it may divide by nothing
    return Precise::of(total.high, total.low,
                       isOpen ? std::numeric_limits<long double>::infinity()
                              : errors + size(second) * 4 * kQuadRounding + rest.m_error / by);
}

double digitsOf(DType dtype)
{
    switch (realPart(dtype)) {
    case DType::Float16: return 11 * 0.30102999566398120;
    case DType::Float32: return 24 * 0.30102999566398120;
    case DType::Float64: return 53 * 0.30102999566398120;
    default: return 0;
    }
}

std::string textOf(const Precise &value, int digits)
{
    if (value.isNan()) return "nan";
    char format[16], text[64];
    std::snprintf(format, sizeof format, "%%.%dg", digits);
    ::strfromf128(text, sizeof text, format, value.high());
    return text;
}

bool isSure(const Precise &reference, DType dtype)
{
    if (!reference.isFinite()) return true;
    if (reference.error() == 0) return true;
    return reference.error() <= size(reference.high()) * std::pow(10.0L, -static_cast<long double>(digitsOf(dtype)));
}

double digitsLost(double value, const Precise &reference, DType dtype)
{
    const double all = digitsOf(dtype);
    if (std::isnan(value) || reference.isNan()) return std::isnan(value) == reference.isNan() ? 0 : all;
    if (!reference.isFinite()) return Precise(value) == reference ? 0 : all;
    if (std::isinf(value)) return all;
    const Precise difference = Precise(value) - Precise::of(reference.high(), reference.low(), 0);
    const long double off = std::max(0.0L, size(difference.high()) - reference.error());
    if (off == 0) return 0;
    const long double of = size(reference.high());
    if (of == 0) return all;
    const long double lost = std::log10(off / of) + all;
    return static_cast<double>(std::clamp(lost, 0.0L, static_cast<long double>(all)));
}

} // namespace engine
