// Which way a convolution is computed.
#include "engine/device/device.h"
#include "engine/ops/products/conv.h"
#include "engine/rewrite/shapes/index_view.h"

namespace engine {
namespace {

/// Size of an axis of the kernels, as far as it can be told: promised, or the shared value's of now.
std::int64_t kernelSize(const ConvInfo &info, VarHandle kernels, std::size_t axis)
{
    if (!info.kernels.empty() && info.kernels[axis] != kUnknownDim) return info.kernels[axis];
    if (!kernels.isShared()) return kernels.type().shape()[axis];
    const Value &value = kernels.graph().var(kernels.id()).leaf->container()->value();
    return value.isTensor() ? value.tensor().shape()[axis] : kUnknownDim;
}

/// Backwards along the spatial axes.
VarHandle turnedKernels(Editor &edit, VarHandle kernels, int spatial)
{
    IndexParts parts(2, fullSlice());
    for (int axis = 0; axis < spatial; ++axis) {
        IndexPart backwards = fullSlice();
        backwards.step = constantLike(edit, DType::Int8, 0, -1);
        parts.push_back(backwards);
    }
    return indexed(edit, kernels, parts);
}

/// The convolution by another method, its kernels turned round by an index of their own.
RewriteResult by(const NodeHandle &node, Editor &edit, ConvMethod method, std::string reason)
{
    const auto *op = node.opAs<Convolution>();
    const ConvInfo &info = op->info();
    const bool isForward = info.pass == ConvPass::Forward, isWeights = info.pass == ConvPass::Weights;
    std::vector<VarHandle> inputs;
    for (const VarHandle &input : node.inputs()) inputs.push_back(input);
    VarHandle &kernels = inputs[isForward ? 1 : 0];
    const bool turns = info.flip && method != ConvMethod::Dnn; // which turns them itself
    if (turns && !isWeights) kernels = turnedKernels(edit, kernels, info.spatial());
    VarHandle after = edit.make(op->by(method), std::span<const VarHandle>(inputs));
    if (turns && isWeights) after = turnedKernels(edit, after, info.spatial());
    return become(edit, node, after, std::move(reason));
}

REWRITE(croton_direct_convolution, Phase::Device)
    .why("with few channels or filters the image is read where it lies: copying its windows for a product costs more than the product")
    .hurts("takes the place of BLAS, whose products are faster where rows are short and channels many")
    .example("x: float32[2,3,9,9]; k: float32[5,3,3,3]; conv2d(x, k)",
             "x: float32[2,3,9,9]; k: float32[5,3,3,3]; conv2d(x, k[:, :, ::-1, ::-1], flip=False, method=\"direct\")")
    .nearMiss("x: float32[2,3,9,9]; k: float32[5,3,3,3]; conv2d(x, k, stride=2)")
    .tag("croton")
    .tag("fast_compile")
    .match<Convolution>([](const NodeHandle &node, Editor &edit) {
        const ConvInfo &info = node.opAs<Convolution>()->info();
        if (info.method != ConvMethod::Abstract) return declined("its method is chosen already");
        if (node.op()->isOnDevice()) return declined("its arrays are on a device");
        if (info.pass == ConvPass::Weights) return declined("the gradient of kernels is a sum over all places: a product");
        for (const std::int64_t step : info.stride)
            if (step != 1) return declined("it takes steps: its rows are not read side by side");
        const VarHandle kernels = node.input(info.pass == ConvPass::Forward ? 1 : 0);
        const std::int64_t channels = kernelSize(info, kernels, 1), filters = kernelSize(info, kernels, 0);
        if (channels == kUnknownDim || filters == kUnknownDim)
            return declined("the numbers of channels and filters are not known before it runs");
        if (!isForOwnLoops(info.pass, channels, filters / info.groups)) return declined("there are enough channels for a product");
        return by(node, edit, ConvMethod::Direct, std::to_string(channels) + " channels, " + std::to_string(filters) + " filters");
    });

REWRITE(local_abstractconv_cudnn, Phase::Device)
    .why("cuDNN has a kernel for the shape at hand, and copies no windows")
    .hurts("the first call of a shape asks cuDNN for its algorithm")
    .example("x: ftensor4; k: ftensor4; host_from_gpu(conv2d(gpu_from_host(x), gpu_from_host(k)))",
             "x: ftensor4; k: ftensor4; host_from_gpu(conv2d(gpu_from_host(x), gpu_from_host(k), method=\"dnn\"))")
    .nearMiss("x: ftensor4; k: ftensor4; conv2d(x, k)")
    .tag("cudnn")
    .tag("gpuarray")
    .tag("conv_dnn")
    .tag("fast_compile")
    .match<Convolution>([](const NodeHandle &node, Editor &edit) {
        const auto *op = node.opAs<Convolution>();
        if (op->info().method != ConvMethod::Abstract) return declined("its method is chosen already");
        if (!op->isOnDevice()) return declined("its arrays are on the host");
        const Type types[] = {node.input(0).type(), node.input(1).type()};
        std::string why = op->whyNotByLibrary(types, node.output().type());
        if (why.empty()) why = deviceOf(op->worksOn()).whyNoConvolutions();
        if (!why.empty()) return declined(internText(std::move(why)));
        return by(node, edit, ConvMethod::Dnn, {});
    });

REWRITE(local_abstractconv_gemm, Phase::Device)
    .why("windows of the image as columns make it one matrix product, which is BLAS's work")
    .hurts("copies each pixel once for every window that it is in, some rows at a time")
    .example("x: dtensor4; k: dtensor4; conv2d(x, k)",
             "x: dtensor4; k: dtensor4; conv2d(x, k[:, :, ::-1, ::-1], flip=False, method=\"gemm\")")
    .example("x: ftensor4; k: ftensor4; conv2d(x, k, border=\"half\", stride=2, flip=False)",
             "x: ftensor4; k: ftensor4; conv2d(x, k, border=\"half\", stride=2, flip=False, method=\"gemm\")")
    .nearMiss("x: dtensor4; k: dtensor4; conv2d(x, k, method=\"gemm\")")
    .tag("fast_compile")
    .at(1) // what is thin is taken by then
    .match<Convolution>([](const NodeHandle &node, Editor &edit) {
        const ConvInfo &info = node.opAs<Convolution>()->info();
        if (info.method != ConvMethod::Abstract) return declined("its method is chosen already");
        return by(node, edit, ConvMethod::Gemm, {});
    });

} // namespace
} // namespace engine
