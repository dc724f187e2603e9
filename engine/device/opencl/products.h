// Matrix products as kernels.
#pragma once

#include "engine/device/opencl/program.h"

#include <map>
#include <mutex>
#include <vector>

namespace engine {

class OpenClProducts {
public:
    enum class Way { Matrices, Vector, AlongDenseRows, AlongRows, DownColumns };

    OpenClProducts(const OpenClTarget &target, bool isProcessor) : m_target(target), m_isProcessor(isProcessor) {}
    /// Has a processor a kernel for it that takes no longer than the host's BLAS, which would wait for all work before?
    bool isQuickOnProcessor(const MatrixProduct &product) const;
    std::shared_ptr<OpenClKernel> kernelFor(const MatrixProduct &product);
    /// What that kernel is launched on.
    LaunchShape launchOf(const MatrixProduct &product, std::vector<KernelArgument> &arguments) const;

private:
    Way wayOf(const MatrixProduct &product) const;

    const OpenClTarget &m_target;
    bool m_isProcessor;
    std::mutex m_mutex; // guards what follows
    std::map<std::pair<DType, Way>, std::shared_ptr<OpenClKernel>> m_kernels;
};

} // namespace engine
