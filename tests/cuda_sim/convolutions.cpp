// The functions of cuDNN that the module calls: convolutions as their definitions say.
#include "tests/cuda_sim/activities.h"
#include "tests/cuda_sim/machine.h"
#include "tests/cuda_sim/naive_convolution.h"

#if __has_include(<cudnn.h>)
#include <cudnn.h>

#include <algorithm>
#include <array>
#include <vector>

using namespace cuda_sim;

namespace {

struct Handle {
    cudaStream_t stream = nullptr;
};
struct Array {
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    std::vector<int> sizes;
    std::int64_t elements() const
    {
        std::int64_t all = 1;
        for (int size : sizes) all *= size;
        return all;
    }
};
struct Convolution {
    std::vector<int> border, stride, dilation;
    bool flip = false;
    int groups = 1;
};

template <class T, class Opaque>
T &as(Opaque *opaque)
{
    return *reinterpret_cast<T *>(opaque);
}

constexpr std::size_t kRoom = 4096; // the faster algorithm wants some; the other none

template <class Perf, class Algorithm>
cudnnStatus_t algorithms(int wanted, int *count, Perf *found, Algorithm fast, Algorithm plain)
{
    if (Machine::one().fails("cudnn-algorithm")) return CUDNN_STATUS_NOT_SUPPORTED;
    *count = std::min(wanted, 2);
    for (int i = 0; i < *count; ++i) {
        found[i] = Perf{};
        found[i].algo = i ? plain : fast;
        found[i].status = CUDNN_STATUS_SUCCESS;
        found[i].memory = i ? 0 : kRoom;
    }
    return CUDNN_STATUS_SUCCESS;
}

template <class T>
bool convolve(const NaiveConvolution &one, int pass, const Array &image, void *imageAt, const Array &kernels, void *kernelsAt,
              const Array &out, void *outAt)
{
    const auto own = [](const Array &array, void *address) {
        return reinterpret_cast<T *>(Machine::one().space().own(address, static_cast<std::size_t>(array.elements()) * sizeof(T)));
    };
    T *const i = own(image, imageAt), *const k = own(kernels, kernelsAt), *const o = own(out, outAt);
    if (!i || !k || !o) return false;
    std::fill_n(pass == 0 ? o : pass == 1 ? k : i, (pass == 0 ? out : pass == 1 ? kernels : image).elements(), T(0));
    convolveNaively<T>(one, pass, i, k, o);
    return true;
}

cudnnStatus_t give(cudnnHandle_t handle, int pass, const Array &image, const void *imageAt, const Array &kernels, const void *kernelsAt,
                   const Array &out, const void *outAt, const Convolution &convolution, const void *room, std::size_t bytes)
{
    if (bytes > 0 && !Machine::one().space().isWithin(room)) return CUDNN_STATUS_BAD_PARAM;
    const std::size_t axes = convolution.stride.size();
    NaiveConvolution one;
    one.flip = convolution.flip;
    one.images = image.sizes[0], one.channels = image.sizes[1], one.filters = kernels.sizes[0], one.groups = convolution.groups;
    if (one.channels != kernels.sizes[1] * static_cast<std::int64_t>(convolution.groups) || out.sizes[1] != kernels.sizes[0])
        return CUDNN_STATUS_BAD_PARAM;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::size_t at = axis + 3 - axes;
        one.in[at] = image.sizes[axis + 2], one.kernel[at] = kernels.sizes[axis + 2], one.out[at] = out.sizes[axis + 2];
        one.border[at] = convolution.border[axis], one.stride[at] = convolution.stride[axis];
        one.dilation[at] = convolution.dilation[axis];
        const std::int64_t free = one.in[at] + 2 * one.border[at] - ((one.kernel[at] - 1) * one.dilation[at] + 1);
        if (free < 0 || free / one.stride[at] + 1 != one.out[at]) return CUDNN_STATUS_BAD_PARAM;
    }
    void *const i = const_cast<void *>(imageAt), *const k = const_cast<void *>(kernelsAt), *const o = const_cast<void *>(outAt);
    reinterpret_cast<Stream *>(as<Handle>(handle).stream)->enqueue([=, call = beginCall()] {
        Machine &machine = Machine::one();
        if (machine.sticky() != cudaSuccess) return;
        const std::uint64_t begin = now();
        const bool isDone = image.type == CUDNN_DATA_DOUBLE ? convolve<double>(one, pass, image, i, kernels, k, out, o)
                                                            : convolve<float>(one, pass, image, i, kernels, k, out, o);
        if (!isDone) return machine.fault(cudaErrorIllegalAddress);
        constexpr unsigned shape[] = {1, 1, 1};
        kernelRan(call, "simulated_convolution", shape, shape, begin, now());
    });
    return CUDNN_STATUS_SUCCESS;
}

template <class T, class Opaque>
cudnnStatus_t create(Opaque *place)
{
    *place = reinterpret_cast<Opaque>(new T);
    return CUDNN_STATUS_SUCCESS;
}
template <class T, class Opaque>
cudnnStatus_t destroy(Opaque opaque)
{
    delete reinterpret_cast<T *>(opaque);
    return CUDNN_STATUS_SUCCESS;
}

} // namespace

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle)
{
    if (Machine::one().fails("cudnn")) return CUDNN_STATUS_NOT_INITIALIZED;
    return create<Handle>(handle);
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) { return destroy<Handle>(handle); }
size_t cudnnGetVersion(void) { return CUDNN_VERSION; }
const char *cudnnGetErrorString(cudnnStatus_t status)
{
    switch (status) {
    case CUDNN_STATUS_SUCCESS: return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED: return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_NOT_SUPPORTED: return "CUDNN_STATUS_NOT_SUPPORTED";
    default: return "CUDNN_STATUS_BAD_PARAM";
    }
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream)
{
    as<Handle>(handle).stream = stream;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *place) { return create<Array>(place); }
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t one) { return destroy<Array>(one); }
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *place) { return create<Array>(place); }
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t one) { return destroy<Array>(one); }
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *place) { return create<Convolution>(place); }
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t one) { return destroy<Convolution>(one); }

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t place, cudnnDataType_t type, int count, const int sizes[],
                                         const int steps[])
{
    int step = 1;
    for (int axis = count; axis-- > 0; step *= sizes[axis])
        if (sizes[axis] < 1 || steps[axis] != step) return CUDNN_STATUS_BAD_PARAM;
    as<Array>(place) = {type, std::vector<int>(sizes, sizes + count)};
    return count >= 4 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t place, cudnnDataType_t type, cudnnTensorFormat_t, int count,
                                         const int sizes[])
{
    as<Array>(place) = {type, std::vector<int>(sizes, sizes + count)};
    return std::all_of(sizes, sizes + count, [](int size) { return size > 0; }) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}
cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t place, int axes, const int border[], const int stride[],
                                              const int dilation[], cudnnConvolutionMode_t mode, cudnnDataType_t)
{
    const auto list = [axes](const int *from) { return std::vector<int>(from, from + axes); };
    as<Convolution>(place) = {list(border), list(stride), list(dilation), mode == CUDNN_CONVOLUTION, 1};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t place, int groups)
{
    as<Convolution>(place).groups = groups;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t, cudnnMathType_t) { return CUDNN_STATUS_SUCCESS; }

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, const cudnnTensorDescriptor_t, const cudnnFilterDescriptor_t,
                                                     const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t, const int wanted,
                                                     int *count, cudnnConvolutionFwdAlgoPerf_t *found)
{
    return algorithms(wanted, count, found, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t, const cudnnFilterDescriptor_t, const cudnnTensorDescriptor_t,
                                                          const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t,
                                                          const int wanted, int *count, cudnnConvolutionBwdDataAlgoPerf_t *found)
{
    return algorithms(wanted, count, found, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
                                                            const cudnnConvolutionDescriptor_t, const cudnnFilterDescriptor_t,
                                                            const int wanted, int *count, cudnnConvolutionBwdFilterAlgoPerf_t *found)
{
    return algorithms(wanted, count, found, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void *, const cudnnTensorDescriptor_t image, const void *imageAt,
                                      const cudnnFilterDescriptor_t kernels, const void *kernelsAt,
                                      const cudnnConvolutionDescriptor_t convolution, cudnnConvolutionFwdAlgo_t, void *room, size_t bytes,
                                      const void *, const cudnnTensorDescriptor_t out, void *outAt)
{
    return give(handle, 0, as<Array>(image), imageAt, as<Array>(kernels), kernelsAt, as<Array>(out), outAt, as<Convolution>(convolution),
                room, bytes);
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void *, const cudnnFilterDescriptor_t kernels, const void *kernelsAt,
                                           const cudnnTensorDescriptor_t out, const void *outAt,
                                           const cudnnConvolutionDescriptor_t convolution, cudnnConvolutionBwdDataAlgo_t, void *room,
                                           size_t bytes, const void *, const cudnnTensorDescriptor_t image, void *imageAt)
{
    return give(handle, 2, as<Array>(image), imageAt, as<Array>(kernels), kernelsAt, as<Array>(out), outAt, as<Convolution>(convolution),
                room, bytes);
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void *, const cudnnTensorDescriptor_t image, const void *imageAt,
                                             const cudnnTensorDescriptor_t out, const void *outAt,
                                             const cudnnConvolutionDescriptor_t convolution, cudnnConvolutionBwdFilterAlgo_t, void *room,
                                             size_t bytes, const void *, const cudnnFilterDescriptor_t kernels, void *kernelsAt)
{
    return give(handle, 1, as<Array>(image), imageAt, as<Array>(kernels), kernelsAt, as<Array>(out), outAt, as<Convolution>(convolution),
                room, bytes);
}

#endif
