// Kernels from text by NVRTC, and their binaries on disk.
#pragma once

#include "engine/device/cuda/api.h"
#include "engine/device/device.h"

#include <string>
#include <vector>

namespace engine {

class CudaKernel final : public BuiltKernel {
public:
    CudaKernel(cudaLibrary_t library, cudaKernel_t kernel, std::string name) : m_library(library), m_kernel(kernel), m_name(std::move(name))
    {}
    ~CudaKernel() override;
    const void *handle() const { return reinterpret_cast<const void *>(m_kernel); }
    const std::string &name() const { return m_name; }

private:
    cudaLibrary_t m_library;
    cudaKernel_t m_kernel;
    std::string m_name;
};

struct CudaTarget {
    std::string name;
    int index = 0;
    int capability = 0; ///< 90: sm_90
};

/// The function of the text that it names as its entry. Throws DeviceError with what the compiler said.
std::shared_ptr<BuiltKernel> buildCuda(const CudaTarget &target, const KernelSource &source);

} // namespace engine
