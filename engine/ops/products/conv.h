// Convolution of images (2 axes) and volumes (3): of an image with kernels, and the two gradients, each an op of its own.
#pragma once

#include "engine/graph/op/op_class.h"

#include <array>

namespace engine {

enum class ConvPass : std::uint8_t {
    Forward, ///< inputs image, kernels → what comes out
    Weights, ///< inputs image, gradient of what came out, sizes of a kernel → gradient of the kernels
    Inputs,  ///< inputs kernels, gradient of what came out, sizes of an image → gradient of the image
};
enum class ConvMethod : std::uint8_t {
    Abstract, ///< as it is written: rewrites choose
    Gemm,     ///< windows as columns of a matrix, and a product
    Direct,   ///< own loops over the image, for few channels and steps of 1
    Dnn,      ///< the device's library of convolutions
};
enum class ConvBorder : std::uint8_t { Valid, Full, Half, Given };

/// Everything but the sizes. Lists have an entry a spatial axis.
struct ConvInfo {
    ConvPass pass = ConvPass::Forward;
    ConvMethod method = ConvMethod::Abstract;
    ConvBorder border = ConvBorder::Valid;
    bool flip = true; ///< kernels are applied backwards, as mathematicians do
    std::int64_t groups = 1;
    std::vector<std::int64_t> stride, dilation;
    std::vector<std::int64_t> before, after;  ///< zeros around the image; for ConvBorder::Given
    std::vector<std::int64_t> image, kernels; ///< sizes that were promised, kUnknownDim where none; or empty

    int spatial() const { return static_cast<int>(stride.size()); }
};

/// Sizes and borders of one convolution at hand; two axes count as three, the first of size 1.
struct ConvSizes {
    std::int64_t images = 0, channels = 0, filters = 0, groups = 1;
    std::array<std::int64_t, 3> in{1, 1, 1}, kernel{1, 1, 1}, out{1, 1, 1};
    std::array<std::int64_t, 3> before{}, after{}, stride{1, 1, 1}, dilation{1, 1, 1};

    std::int64_t groupChannels() const { return channels / groups; }
    std::int64_t groupFilters() const { return filters / groups; }
    std::int64_t window() const { return groupChannels() * kernel[0] * kernel[1] * kernel[2]; }
    std::int64_t outPixels() const { return out[0] * out[1] * out[2]; }
    std::int64_t inPixels() const { return in[0] * in[1] * in[2]; }
    std::int64_t kernelPixels() const { return kernel[0] * kernel[1] * kernel[2]; }
};

class Convolution final : public Op {
public:
    explicit Convolution(ConvInfo info) : m_info(std::move(info)) {}
    const ConvInfo &info() const { return m_info; }
    ConvPass pass() const { return m_info.pass; }
    ConvMethod method() const { return m_info.method; }
    /// The same with another method; kernels are not flipped, but by Dnn, which flips them itself.
    OpRef by(ConvMethod method) const;
    /// Why a device's library of convolutions cannot do it; empty: it can.
    std::string whyNotByLibrary(std::span<const Type> inputs, Type output) const;

    std::string_view className() const override;
    std::string_view moduleName() const override;
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, rop, connectionPattern, cost, perform, prepare, onDevices, readsInputOnHost);
    /// Throws ShapeMismatch where they do not belong together.
    ConvSizes sizesOf(const Dims &image, const Dims &kernels, const Dims *out) const;

protected:
    std::string exactName() const override;
    std::string shortName() const override;
    std::string identity() const override;

private:
    ConvInfo m_info;
};

/// With steps of 1: are own loops faster than oneDNN and products? By the numbers of one group.
bool isForOwnLoops(ConvPass pass, std::int64_t channels, std::int64_t filters);

/// `sizes` (gradients only): a vector with the spatial sizes of what comes out. Throws UserErrors that name the argument.
VarRef convolve(const ConvInfo &info, const VarRef &a, const VarRef &b, const VarRef &sizes = {});

} // namespace engine
