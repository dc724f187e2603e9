#include "engine/device/opencl/program.h"

#include "engine/device/cpu/compiler/digest.h"
#include "engine/device/cpu/compiler/kernel_cache.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>
#include <vector>

namespace engine {
namespace {

namespace fs = std::filesystem;

fs::path binaryFile(const OpenClTarget &target, const KernelSource &source)
{
    const fs::path folder = kernelCacheDirectory();
    if (folder.empty()) return {};
    return folder / ("opencl-" + digest(target.version + '\n' + source.text) + ".bin");
}

std::string buildLog(const OpenClTarget &target, cl_program program)
{
    std::size_t size = 0;
    openCl().clGetProgramBuildInfo(program, target.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, ' ');
    openCl().clGetProgramBuildInfo(program, target.device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n' || log.back() == ' ')) log.pop_back();
    return log;
}

cl_program fromBinary(const OpenClTarget &target, const fs::path &file)
{
    std::ifstream in(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    if (bytes.empty()) return nullptr;
    const auto *data = reinterpret_cast<const unsigned char *>(bytes.data());
    const std::size_t size = bytes.size();
    cl_int status = CL_SUCCESS, error = CL_SUCCESS;
    cl_program program = openCl().clCreateProgramWithBinary(target.context, 1, &target.device, &size, &data, &status, &error);
    if (!program) return nullptr;
    if (status == CL_SUCCESS && openCl().clBuildProgram(program, 1, &target.device, "", nullptr, nullptr) == CL_SUCCESS) return program;
    openCl().clReleaseProgram(program); // of a driver that calls itself the same: the text is there
    return nullptr;
}

void keepBinary(cl_program program, const fs::path &file)
{
    std::size_t size = 0;
    if (openCl().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS || size == 0) return;
    std::vector<unsigned char> bytes(size);
    unsigned char *place = bytes.data();
    if (openCl().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr) != CL_SUCCESS) return;
    const fs::path mine = file.string() + "." + std::to_string(getpid());
    std::error_code error;
    {
        std::ofstream out(mine, std::ios::binary);
        out.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(size));
        if (!out.flush()) {
            fs::remove(mine, error);
            return;
        }
    }
    fs::rename(mine, file, error); // whoever reads meanwhile has one or the other
}

} // namespace

OpenClKernel::~OpenClKernel()
{
    openCl().clReleaseKernel(m_kernel);
    openCl().clReleaseProgram(m_program);
}

std::shared_ptr<OpenClKernel> buildOpenCl(const OpenClTarget &target, const KernelSource &source, const char *entry)
{
    const auto fail = [&](const std::string &why) {
        return DeviceError(target.name + " cannot build the kernel " + source.name + ": " + why, 0);
    };
    const fs::path file = binaryFile(target, source);
    cl_program program = file.empty() ? nullptr : fromBinary(target, file);
    cl_int error = CL_SUCCESS;
    if (!program) {
        const char *text = source.text.c_str();
        program = openCl().clCreateProgramWithSource(target.context, 1, &text, nullptr, &error);
        if (!program) throw fail(openClError(error));
        error = openCl().clBuildProgram(program, 1, &target.device, "", nullptr, nullptr);
        if (error != CL_SUCCESS) {
            const std::string log = buildLog(target, program);
            openCl().clReleaseProgram(program);
            throw fail(log.empty() ? openClError(error) : log);
        }
        if (!file.empty() && keepsKernels()) keepBinary(program, file);
    }
    cl_kernel kernel = openCl().clCreateKernel(program, entry, &error);
    if (!kernel) {
        openCl().clReleaseProgram(program);
        throw fail(openClError(error));
    }
    return std::make_shared<OpenClKernel>(program, kernel, source.name);
}

} // namespace engine
