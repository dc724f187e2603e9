// Work of a stream that was captured: CUDA gives it to the card as a whole.
#pragma once

#include "engine/device/cuda/program.h"

#include <string>
#include <vector>

namespace engine {

class CudaGraph final : public DeviceGraph {
public:
    CudaGraph(cudaGraphExec_t handle, std::vector<std::shared_ptr<BuiltKernel>> kernels) : m_handle(handle), m_kernels(std::move(kernels))
    {}
    ~CudaGraph() override { cudart().cudaGraphExecDestroy(m_handle); }
    cudaGraphExec_t handle() const { return m_handle; }
    /// What runs in it, and lives as long.
    const std::vector<std::shared_ptr<BuiltKernel>> &kernels() const { return m_kernels; }

private:
    cudaGraphExec_t m_handle;
    std::vector<std::shared_ptr<BuiltKernel>> m_kernels;
};

} // namespace engine
