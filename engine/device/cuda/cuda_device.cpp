#include "engine/device/cuda/cuda_device.h"

#include "engine/device/cuda/compiler_words.h"
#include "engine/device/cuda/stream.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace engine {
namespace {

// These end everything on the card for this process.
bool isFinal(cudaError_t error)
{
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorDevicesUnavailable: return true;
    default: return false;
    }
}

Capability partOf(const char *name, const std::string &problem) { return {name, problem.empty(), problem}; }

} // namespace

CudaDevice::CudaDevice(std::string name, int index)
{
    m_info.name = std::move(name);
    m_target.name = m_info.name;
    m_target.index = m_index = index;
    cudaDeviceProp properties{};
    cudaError_t error = cudart().cudaSetDevice(index);
    if (error == cudaSuccess) error = cudart().cudaGetDeviceProperties(&properties, index);
    std::size_t free = 0, total = 0;
    if (error == cudaSuccess) error = cudart().cudaMemGetInfo(&free, &total);
    if (error != cudaSuccess) throw DeviceError(m_info.name + " does not open: " + cudaErrorText(error), 0);
    m_info.hardware = properties.name;
    m_info.dialect = Dialect::CudaC;
    m_info.isSimulated = cudart().isSimulation;
    m_info.bytes = properties.totalGlobalMem;
    m_info.limits = {properties.warpSize, properties.maxThreadsPerMultiProcessor, properties.regsPerMultiprocessor,
                     properties.maxBlocksPerMultiProcessor, properties.sharedMemPerMultiprocessor};
    const char *const blocks = std::getenv("CUDA_LAUNCH_BLOCKING");
    m_info.waitsForEach = blocks && std::strcmp(blocks, "1") == 0;
    m_info.capabilities = {{"float64", true, ""}, partOf("NVRTC", nvrtc().problem), partOf("CUPTI", cupti().problem)};
    m_target.capability = properties.major * 10 + properties.minor;
    m_memory = std::make_unique<CudaMemory>(m_info.name, index, free);
}

CudaTarget CudaDevice::target()
{
    std::lock_guard lock(m_mutex);
    return m_target;
}

std::vector<std::string> CudaDevice::takeWords(const std::vector<std::string> &words)
{
    CompilerWords sorted = compilerWords(words);
    std::lock_guard lock(m_mutex);
    m_target.words = std::move(sorted.taken);
    return sorted.left;
}

std::shared_ptr<DeviceProgram> CudaDevice::buildProgram(const KernelSource &source, const std::vector<std::string> &options)
{
    CompilerWords sorted = compilerWords(options);
    auto program = std::make_shared<CudaProgram>(target(), source, sorted.taken);
    program->left = std::move(sorted.left);
    return program;
}

StorageRef CudaDevice::allocate(std::size_t bytes, DeviceStream &stream)
{
    {
        std::lock_guard lock(m_mutex);
        if (!m_lost.empty()) throw DeviceError(m_info.name + " is lost: " + m_lost, 0);
    }
    static_cast<CudaStream &>(stream).spoilCapture();
    return m_memory->allocate(bytes, id(), stream);
}

std::unique_ptr<DeviceStream> CudaDevice::openStream()
{
    auto stream = std::make_unique<CudaStream>(*this);
    std::lock_guard lock(m_mutex);
    m_streams.push_back(stream.get());
    return stream;
}

void CudaDevice::closed(CudaStream &stream)
{
    std::lock_guard lock(m_mutex);
    std::erase(m_streams, &stream);
}

void CudaDevice::enter() const
{
    thread_local int current = -1;
    if (current == m_index) return;
    cudart().cudaSetDevice(m_index);
    current = m_index;
}

std::string CudaDevice::said(cudaError_t error)
{
    std::string text = cudaErrorText(error);
    if (!isFinal(error)) return text;
    std::lock_guard lock(m_mutex);
    if (m_lost.empty()) m_lost = text;
    return text + "; nothing more can be done on " + m_info.name + " in this process: start it again, or set device=cpu";
}

Device::LibraryVersions CudaDevice::convolutionVersions()
{
#ifdef CROTON_HAS_CUDNN
    if (cudnn().problem.empty()) return {CUDNN_VERSION, cudnn().cudnnGetVersion()};
#endif
    return {};
}

void CudaDevice::waitForOthers()
{
    enter();
    const cudaError_t error = cudart().cudaDeviceSynchronize();
    if (error != cudaSuccess) throw DeviceError(m_info.name + " failed in the work of others: " + said(error), 0);
}

std::uint64_t CudaDevice::now() const { return CudaActivities::one().now(); }

void CudaDevice::watch(bool on)
{
    if (on == m_isWatched.exchange(on)) return;
    CudaActivities::one().watch(on);
}

std::vector<DeviceActivity> CudaDevice::drain()
{
    return CudaActivities::one().take(m_index, [this] {
        std::lock_guard lock(m_mutex);
        return std::ranges::all_of(m_streams, &CudaStream::isIdle);
    });
}

} // namespace engine
