// Convolutions with more digits than their dtypes have.
#include "engine/graph/op/precise_form.h"
#include "engine/ops/products/conv.h"
#include "engine/ops/reductions/precise_sum.h"

namespace engine {
namespace {

// meet(place in the image, place in the kernels, place in what comes out) for every product that is made.
template <class Meet>
void eachProduct(const ConvSizes &sizes, bool flip, const Meet &meet)
{
    const std::int64_t outs = sizes.outPixels(), ins = sizes.inPixels(), kernel = sizes.kernelPixels();
    for (std::int64_t n = 0; n < sizes.images; ++n)
        for (std::int64_t f = 0; f < sizes.filters; ++f) {
            const std::int64_t firstChannel = f / sizes.groupFilters() * sizes.groupChannels();
            for (std::int64_t place = 0; place < outs; ++place) {
                const std::array<std::int64_t, 3> at{place / (sizes.out[1] * sizes.out[2]), place / sizes.out[2] % sizes.out[1],
                                                     place % sizes.out[2]};
                for (std::int64_t k = 0; k < kernel; ++k) {
                    const std::array<std::int64_t, 3> by{k / (sizes.kernel[1] * sizes.kernel[2]), k / sizes.kernel[2] % sizes.kernel[1],
                                                         k % sizes.kernel[2]};
                    std::int64_t pixel = 0;
                    bool isInside = true;
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                        const std::int64_t x = at[axis] * sizes.stride[axis] + by[axis] * sizes.dilation[axis] - sizes.before[axis];
                        isInside = isInside && x >= 0 && x < sizes.in[axis];
                        pixel = pixel * sizes.in[axis] + x;
                    }
                    if (!isInside) continue;
                    for (std::int64_t c = 0; c < sizes.groupChannels(); ++c)
                        meet((n * sizes.channels + firstChannel + c) * ins + pixel,
                             (f * sizes.groupChannels() + c) * kernel + (flip ? kernel - 1 - k : k),
                             (n * sizes.filters + f) * outs + place);
                }
            }
        }
}

void convolutionForm(PreciseCall &call)
{
    const auto &op = static_cast<const Convolution &>(call.op);
    if (!call.inputs[0] || !call.inputs[1]) throw NotPrecise(op.friendlyName() + " reads what has no precise form");
    const Dims &result = call.results[0].tensor().shape();
    const bool isForward = op.pass() == ConvPass::Forward, isWeights = op.pass() == ConvPass::Weights;
    const ConvSizes sizes = op.sizesOf(op.pass() == ConvPass::Inputs ? result : call.input(0).shape,
                                       isForward   ? call.input(1).shape
                                       : isWeights ? result
                                                   : call.input(0).shape,
                                       nullptr);
    if (static_cast<double>(sizes.images * sizes.filters * sizes.outPixels()) * static_cast<double>(sizes.window()) > kMostPreciseProducts)
        throw NotPrecise(op.friendlyName() + " is too large to be done in more than 53 bits");
    const std::vector<Precise> &a = call.input(0).values, &b = call.input(1).values;
    std::vector<PreciseSum> sums(static_cast<std::size_t>(result.product()));
    const auto add = [&](std::int64_t to, std::int64_t first, std::int64_t second) {
        sums[static_cast<std::size_t>(to)].add(a[static_cast<std::size_t>(first)], b[static_cast<std::size_t>(second)]);
    };
    eachProduct(sizes, op.info().flip, [&](std::int64_t image, std::int64_t kernel, std::int64_t out) {
        if (isForward) add(out, image, kernel);
        else if (isWeights) add(kernel, image, out);
        else add(image, kernel, out);
    });
    PreciseArray array = PreciseArray::sized(result);
    for (std::size_t i = 0; i < sums.size(); ++i) array.values[i] = sums[i].total();
    call.set(0, std::move(array));
}

PRECISE_FORM(Convolution, convolutionForm);

} // namespace
} // namespace engine
