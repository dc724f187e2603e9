// Convolutions with steps of 1 by own loops. The gradient of the image is one too: of what came out, with the kernels turned round.
#include "engine/ops/products/conv_run.h"
#include "engine/rt/rt.h"
#include "engine/runtime/plan/threads.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::int64_t kMostFilters = 6; ///< that one call of the loops takes

/// One group of one image: channels × size with zeros around it (fewer than none: pixels are cut off), to filters × out.
template <class T>
class Correlation {
public:
    using Sizes = std::array<std::int64_t, 3>;

    Correlation(std::int64_t channels, std::int64_t filters, Sizes size, Sizes before, Sizes out, Sizes kernel, Sizes dilation)
        : m_channels(channels), m_filters(filters), m_size(size), m_before(before), m_out(out)
    {
        for (std::size_t axis = 0; axis < 3; ++axis) m_padded[axis] = out[axis] + (kernel[axis] - 1) * dilation[axis];
        for (std::int64_t c = 0; c < channels; ++c)
            for (std::int64_t z = 0; z < kernel[0]; ++z)
                for (std::int64_t y = 0; y < kernel[1]; ++y)
                    for (std::int64_t x = 0; x < kernel[2]; ++x)
                        m_offsets.push_back(place(c, z * dilation[0], y * dilation[1]) + x * dilation[2]);
    }

    std::int64_t blocks() const { return (m_filters + kMostFilters - 1) / kMostFilters; }
    std::int64_t firstOf(std::int64_t block) const { return block * m_filters / blocks(); }

    /// weight(filter, element of the window), so that a block's filters lie side by side.
    template <class Weight>
    std::vector<T> packed(const Weight &weight) const
    {
        std::vector<T> result;
        result.reserve(static_cast<std::size_t>(m_filters) * m_offsets.size());
        for (std::int64_t block = 0; block < blocks(); ++block)
            for (std::size_t k = 0; k < m_offsets.size(); ++k)
                for (std::int64_t f = firstOf(block); f < firstOf(block + 1); ++f)
                    result.push_back(weight(f, static_cast<std::int64_t>(k)));
        return result;
    }

    void run(const T *image, const T *weights, T *out) const
    {
        const T *const padded = withBorder(image);
        const std::int64_t pixels = m_out[0] * m_out[1] * m_out[2];
        const auto window = static_cast<std::int64_t>(m_offsets.size());
        Pace pace;
        for (std::int64_t block = 0; block < blocks(); ++block) {
            const std::int64_t first = firstOf(block), filters = firstOf(block + 1) - first;
            for (std::int64_t z = 0; z < m_out[0]; ++z)
                for (std::int64_t y = 0; y < m_out[1]; ++y) {
                    pace.did(m_out[2] * window * filters);
                    row(padded + place(0, z, y), window, weights + first * window, static_cast<int>(filters),
                        out + first * pixels + (z * m_out[1] + y) * m_out[2], pixels);
                }
        }
    }

private:
    std::int64_t place(std::int64_t channel, std::int64_t z, std::int64_t y) const
    {
        return ((channel * m_padded[0] + z) * m_padded[1] + y) * m_padded[2];
    }
    void row(const T *image, std::int64_t window, const T *weights, int filters, T *out, std::int64_t stride) const
    {
        const auto *const table = rt_table();
        if constexpr (std::is_same_v<T, float>)
            table->convolveRowF32(image, m_offsets.data(), window, weights, filters, m_out[2], out, stride);
        else table->convolveRowF64(image, m_offsets.data(), window, weights, filters, m_out[2], out, stride);
    }
    const T *withBorder(const T *image) const
    {
        if (m_padded == m_size && m_before == Sizes{}) return image;
        static thread_local std::vector<T> memory;
        memory.assign(static_cast<std::size_t>(m_channels * m_padded[0] * m_padded[1] * m_padded[2]), T(0));
        const auto inside = [&](std::size_t axis) { // [first, end) of the padded axis that the image fills
            const std::int64_t first = std::clamp<std::int64_t>(m_before[axis], 0, m_padded[axis]);
            return std::pair(first, std::clamp(m_before[axis] + m_size[axis], first, m_padded[axis]));
        };
        const auto [firstZ, endZ] = inside(0);
        const auto [firstY, endY] = inside(1);
        const auto [firstX, endX] = inside(2);
        for (std::int64_t c = 0; c < m_channels; ++c)
            for (std::int64_t z = firstZ; z < endZ; ++z)
                for (std::int64_t y = firstY; y < endY; ++y) {
                    const T *const from =
                        image + ((c * m_size[0] + z - m_before[0]) * m_size[1] + y - m_before[1]) * m_size[2] + firstX - m_before[2];
                    std::copy_n(from, endX - firstX, memory.data() + place(c, z, y) + firstX);
                }
        return memory.data();
    }

    std::int64_t m_channels, m_filters;
    Sizes m_size, m_before, m_out, m_padded{};
    std::vector<std::int64_t> m_offsets;
};

template <class T, class Weight>
void correlate(const ConvSizes &sizes, const Correlation<T> &correlation, const Weight &weight, const T *from, std::int64_t fromSize, T *to,
               std::int64_t toSize)
{
    std::vector<std::vector<T>> weights;
    for (std::int64_t group = 0; group < sizes.groups; ++group)
        weights.push_back(correlation.packed([&](std::int64_t f, std::int64_t k) { return weight(group, f, k); }));
    const auto run = [&](std::int64_t part) {
        correlation.run(from + part * fromSize, weights[part % sizes.groups].data(), to + part * toSize);
    };
    const std::int64_t parts = sizes.images * sizes.groups;
    if (sizes.images * sizes.filters * sizes.outPixels() * sizes.window() < kSharedProduct)
        for (std::int64_t part = 0; part < parts; ++part) run(part);
    else shareParts(parts, run);
}

} // namespace

// Measured on one core with 512-bit vectors: products and oneDNN want many channels on both sides, and whole blocks of them.
bool isForOwnLoops(ConvPass pass, std::int64_t channels, std::int64_t filters)
{
    if (pass == ConvPass::Weights) return false;
    if (pass == ConvPass::Inputs && channels == 1) return filters < kConvBlock;
    if (channels < kConvBlock || filters < kConvBlock) return true;
    return pass == ConvPass::Forward && fullness(channels) * fullness(filters) < 0.75;
}

template <class T>
void convolveDirectly(ConvPass pass, const ConvSizes &sizes, const ConvArrays<T> &arrays)
{
    const std::int64_t channels = sizes.groupChannels(), filters = sizes.groupFilters(), pixels = sizes.kernelPixels();
    if (pass == ConvPass::Forward) {
        const Correlation<T> correlation(channels, filters, sizes.in, sizes.before, sizes.out, sizes.kernel, sizes.dilation);
        const auto weight = [&](std::int64_t group, std::int64_t f, std::int64_t k) {
            return arrays.kernels[(group * filters + f) * channels * pixels + k];
        };
        return correlate(sizes, correlation, weight, arrays.image, channels * sizes.inPixels(), arrays.result, filters * sizes.outPixels());
    }
    std::array<std::int64_t, 3> border;
    for (std::size_t axis = 0; axis < 3; ++axis) border[axis] = (sizes.kernel[axis] - 1) * sizes.dilation[axis] - sizes.before[axis];
    const Correlation<T> correlation(filters, channels, sizes.out, border, sizes.in, sizes.kernel, sizes.dilation);
    const auto weight = [&](std::int64_t group, std::int64_t c, std::int64_t k) {
        const std::int64_t f = k / pixels, pixel = pixels - 1 - k % pixels;
        return arrays.kernels[((group * filters + f) * channels + c) * pixels + pixel];
    };
    correlate(sizes, correlation, weight, arrays.out, filters * sizes.outPixels(), arrays.result, channels * sizes.inPixels());
}

template void convolveDirectly(ConvPass, const ConvSizes &, const ConvArrays<float> &);
template void convolveDirectly(ConvPass, const ConvSizes &, const ConvArrays<double> &);

} // namespace engine
