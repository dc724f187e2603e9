// Kernels from text, and their binaries on disk.
#pragma once

#include "engine/device/device_program.h"
#include "engine/device/opencl/api.h"

#include <string>

namespace engine {

class OpenClKernel final : public BuiltKernel {
public:
    OpenClKernel(cl_program program, cl_kernel kernel, std::string name) : m_program(program), m_kernel(kernel), m_name(std::move(name)) {}
    ~OpenClKernel() override;
    cl_kernel handle() const { return m_kernel; }
    const std::string &name() const { return m_name; }

private:
    cl_program m_program;
    cl_kernel m_kernel;
    std::string m_name;
};

struct OpenClTarget {
    cl_context context = nullptr;
    cl_device_id device = nullptr;
    std::string name;
    std::string version; ///< of device and driver: binaries of others are not for it
};

/// The function `entry` of the text. Throws DeviceError with what the compiler said.
std::shared_ptr<OpenClKernel> buildOpenCl(const OpenClTarget &target, const KernelSource &source, const char *entry = "croton_kernel_0");

class OpenClProgram final : public DeviceProgram {
public:
    OpenClProgram(const OpenClTarget &target, const KernelSource &source, const std::vector<std::string> &options);
    ~OpenClProgram() override;
    std::shared_ptr<BuiltKernel> kernel(const std::string &name) override;
    ProgramFacts facts(const BuiltKernel &kernel) const override;
    std::pair<void *, std::size_t> variable(const std::string &name) override;

private:
    OpenClTarget m_target;
    cl_program m_program;
};

} // namespace engine
