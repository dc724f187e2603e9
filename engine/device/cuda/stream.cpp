#include "engine/device/cuda/stream.h"

#include "engine/device/cuda/cuda_device.h"
#include "engine/device/cuda/graph.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace engine {
namespace {

constexpr std::size_t kMostArguments = 64; // on the stack; those with more are given a list
constexpr std::ptrdiff_t kMostWaiting = 2048;

class CudaEvent final : public DeviceEvent {
public:
    explicit CudaEvent(cudaEvent_t event) : m_event(event) {}
    ~CudaEvent() override { cudart().cudaEventDestroy(m_event); }
    bool isReached() const override { return cudart().cudaEventQuery(m_event) != cudaErrorNotReady; }
    cudaEvent_t handle() const { return m_event; }

private:
    cudaEvent_t m_event;
};

std::string bytesText(std::size_t bytes) { return std::to_string(bytes) + " bytes"; }

} // namespace

CudaStream::CudaStream(CudaDevice &device) : m_device(device)
{
    m_device.enter();
    const cudaError_t error = cudart().cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking);
    if (error != cudaSuccess) throw DeviceError(device.info().name + " opens no stream: " + cudaErrorText(error), 0);
    m_staging.emplace(m_stream);
    m_products.emplace(device.info().name, m_stream);
    m_convolutions.emplace(device.info().name, m_stream, [this](std::size_t bytes) { return m_device.allocate(bytes, *this); });
}

CudaStream::~CudaStream()
{
    m_device.enter();
    cudart().cudaStreamSynchronize(m_stream);
    m_device.closed(*this);
    m_convolutions.reset();
    m_products.reset();
    m_staging.reset();
    cudart().cudaStreamDestroy(m_stream);
}

void CudaStream::given(std::shared_ptr<BuiltKernel> kernel)
{
    if (m_capturing.owns_lock()) {
        if (kernel) m_captured.push_back(std::move(kernel));
        return;
    }
    if (!m_given.empty() && m_given.back().tag == tag() && m_given.back().kernel == kernel) return;
    // Cards hold back at most a thousand launches: what is older was done.
    if (std::ssize(m_given) >= 2 * kMostWaiting) m_given.erase(m_given.begin(), m_given.end() - kMostWaiting);
    m_given.push_back({tag(), std::move(kernel)});
}

void CudaStream::refused(cudaError_t error, const std::string &what)
{
    cudart().cudaGetLastError();
    if (!m_error) m_error.emplace(m_device.info().name + " could not " + what + ": " + m_device.said(error), tag());
}

void CudaStream::copyIn(void *to, const void *from, std::size_t bytes)
{
    std::lock_guard lock(m_mutex);
    if (m_capturing.owns_lock()) return spoilCapture();
    m_device.enter();
    const CudaActivities::Work work(m_device.index(), tag());
    given();
    if (const cudaError_t error = m_staging->copyIn(to, from, bytes); error != cudaSuccess)
        refused(error, "copy " + bytesText(bytes) + " to the device");
}

void CudaStream::fetch(void *to, const void *from, std::size_t bytes, const Beside &beside)
{
    std::lock_guard lock(m_mutex);
    if (m_capturing.owns_lock()) return spoilCapture();
    m_device.enter();
    cudaError_t error = cudaSuccess;
    {
        const CudaActivities::Work work(m_device.index(), tag());
        if (beside.bytes) error = m_staging->copyBeside(beside.from, beside.bytes);
        if (error == cudaSuccess) error = m_staging->copyOut(to, from, bytes);
        if (error == cudaSuccess && beside.bytes) std::memcpy(beside.to, m_staging->beside(), beside.bytes);
    }
    tell(error);
}

void CudaStream::copyWithin(void *to, const void *from, std::size_t bytes)
{
    if (bytes == 0) return;
    std::lock_guard lock(m_mutex);
    m_device.enter();
    const CudaActivities::Work work(m_device.index(), tag());
    given();
    if (const cudaError_t error = cudart().cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, m_stream); error != cudaSuccess)
        refused(error, "copy " + bytesText(bytes) + " on the device");
}

void CudaStream::launch(const std::shared_ptr<BuiltKernel> &kernel, LaunchShape shape, std::span<const KernelArgument> arguments)
{
    const auto &own = static_cast<const CudaKernel &>(*kernel);
    void *few[kMostArguments];
    std::vector<void *> many;
    void **places = few;
    if (arguments.size() > kMostArguments) {
        many.resize(arguments.size());
        places = many.data();
    }
    // Whatever it is, it lies in the union as the kernel takes it.
    for (std::size_t i = 0; i < arguments.size(); ++i) places[i] = const_cast<std::int64_t *>(&arguments[i].integer);
    std::lock_guard lock(m_mutex);
    m_device.enter();
    const CudaActivities::Work work(m_device.index(), tag());
    given(kernel);
    if (const cudaError_t error = cudart().cudaLaunchKernel(own.handle(), dim3(shape.groups), dim3(shape.items), places, 0, m_stream);
        error != cudaSuccess)
        refused(error, "launch the kernel " + own.name());
}

// A launch takes as many bytes as the kernel's parameters have, whatever was given.
void CudaStream::launchProgram(const std::shared_ptr<BuiltKernel> &kernel, const ProgramLaunch &launch)
{
    const auto &own = static_cast<const CudaKernel &>(*kernel);
    const auto refuse = [&](const std::string &why) { return DeviceError("the kernel " + own.name() + " " + why, 0); };
    std::vector<const void *> places;
    for (const ProgramArgument &argument : launch.arguments) {
        const bool isAddress = argument.kind == ProgramArgument::Kind::Address;
        const std::size_t given = isAddress ? sizeof argument.address : argument.bytes.size();
        std::size_t offset = 0, size = 0;
        if (cudart().cudaFuncGetParamInfo(own.handle(), places.size(), &offset, &size) != cudaSuccess) {
            cudart().cudaGetLastError();
            throw refuse("takes " + std::to_string(places.size()) + " arguments, and " + std::to_string(launch.arguments.size()) +
                         " were given");
        }
        if (argument.kind == ProgramArgument::Kind::Local) throw refuse("cannot take local memory as an argument: say shared=BYTES");
        if (size != given)
            throw refuse("takes " + bytesText(size) + " as argument " + std::to_string(places.size()) + ", and " + bytesText(given) +
                         " were given: numpy.int32(…), numpy.float32(…) and the like say what a number is");
        places.push_back(isAddress ? static_cast<const void *>(&argument.address) : argument.bytes.data());
    }
    std::size_t offset = 0, size = 0;
    if (cudart().cudaFuncGetParamInfo(own.handle(), places.size(), &offset, &size) == cudaSuccess)
        throw refuse("takes more than the " + std::to_string(places.size()) + " arguments that were given");
    cudart().cudaGetLastError();
    std::lock_guard lock(m_mutex);
    m_device.enter();
    const CudaActivities::Work work(m_device.index(), tag());
    given(kernel);
    const auto [x, y, z] = launch.groups;
    const auto [i, j, k] = launch.items;
    const cudaError_t error = cudart().cudaLaunchKernel(own.handle(), dim3(x, y, z), dim3(i, j, k), const_cast<void **>(places.data()),
                                                        launch.sharedBytes, m_stream);
    if (error == cudaSuccess) return;
    cudart().cudaGetLastError();
    throw DeviceError(m_device.info().name + " could not launch the kernel " + own.name() + ": " + m_device.said(error), tag());
}

void CudaStream::multiply(const MatrixProduct &product)
{
    if (product.m == 0 || product.n == 0 || product.count == 0) return;
    std::lock_guard lock(m_mutex);
    m_device.enter();
    const CudaActivities::Work work(m_device.index(), tag(), true);
    given();
    std::string problem = m_products->multiply(product);
    if (!problem.empty() && !m_error) m_error.emplace(std::move(problem), tag());
}

void CudaStream::convolve(const DeviceConvolution &convolution)
{
    std::lock_guard lock(m_mutex);
    m_device.enter();
    const CudaActivities::Work work(m_device.index(), tag(), true);
    given();
    std::string problem = m_convolutions->convolve(convolution);
    if (!problem.empty() && !m_error) m_error.emplace(std::move(problem), tag());
}

std::unique_ptr<DeviceEvent> CudaStream::record()
{
    std::lock_guard lock(m_mutex);
    m_device.enter();
    cudaEvent_t event = nullptr;
    cudaError_t error = cudart().cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    std::unique_ptr<CudaEvent> made = error == cudaSuccess ? std::make_unique<CudaEvent>(event) : nullptr;
    if (made) error = cudart().cudaEventRecord(event, m_stream);
    if (error != cudaSuccess) throw DeviceError(m_device.info().name + " records no event: " + m_device.said(error), tag());
    return made;
}

void CudaStream::after(const DeviceEvent &event)
{
    std::lock_guard lock(m_mutex);
    m_device.enter();
    const cudaError_t error = cudart().cudaStreamWaitEvent(m_stream, static_cast<const CudaEvent &>(event).handle(), 0);
    if (error != cudaSuccess) throw DeviceError(m_device.info().name + " waits for no event: " + m_device.said(error), tag());
}

void CudaStream::wait()
{
    std::lock_guard lock(m_mutex);
    if (m_capturing.owns_lock()) return spoilCapture();
    m_device.enter();
    tell(cudart().cudaStreamSynchronize(m_stream));
}

bool CudaStream::beginCapture()
{
    std::unique_lock lock(m_mutex);
    m_device.enter();
    if (m_error || cudart().cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeRelaxed) != cudaSuccess) {
        cudart().cudaGetLastError();
        return false;
    }
    m_captured.clear();
    m_isSpoiled = false;
    m_capturing = std::move(lock);
    return true;
}

void CudaStream::spoilCapture()
{
    std::lock_guard lock(m_mutex);
    m_isSpoiled = true;
}

// What could not be given while it was captured is no error: it is given again, as ever.
std::shared_ptr<DeviceGraph> CudaStream::endCapture()
{
    const std::unique_lock lock = std::move(m_capturing);
    if (!lock.owns_lock()) return nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t handle = nullptr;
    bool isKept = cudart().cudaStreamEndCapture(m_stream, &graph) == cudaSuccess && graph && !m_isSpoiled && !m_error;
    isKept = isKept && cudart().cudaGraphInstantiate(&handle, graph, 0) == cudaSuccess;
    if (graph) cudart().cudaGraphDestroy(graph);
    if (isKept) return std::make_shared<CudaGraph>(handle, std::exchange(m_captured, {}));
    m_error.reset();
    cudart().cudaGetLastError();
    return nullptr;
}

void CudaStream::launchGraph(const std::shared_ptr<DeviceGraph> &graph)
{
    const auto &own = static_cast<const CudaGraph &>(*graph);
    std::lock_guard lock(m_mutex);
    m_device.enter();
    const CudaActivities::Work work(m_device.index(), 0); // 0: this work belongs to no apply
    for (const std::shared_ptr<BuiltKernel> &kernel : own.kernels()) given(kernel);
    if (const cudaError_t error = cudart().cudaGraphLaunch(own.handle(), m_stream); error != cudaSuccess)
        refused(error, "launch a graph of " + std::to_string(own.kernels().size()) + " kernels");
}

bool CudaStream::isIdle() const { return cudart().cudaStreamQuery(m_stream) != cudaErrorNotReady; }

// The card does not say which of its work failed.
std::string CudaStream::suspects() const
{
    std::vector<std::string> names;
    for (const Given &one : m_given) {
        if (!one.kernel) continue;
        const std::string &name = static_cast<const CudaKernel &>(*one.kernel).name();
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    if (names.size() == 1) return " in the kernel " + names[0];
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 8); ++i) text += (i ? ", " : "") + names[i];
    if (names.size() > 8) text += " and " + std::to_string(names.size() - 8) + " more";
    return text.empty() ? text : " in one of the kernels " + text + " (CUDA_LAUNCH_BLOCKING=1 tells which)";
}

void CudaStream::tell(cudaError_t waited)
{
    if (waited != cudaSuccess && !m_error) {
        cudart().cudaGetLastError();
        // Copies do not fail by themselves.
        std::set<std::uint64_t> tags;
        for (const Given &one : m_given)
            if (one.kernel) tags.insert(one.tag);
        m_error.emplace(m_device.info().name + " failed" + suspects() + ": " + m_device.said(waited),
                        tags.size() == 1 ? *tags.begin() : tag());
    }
    m_given.clear();
    if (!m_error) return;
    const DeviceError error = *m_error;
    m_error.reset();
    throw error;
}

} // namespace engine
