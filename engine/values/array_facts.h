// What can be said of the numbers in one array.
#pragma once

#include "engine/tensor/tensor.h"

#include <cstdint>
#include <vector>

namespace engine {

struct ArrayFacts {
    std::int64_t count = 0, zeros = 0, nans = 0, infinities = 0, denormals = 0;
    double least = 0, largest = 0, mean = 0, deviation = 0; ///< of the finite ones; all 0 where there is none
    double magnitude = 0;                                   ///< the largest finite |x|
    std::vector<std::int64_t> histogram; ///< of the finite ones, in equal parts from least to largest; one part where they are equal
    std::vector<double> first;           ///< the first elements, in C order
    std::int64_t finite() const { return count - nans - infinities; }
};

inline constexpr std::size_t kHistogramParts = 24, kFirstElements = 12;

/// The smallest number of a dtype that is not denormal.
double leastNormal(DType dtype);
/// Of complex numbers both parts are looked at for nan and inf, and the real part for the rest.
ArrayFacts factsOf(const Tensor &tensor);

} // namespace engine
