#pragma once
// What an op is for, as the card of its class says (engine/graph/op/op_card.h): what is asked instead of the names of classes.

#include <cstdint>
#include <string_view>

namespace profiler {

// Unknown: the file is older than roles.
enum class OpRole : std::uint8_t {
    Unknown,
    Other,
    Elementwise,
    Product,
    Sparse,
    Reduction,
    Cumulative,
    Loop,
    Choice,
    Nested,
    Transfer,
    View,
    Shape,
    Creation,
    Index,
    Write,
    Join,
    Sort,
    Random,
    Softmax,
    Convolution,
    Pooling,
    LinearAlgebra,
    Fourier,
    Gradient,
    Check,
    Script
};

// For files that are older: by the class, "theano.tensor.blas.Gemm" or its last word. Other for one of which nothing is known.
[[nodiscard]] OpRole roleOfClass(std::string_view opClass);

} // namespace profiler
