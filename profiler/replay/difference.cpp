#include "profiler/replay/replay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace profiler {
namespace {

using engine::DType;

// Of a number, in a dtype: 0 where there is no last place.
double lastPlace(double number, DType dtype)
{
    const DType real = engine::realPart(dtype);
    const int digits = real == DType::Float16 ? 11 : real == DType::Float32 ? 24 : 53;
    const int least = real == DType::Float16 ? -24 : real == DType::Float32 ? -149 : -1074;
    if (engine::isDiscrete(dtype)) return 1;
    if (number == 0) return std::ldexp(1.0, least);
    return std::ldexp(1.0, std::max(std::ilogb(number) - digits + 1, least));
}

bool areSameBits(const engine::Tensor &a, const engine::Tensor &b) { return a.sameAs(b); }

} // namespace

ValueDifference differenceBetween(const engine::Value &value, const engine::Value &wanted)
{
    ValueDifference result;
    if (!value.isTensor() || !wanted.isTensor()) {
        result.isSame = value.sameAs(wanted);
        return result;
    }
    const engine::Tensor &a = value.tensor(), &b = wanted.tensor();
    if (a.shape() != b.shape()) {
        result.isSameType = false;
        return result;
    }
    result.isSameType = a.dtype() == b.dtype();
    result.isSame = result.isSameType && areSameBits(a, b);
    if (result.isSame) return result;
    const DType coarser = engine::sizeOf(a.dtype()) <= engine::sizeOf(b.dtype()) ? a.dtype() : b.dtype();
    const bool isPair = engine::isComplex(a.dtype()) || engine::isComplex(b.dtype());
    const engine::Tensor left = a.converted(isPair ? DType::Complex128 : DType::Float64);
    const engine::Tensor right = b.converted(isPair ? DType::Complex128 : DType::Float64);
    const std::int64_t count = a.size() * (isPair ? 2 : 1);
    bool areNumbersSame = true;
    for (std::int64_t i = 0; i < count; ++i) {
        const double x = left.as<double>()[i], y = right.as<double>()[i];
        if (x == y || (std::isnan(x) && std::isnan(y))) continue;
        areNumbersSame = false;
        if (!std::isfinite(x) || !std::isfinite(y)) {
            ++(std::isfinite(x) ? result.finiteOnly : result.notFinite);
            continue;
        }
        const double distance = std::fabs(x - y);
        result.absolute = std::max(result.absolute, distance);
        if (y != 0) result.relative = std::max(result.relative, distance / std::fabs(y));
        result.ulp = std::max(result.ulp, distance / lastPlace(y, coarser));
    }
    result.isSame = result.isSameType && areNumbersSame;
    return result;
}

ValueDifference differenceBetween(const engine::Value &value, const engine::PreciseArray &wanted)
{
    ValueDifference result;
    if (!value.isTensor() || value.tensor().shape() != wanted.shape) {
        result.isSameType = false;
        return result;
    }
    const DType dtype = value.tensor().dtype();
    const engine::Tensor values = value.tensor().converted(DType::Float64);
    const auto exact = engine::PreciseArray::of(value.tensor()); // whole numbers may have more digits than float64
    if (!exact) return {.isSameType = false};
    result.isSame = true;
    for (std::size_t i = 0; i < wanted.values.size(); ++i) {
        const double x = values.as<double>()[i];
        const engine::Precise &right = wanted.values[i];
        const bool isFinite = right.isFinite();
        if (!std::isfinite(x) || !isFinite) {
            if (std::isnan(x) ? right.isNan() : !isFinite && engine::Precise(x) == right) continue;
            ++(std::isfinite(x) ? result.finiteOnly : result.notFinite);
            result.isSame = false;
            continue;
        }
        const engine::Precise off = exact->values[i] - right;
        // A bound that says nothing, after hundreds of steps that could have added up, is no reason to call anything right.
        const long double unknown = engine::isSure(right, dtype) ? right.error() : 0;
        const auto distance = static_cast<double>(std::max(0.0L, std::fabs(static_cast<long double>(off.high())) - unknown));
        if (distance == 0) continue;
        result.isSame = false;
        const double y = right.toDouble();
        result.absolute = std::max(result.absolute, distance);
        if (y != 0) result.relative = std::max(result.relative, distance / std::fabs(y));
        result.ulp = std::max(result.ulp, distance / lastPlace(y, dtype));
    }
    return result;
}

std::string textOf(const ValueDifference &difference)
{
    if (difference.isSame) return "the same";
    char text[160];
    if (difference.notFinite > 0)
        return std::to_string(difference.notFinite) + (difference.notFinite == 1 ? " element is" : " elements are") +
               " nan or infinite, and should not be";
    if (difference.finiteOnly > 0)
        return std::to_string(difference.finiteOnly) + (difference.finiteOnly == 1 ? " element is" : " elements are") + " finite that " +
               (difference.finiteOnly == 1 ? "was" : "were") + " not";
    if (!difference.isSameType && difference.absolute == 0 && difference.ulp == 0) return "another shape";
    std::snprintf(text, sizeof text, "%.3g ulp off at most (%.2g absolute)", difference.ulp, difference.absolute);
    return text;
}

} // namespace profiler
