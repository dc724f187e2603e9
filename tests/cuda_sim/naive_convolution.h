// A convolution and its gradients as their definitions say, element by element: what faster ways are compared with.
#pragma once

#include <array>
#include <cstdint>

namespace cuda_sim {

/// Two axes count as three, the first of size 1. Arrays are dense.
struct NaiveConvolution {
    bool flip = false;
    std::int64_t images = 0, channels = 0, filters = 0, groups = 1;
    std::array<std::int64_t, 3> in{1, 1, 1}, kernel{1, 1, 1}, out{1, 1, 1}, border{}, stride{1, 1, 1}, dilation{1, 1, 1};

    /// Calls f(element of the image, of the kernels, of what comes out) for each product that the sum has.
    template <class F>
    void eachTerm(F f) const
    {
        const std::int64_t ownChannels = channels / groups, ownFilters = filters / groups;
        std::int64_t o = 0;
        for (std::int64_t n = 0; n < images; ++n)
            for (std::int64_t m = 0; m < filters; ++m)
                for (std::int64_t z = 0; z < out[0]; ++z)
                    for (std::int64_t y = 0; y < out[1]; ++y)
                        for (std::int64_t x = 0; x < out[2]; ++x, ++o)
                            for (std::int64_t c = 0; c < ownChannels; ++c)
                                window(n * channels + m / ownFilters * ownChannels + c, m * ownChannels + c, {z, y, x}, o, f);
    }

private:
    template <class F>
    void window(std::int64_t plane, std::int64_t kernelPlane, const std::array<std::int64_t, 3> &at, std::int64_t o, F f) const
    {
        std::array<std::int64_t, 3> k{};
        for (k[0] = 0; k[0] < kernel[0]; ++k[0])
            for (k[1] = 0; k[1] < kernel[1]; ++k[1])
                for (k[2] = 0; k[2] < kernel[2]; ++k[2]) {
                    std::int64_t pixel = plane, weight = kernelPlane;
                    bool isIn = true;
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                        const std::int64_t place = at[axis] * stride[axis] - border[axis] + k[axis] * dilation[axis];
                        isIn = isIn && place >= 0 && place < in[axis];
                        pixel = pixel * in[axis] + place;
                        weight = weight * kernel[axis] + (flip ? kernel[axis] - 1 - k[axis] : k[axis]);
                    }
                    if (isIn) f(pixel, weight, o);
                }
    }
};

/// `pass`: 0 what comes out, 1 the gradient of the kernels, 2 that of the image. What is written is 0 before.
template <class T>
void convolveNaively(const NaiveConvolution &one, int pass, T *image, T *kernels, T *out)
{
    one.eachTerm([&](std::int64_t pixel, std::int64_t weight, std::int64_t o) {
        if (pass == 0) out[o] += image[pixel] * kernels[weight];
        else if (pass == 1) kernels[weight] += image[pixel] * out[o];
        else image[pixel] += kernels[weight] * out[o];
    });
}

} // namespace cuda_sim
