#include "engine/values/array_facts.h"

#include "engine/tensor/convert.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace engine {
double leastNormal(DType dtype)
{
    switch (realPart(dtype)) {
    case DType::Float16: return 0x1p-14;
    case DType::Float32: return std::numeric_limits<float>::min();
    default: return std::numeric_limits<double>::min();
    }
}

ArrayFacts factsOf(const Tensor &tensor)
{
    ArrayFacts facts;
    facts.count = tensor.size();
    const std::int64_t parts = isComplex(tensor.dtype()) ? 2 : 1;
    const Tensor wide = tensor.converted(parts == 2 ? DType::Complex128 : DType::Float64);
    const double *values = wide.as<double>(), normal = isDiscrete(tensor.dtype()) ? 0 : leastNormal(tensor.dtype());
    double sum = 0;
    facts.least = std::numeric_limits<double>::infinity();
    facts.largest = -facts.least;
    const auto isFinite = [&](std::int64_t i) { return std::isfinite(values[parts * i]) && std::isfinite(values[parts * i + parts - 1]); };
    for (std::int64_t i = 0; i < facts.count; ++i) {
        const double value = values[parts * i], other = values[parts * i + parts - 1];
        if (static_cast<std::size_t>(i) < kFirstElements) facts.first.push_back(value);
        if (std::isnan(value) || std::isnan(other)) ++facts.nans;
        else if (!isFinite(i)) ++facts.infinities;
        else {
            facts.zeros += value == 0 && other == 0;
            facts.denormals += value != 0 && std::fabs(value) < normal;
            facts.least = std::min(facts.least, value);
            facts.largest = std::max(facts.largest, value);
            sum += value;
        }
    }
    if (facts.finite() == 0) {
        facts.least = facts.largest = 0;
        return facts;
    }
    const auto finite = static_cast<double>(facts.finite());
    facts.mean = sum / finite;
    facts.magnitude = std::max(std::fabs(facts.least), std::fabs(facts.largest));
    const double span = facts.largest - facts.least;
    facts.histogram.assign(span > 0 && std::isfinite(span) ? kHistogramParts : 1, 0);
    const auto last = static_cast<double>(facts.histogram.size() - 1);
    double squares = 0;
    for (std::int64_t i = 0; i < facts.count; ++i) {
        if (!isFinite(i)) continue;
        const double value = values[parts * i];
        squares += (value - facts.mean) * (value - facts.mean);
        const double part = last == 0 ? 0 : std::floor((value - facts.least) / span * static_cast<double>(kHistogramParts));
        ++facts.histogram[static_cast<std::size_t>(std::clamp(part, 0.0, last))];
    }
    facts.deviation = std::sqrt(squares / finite);
    return facts;
}

} // namespace engine
