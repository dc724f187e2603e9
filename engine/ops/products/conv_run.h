// How convolutions are computed. All arrays are dense, kernels are applied forwards (a correlation).
#pragma once

#include "engine/ops/products/conv.h"

namespace engine {

/// What a pass reads and writes; `out` is overwritten.
template <class T>
struct ConvArrays {
    const T *image = nullptr;   ///< images × channels × in; written by ConvPass::Inputs
    const T *kernels = nullptr; ///< filters × channels/groups × kernel; written by ConvPass::Weights
    const T *out = nullptr;     ///< images × filters × out; written by ConvPass::Forward
    T *result = nullptr;
};

/// oneDNN's layouts have channels in blocks of so many.
inline constexpr std::int64_t kConvBlock = 16;
/// Which part of those blocks is used.
inline double fullness(std::int64_t channels)
{
    const std::int64_t whole = (channels + kConvBlock - 1) / kConvBlock * kConvBlock;
    return static_cast<double>(channels) / static_cast<double>(whole);
}

template <class T>
void convolveByProducts(ConvPass pass, const ConvSizes &sizes, const ConvArrays<T> &arrays);
/// By oneDNN; false where that is not there, or does not pay.
bool convolveByLibrary(ConvPass pass, const ConvSizes &sizes, const ConvArrays<float> &arrays);
/// Forward, or Inputs, with steps of 1.
template <class T>
void convolveDirectly(ConvPass pass, const ConvSizes &sizes, const ConvArrays<T> &arrays);

} // namespace engine
