// Kernels from text by NVRTC, and their binaries on disk.
#pragma once

#include "engine/device/cuda/api.h"
#include "engine/device/device_program.h"

#include <string>
#include <vector>

namespace engine {

/// What was loaded onto cards; kernels keep it.
class CudaLibrary {
public:
    explicit CudaLibrary(cudaLibrary_t handle) : m_handle(handle) {}
    ~CudaLibrary() { cudart().cudaLibraryUnload(m_handle); }
    CudaLibrary(const CudaLibrary &) = delete;
    CudaLibrary &operator=(const CudaLibrary &) = delete;
    cudaLibrary_t handle() const { return m_handle; }

private:
    cudaLibrary_t m_handle;
};

class CudaKernel final : public BuiltKernel {
public:
    CudaKernel(std::shared_ptr<CudaLibrary> library, cudaKernel_t kernel, std::string name)
        : m_library(std::move(library)), m_kernel(kernel), m_name(std::move(name))
    {}
    const void *handle() const { return reinterpret_cast<const void *>(m_kernel); }
    const std::string &name() const { return m_name; }

private:
    std::shared_ptr<CudaLibrary> m_library;
    cudaKernel_t m_kernel;
    std::string m_name;
};

struct CudaTarget {
    std::string name;
    int index = 0;
    int capability = 0;               ///< 90: sm_90
    std::vector<std::string> words{}; ///< for the compiler of its own kernels
};

/// The function of the text that it names as its entry. Throws DeviceError with what the compiler said.
std::shared_ptr<BuiltKernel> buildCuda(const CudaTarget &target, const KernelSource &source);

class CudaProgram final : public DeviceProgram {
public:
    CudaProgram(const CudaTarget &target, const KernelSource &source, const std::vector<std::string> &options);
    std::shared_ptr<BuiltKernel> kernel(const std::string &name) override;
    ProgramFacts facts(const BuiltKernel &kernel) const override;
    std::pair<void *, std::size_t> variable(const std::string &name) override;

private:
    CudaTarget m_target;
    std::shared_ptr<CudaLibrary> m_library;
};

} // namespace engine
