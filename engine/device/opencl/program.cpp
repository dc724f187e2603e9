#include "engine/device/opencl/program.h"

#include "engine/device/kept_binary.h"

#include <vector>

namespace engine {
namespace {

std::string buildLog(const OpenClTarget &target, cl_program program)
{
    std::size_t size = 0;
    openCl().clGetProgramBuildInfo(program, target.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, ' ');
    openCl().clGetProgramBuildInfo(program, target.device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n' || log.back() == ' ')) log.pop_back();
    return log;
}

cl_program fromBinary(const OpenClTarget &target, const std::string &file, const std::string &options)
{
    const std::vector<char> bytes = keptBinary(file);
    if (bytes.empty()) return nullptr;
    const auto *data = reinterpret_cast<const unsigned char *>(bytes.data());
    const std::size_t size = bytes.size();
    cl_int status = CL_SUCCESS, error = CL_SUCCESS;
    cl_program program = openCl().clCreateProgramWithBinary(target.context, 1, &target.device, &size, &data, &status, &error);
    if (!program) return nullptr;
    if (status == CL_SUCCESS && openCl().clBuildProgram(program, 1, &target.device, options.c_str(), nullptr, nullptr) == CL_SUCCESS)
        return program;
    openCl().clReleaseProgram(program); // of a driver that calls itself the same: the text is there
    return nullptr;
}

void keep(cl_program program, const std::string &file)
{
    std::size_t size = 0;
    if (openCl().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS || size == 0) return;
    std::vector<char> bytes(size);
    char *place = bytes.data();
    if (openCl().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr) != CL_SUCCESS) return;
    keepBinary(file, bytes);
}

DeviceError failure(const OpenClTarget &target, const std::string &name, const std::string &why)
{
    return DeviceError(target.name + " cannot build the kernel " + name + ": " + why, 0);
}

cl_program programOf(const OpenClTarget &target, const KernelSource &source, const std::string &options)
{
    const auto fail = [&](const std::string &why) { return failure(target, source.name, why); };
    const std::string file = binaryFile("opencl", target.version + '\n' + source.text + (options.empty() ? "" : '\n' + options));
    cl_program program = fromBinary(target, file, options);
    if (program) return program;
    cl_int error = CL_SUCCESS;
    const char *text = source.text.c_str();
    program = openCl().clCreateProgramWithSource(target.context, 1, &text, nullptr, &error);
    if (!program) throw fail(openClError(error));
    error = openCl().clBuildProgram(program, 1, &target.device, options.c_str(), nullptr, nullptr);
    if (error != CL_SUCCESS) {
        const std::string log = buildLog(target, program);
        openCl().clReleaseProgram(program);
        throw fail(log.empty() ? openClError(error) : log);
    }
    keep(program, file);
    return program;
}

std::string line(const std::vector<std::string> &words)
{
    std::string text;
    for (const std::string &word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

} // namespace

OpenClKernel::~OpenClKernel()
{
    openCl().clReleaseKernel(m_kernel);
    openCl().clReleaseProgram(m_program);
}

std::shared_ptr<OpenClKernel> buildOpenCl(const OpenClTarget &target, const KernelSource &source, const char *entry)
{
    // What a compiler warns of in our own texts is nobody's business.
    cl_program program = programOf(target, source, "-w");
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = openCl().clCreateKernel(program, entry, &error);
    if (kernel) return std::make_shared<OpenClKernel>(program, kernel, source.name);
    openCl().clReleaseProgram(program);
    throw failure(target, source.name, openClError(error));
}

OpenClProgram::OpenClProgram(const OpenClTarget &target, const KernelSource &source, const std::vector<std::string> &options)
    : m_target(target), m_program(programOf(target, source, line(options)))
{}

OpenClProgram::~OpenClProgram() { openCl().clReleaseProgram(m_program); }

std::shared_ptr<BuiltKernel> OpenClProgram::kernel(const std::string &name)
{
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = openCl().clCreateKernel(m_program, name.c_str(), &error);
    if (!kernel) throw failure(m_target, name, openClError(error));
    openCl().clRetainProgram(m_program);
    return std::make_shared<OpenClKernel>(m_program, kernel, name);
}

ProgramFacts OpenClProgram::facts(const BuiltKernel &kernel) const
{
    std::size_t most = 0;
    openCl().clGetKernelWorkGroupInfo(static_cast<const OpenClKernel &>(kernel).handle(), m_target.device, CL_KERNEL_WORK_GROUP_SIZE,
                                      sizeof most, &most, nullptr);
    return {.mostItems = static_cast<int>(most)};
}

std::pair<void *, std::size_t> OpenClProgram::variable(const std::string &name)
{
    throw DeviceError(m_target.name + " shows no variable " + name + ": OpenCL has none outside of kernels", 0);
}

} // namespace engine
