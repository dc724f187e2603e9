// oneDNN's convolutions, where that library is installed: with many channels they leave products of copied windows behind.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

namespace engine {

/// Of float32 arrays in the usual order (images, channels, axes), kernels applied forwards, one group. Two axes count as three, the first
/// of size 1.
struct OneDnnConvolution {
    enum class Pass : std::uint8_t { Forward, Kernels, Image };
    using Sizes = std::array<std::int64_t, 3>;

    Pass pass = Pass::Forward;
    std::int64_t images = 0, channels = 0, filters = 0;
    Sizes in{}, kernel{}, out{}, before{}, after{}, stride{}, dilation{};

    /// result = the pass of `first` and `second`: image and kernels, image and gradient, or kernels and gradient; on this thread alone.
    /// False: the library is not there, or cannot do it.
    bool run(const float *first, const float *second, float *result) const;

    auto operator<=>(const OneDnnConvolution &) const = default;
};

} // namespace engine
