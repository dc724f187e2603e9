// Matrix products as kernels.
#pragma once

#include "engine/device/opencl/program.h"

#include <map>
#include <mutex>
#include <vector>

namespace engine {

class OpenClProducts {
public:
    explicit OpenClProducts(const OpenClTarget &target) : m_target(target) {}
    std::shared_ptr<OpenClKernel> kernelFor(const MatrixProduct &product);
    /// What that kernel is launched on.
    LaunchShape launchOf(const MatrixProduct &product, std::vector<KernelArgument> &arguments) const;

private:
    const OpenClTarget &m_target;
    std::mutex m_mutex; // guards what follows
    std::map<std::pair<DType, bool>, std::shared_ptr<OpenClKernel>> m_kernels;
};

} // namespace engine
