// Convolutions by oneDNN, where it is installed and pays.
#include "engine/device/cpu/one_dnn_conv.h"
#include "engine/ops/products/conv_run.h"
#include "engine/runtime/plan/threads.h"

#include <algorithm>

namespace engine {
namespace {

/// The images are cut into so many parts, whatever the number of threads: the same bits everywhere.
constexpr std::int64_t kMostParts = 8;
constexpr double kWorkOfPart = 16e6; ///< multiplications
/// Below, own loops and products are done before oneDNN's layouts are made.
constexpr double kLeastWork = 1e6;

OneDnnConvolution::Pass passOf(ConvPass pass)
{
    return pass == ConvPass::Forward   ? OneDnnConvolution::Pass::Forward
           : pass == ConvPass::Weights ? OneDnnConvolution::Pass::Kernels
                                       : OneDnnConvolution::Pass::Image;
}

// Measured. Of up to three channels, as images have, oneDNN makes no blocks.
bool isFor(ConvPass pass, std::int64_t channels, std::int64_t filters)
{
    constexpr std::int64_t kFewChannels = 3, kLeastChannels = 8, kLeastFilters = 4, kManyFilters = 48;
    if (pass != ConvPass::Weights) return channels >= kLeastChannels;
    if (filters >= kManyFilters && (channels <= kFewChannels ? 1 : fullness(channels)) * fullness(filters) < 0.55) return false;
    if (channels >= kLeastChannels) return filters >= kLeastFilters;
    return filters % kConvBlock == 0 && (channels <= kFewChannels || channels >= 6);
}

} // namespace

bool convolveByLibrary(ConvPass pass, const ConvSizes &sizes, const ConvArrays<float> &arrays)
{
    const double work = static_cast<double>(sizes.images * sizes.filters * sizes.outPixels()) * static_cast<double>(sizes.window());
    if (sizes.groups != 1 || !isFor(pass, sizes.channels, sizes.filters) || work < kLeastWork) return false;
    const std::int64_t parts =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(work / kWorkOfPart), 1, std::min(kMostParts, sizes.images));
    const std::int64_t imageSize = sizes.channels * sizes.inPixels(), outSize = sizes.filters * sizes.outPixels();
    const std::int64_t kernelSize = sizes.filters * sizes.window();
    std::vector<float> sums(pass == ConvPass::Weights ? static_cast<std::size_t>((parts - 1) * kernelSize) : 0);
    std::vector<char> isDone(static_cast<std::size_t>(parts), 0);
    shareParts(parts, [&](std::int64_t part) {
        const std::int64_t first = part * sizes.images / parts, count = (part + 1) * sizes.images / parts - first;
        const OneDnnConvolution convolution{passOf(pass), count,        sizes.channels, sizes.filters, sizes.in,      sizes.kernel,
                                            sizes.out,    sizes.before, sizes.after,    sizes.stride,  sizes.dilation};
        const float *const image = arrays.image + first * imageSize, *const out = arrays.out + first * outSize;
        switch (pass) {
        case ConvPass::Forward: isDone[part] = convolution.run(image, arrays.kernels, arrays.result + first * outSize); break;
        case ConvPass::Weights:
            isDone[part] = convolution.run(image, out, part ? sums.data() + (part - 1) * kernelSize : arrays.result);
            break;
        case ConvPass::Inputs: isDone[part] = convolution.run(arrays.kernels, out, arrays.result + first * imageSize); break;
        }
    });
    if (!std::all_of(isDone.begin(), isDone.end(), [](char one) { return one; })) return false;
    for (std::size_t i = 0; i < sums.size(); ++i) arrays.result[i % static_cast<std::size_t>(kernelSize)] += sums[i];
    return true;
}

} // namespace engine
