#include "engine/device/cuda/convolutions.h"
#include "engine/tensor/sizes.h"

#include <algorithm>
#include <span>

namespace engine {

#ifdef CROTON_HAS_CUDNN

namespace {

using Pass = DeviceConvolution::Pass;

constexpr std::size_t kMostRoom = std::size_t(1) << 30; // an algorithm that wants more is passed over
constexpr int kMostAlgorithms = 16;

std::vector<std::int64_t> keyOf(const DeviceConvolution &one)
{
    std::vector<std::int64_t> key{static_cast<std::int64_t>(one.pass),
                                  static_cast<std::int64_t>(one.dtype),
                                  one.axes,
                                  one.flip,
                                  one.images,
                                  one.channels,
                                  one.filters,
                                  one.groups};
    for (const auto &numbers : {one.in, one.kernel, one.out, one.border, one.stride, one.dilation})
        key.insert(key.end(), numbers.begin(), numbers.end());
    return key;
}

std::string said(cudnnStatus_t status) { return cudnn().cudnnGetErrorString(status); }

/// Sizes of an array: two numbers, and those of the axes that there are.
std::vector<int> sizesOf(std::int64_t first, std::int64_t second, const std::array<std::int64_t, 3> &axes, int count)
{
    const auto counted = [](std::int64_t size) { return librarySize(size, "cuDNN"); };
    std::vector<int> sizes{counted(first), counted(second)};
    for (std::int64_t size : std::span(axes).last(static_cast<std::size_t>(count))) sizes.push_back(counted(size));
    return sizes;
}

} // namespace

/// What cuDNN is told of one convolution, and the algorithm for it.
class CudaConvolutions::Plan {
public:
    Plan()
    {
        cudnn().cudnnCreateTensorDescriptor(&m_image);
        cudnn().cudnnCreateTensorDescriptor(&m_out);
        cudnn().cudnnCreateFilterDescriptor(&m_kernels);
        cudnn().cudnnCreateConvolutionDescriptor(&m_convolution);
    }
    ~Plan()
    {
        cudnn().cudnnDestroyTensorDescriptor(m_image);
        cudnn().cudnnDestroyTensorDescriptor(m_out);
        cudnn().cudnnDestroyFilterDescriptor(m_kernels);
        cudnn().cudnnDestroyConvolutionDescriptor(m_convolution);
    }
    Plan(const Plan &) = delete;
    Plan &operator=(const Plan &) = delete;

    cudnnStatus_t describe(const DeviceConvolution &one)
    {
        const cudnnDataType_t type = one.dtype == DType::Float64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
        const auto tensor = [&](cudnnTensorDescriptor_t descriptor, const std::vector<int> &sizes) {
            std::vector<int> steps(sizes.size(), 1);
            for (std::size_t axis = sizes.size() - 1; axis-- > 0;) steps[axis] = steps[axis + 1] * sizes[axis + 1];
            return cudnn().cudnnSetTensorNdDescriptor(descriptor, type, static_cast<int>(sizes.size()), sizes.data(), steps.data());
        };
        const auto axes = [&](const std::array<std::int64_t, 3> &numbers) {
            std::vector<int> result;
            for (std::int64_t number : std::span(numbers).last(static_cast<std::size_t>(one.axes)))
                result.push_back(static_cast<int>(number));
            return result;
        };
        const std::vector<int> kernels = sizesOf(one.filters, one.channels / one.groups, one.kernel, one.axes);
        const std::vector<int> border = axes(one.border), stride = axes(one.stride), dilation = axes(one.dilation);
        cudnnStatus_t status = tensor(m_image, sizesOf(one.images, one.channels, one.in, one.axes));
        const auto next = [&](auto call) {
            if (status == CUDNN_STATUS_SUCCESS) status = call();
        };
        next([&] { return tensor(m_out, sizesOf(one.images, one.filters, one.out, one.axes)); });
        next([&] {
            return cudnn().cudnnSetFilterNdDescriptor(m_kernels, type, CUDNN_TENSOR_NCHW, static_cast<int>(kernels.size()), kernels.data());
        });
        next([&] {
            return cudnn().cudnnSetConvolutionNdDescriptor(m_convolution, one.axes, border.data(), stride.data(), dilation.data(),
                                                           one.flip ? CUDNN_CONVOLUTION : CUDNN_CROSS_CORRELATION, type);
        });
        next([&] { return cudnn().cudnnSetConvolutionGroupCount(m_convolution, static_cast<int>(one.groups)); });
        // Units for tensors round what they multiply.
        next([&] { return cudnn().cudnnSetConvolutionMathType(m_convolution, CUDNN_FMA_MATH); });
        return status;
    }

    /// The algorithms that suit, the fastest first; those are numbers of the pass's own.
    struct Choice {
        int algorithm;
        std::size_t room;
    };
    std::vector<Choice> choices(cudnnHandle_t handle, Pass pass, cudnnStatus_t &status) const
    {
        std::vector<Choice> result;
        const auto ask = [&]<class Found>(Found *found, auto call) {
            int count = 0;
            status = call(&count);
            for (int i = 0; i < count && status == CUDNN_STATUS_SUCCESS; ++i)
                if (found[i].status == CUDNN_STATUS_SUCCESS && found[i].memory <= kMostRoom)
                    result.push_back({static_cast<int>(found[i].algo), found[i].memory});
        };
        if (pass == Pass::Forward) {
            cudnnConvolutionFwdAlgoPerf_t found[kMostAlgorithms];
            ask(found, [&](int *count) {
                return cudnn().cudnnGetConvolutionForwardAlgorithm_v7(handle, m_image, m_kernels, m_convolution, m_out, kMostAlgorithms,
                                                                      count, found);
            });
        } else if (pass == Pass::Inputs) {
            cudnnConvolutionBwdDataAlgoPerf_t found[kMostAlgorithms];
            ask(found, [&](int *count) {
                return cudnn().cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, m_kernels, m_out, m_convolution, m_image,
                                                                           kMostAlgorithms, count, found);
            });
        } else {
            cudnnConvolutionBwdFilterAlgoPerf_t found[kMostAlgorithms];
            ask(found, [&](int *count) {
                return cudnn().cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, m_image, m_out, m_convolution, m_kernels,
                                                                             kMostAlgorithms, count, found);
            });
        }
        return result;
    }

    cudnnStatus_t run(cudnnHandle_t handle, const DeviceConvolution &one, void *room) const
    {
        const double oneDouble = 1, zeroDouble = 0;
        const float oneFloat = 1, zeroFloat = 0;
        const bool isDouble = one.dtype == DType::Float64;
        const void *const alpha = isDouble ? static_cast<const void *>(&oneDouble) : &oneFloat;
        const void *const beta = isDouble ? static_cast<const void *>(&zeroDouble) : &zeroFloat;
        switch (one.pass) {
        case Pass::Forward:
            return cudnn().cudnnConvolutionForward(handle, alpha, m_image, one.image, m_kernels, one.kernels, m_convolution,
                                                   static_cast<cudnnConvolutionFwdAlgo_t>(choice.algorithm), room, choice.room, beta, m_out,
                                                   one.result);
        case Pass::Inputs:
            return cudnn().cudnnConvolutionBackwardData(handle, alpha, m_kernels, one.kernels, m_out, one.result, m_convolution,
                                                        static_cast<cudnnConvolutionBwdDataAlgo_t>(choice.algorithm), room, choice.room,
                                                        beta, m_image, one.image);
        default:
            return cudnn().cudnnConvolutionBackwardFilter(handle, alpha, m_image, one.image, m_out, one.result, m_convolution,
                                                          static_cast<cudnnConvolutionBwdFilterAlgo_t>(choice.algorithm), room, choice.room,
                                                          beta, m_kernels, one.kernels);
        }
    }

    Choice choice{0, 0};

private:
    cudnnTensorDescriptor_t m_image = nullptr, m_out = nullptr;
    cudnnFilterDescriptor_t m_kernels = nullptr;
    cudnnConvolutionDescriptor_t m_convolution = nullptr;
};

CudaConvolutions::CudaConvolutions(std::string device, cudaStream_t stream, std::function<StorageRef(std::size_t)> take)
    : m_device(std::move(device)), m_stream(stream), m_take(std::move(take))
{}

CudaConvolutions::~CudaConvolutions()
{
    m_plans.clear();
    if (m_handle) cudnn().cudnnDestroy(m_handle);
}

std::string CudaConvolutions::open()
{
    if (m_handle) return {};
    if (!cudnn().problem.empty()) return m_device + " convolves nothing by cuDNN: " + cudnn().problem;
    cudnnStatus_t status = cudnn().cudnnCreate(&m_handle);
    if (status == CUDNN_STATUS_SUCCESS) status = cudnn().cudnnSetStream(m_handle, m_stream);
    return status == CUDNN_STATUS_SUCCESS ? std::string() : m_device + " opens no cuDNN: " + said(status);
}

// The fastest algorithm whose room can be had.
std::string CudaConvolutions::choose(Plan &plan, const DeviceConvolution &convolution)
{
    cudnnStatus_t status = plan.describe(convolution);
    if (status != CUDNN_STATUS_SUCCESS) return m_device + " could not describe a convolution to cuDNN: " + said(status);
    for (const Plan::Choice &choice : plan.choices(m_handle, convolution.pass, status))
        if (hasRoom(choice.room)) {
            plan.choice = choice;
            return {};
        }
    return m_device + " has no algorithm of cuDNN for a convolution" +
           (status == CUDNN_STATUS_SUCCESS ? std::string(" that fits into its memory") : ": " + said(status)) +
           "; dnn.enabled=False does it by matrix products";
}

bool CudaConvolutions::hasRoom(std::size_t bytes)
{
    if (bytes == 0 || (m_room && m_room->bytes() >= bytes)) return true;
    try {
        m_room = m_take(bytes);
        return true;
    } catch (const DeviceError &) {
        return false;
    }
}

std::string CudaConvolutions::convolve(const DeviceConvolution &convolution)
{
    const std::vector<std::int64_t> key = keyOf(convolution);
    if (std::any_of(key.begin(), key.end(), [](std::int64_t number) { return number > INT32_MAX; }))
        return m_device + " could not convolve: cuDNN takes no size above 2147483647";
    if (const std::string problem = open(); !problem.empty()) return problem;
    std::unique_ptr<Plan> &plan = m_plans[key];
    if (!plan) {
        auto made = std::make_unique<Plan>();
        if (const std::string problem = choose(*made, convolution); !problem.empty()) return problem;
        plan = std::move(made);
    }
    const cudnnStatus_t status = plan->run(m_handle, convolution, plan->choice.room ? m_room->data() : nullptr);
    return status == CUDNN_STATUS_SUCCESS ? std::string() : m_device + " could not convolve: " + said(status);
}

#else

CudaConvolutions::CudaConvolutions(std::string, cudaStream_t, std::function<StorageRef(std::size_t)>) {}
CudaConvolutions::~CudaConvolutions() = default;
std::string CudaConvolutions::convolve(const DeviceConvolution &) { return cudnn().problem; }

#endif

} // namespace engine
