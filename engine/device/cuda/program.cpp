#include "engine/device/cuda/program.h"

#include "engine/device/kept_binary.h"

#include <algorithm>

namespace engine {
namespace {

// Cards that are newer than this compiler take its newest intermediate text.
std::string architectureOf(int capability)
{
    int count = 0;
    nvrtc().nvrtcGetNumSupportedArchs(&count);
    std::vector<int> known(static_cast<std::size_t>(count));
    if (count) nvrtc().nvrtcGetSupportedArchs(known.data());
    if (std::find(known.begin(), known.end(), capability) != known.end()) return "sm_" + std::to_string(capability);
    int best = 0;
    for (int one : known)
        if (one <= capability) best = std::max(best, one);
    return "compute_" + std::to_string(best ? best : capability);
}

std::string logOf(nvrtcProgram program)
{
    std::size_t size = 0;
    nvrtc().nvrtcGetProgramLogSize(program, &size);
    std::string log(size, ' ');
    if (size) nvrtc().nvrtcGetProgramLog(program, log.data());
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n' || log.back() == ' ')) log.pop_back();
    return log;
}

std::vector<char> resultOf(nvrtcProgram program)
{
    std::size_t size = 0;
    nvrtc().nvrtcGetCUBINSize(program, &size);
    std::vector<char> bytes(size);
    if (size) {
        nvrtc().nvrtcGetCUBIN(program, bytes.data());
    } else {
        nvrtc().nvrtcGetPTXSize(program, &size);
        bytes.resize(size);
        nvrtc().nvrtcGetPTX(program, bytes.data());
    }
    return bytes;
}

bool speaksOf(const std::vector<std::string> &words, const char *option)
{
    return std::any_of(words.begin(), words.end(), [&](const std::string &word) { return word.find(option) != std::string::npos; });
}

DeviceError failure(const CudaTarget &target, const std::string &name, const std::string &why)
{
    return DeviceError(target.name + " cannot build the kernel " + name + ": " + why, 0);
}

std::shared_ptr<CudaLibrary> libraryOf(const CudaTarget &target, const KernelSource &source, const std::vector<std::string> &words)
{
    const auto fail = [&](const std::string &why) { return failure(target, source.name, why); };
    if (!nvrtc().problem.empty()) throw fail(nvrtc().problem);
    std::vector<std::string> options{"--gpu-architecture=" + architectureOf(target.capability)};
    options.insert(options.end(), words.begin(), words.end());
    std::string key = source.text;
    int major = 0, minor = 0;
    nvrtc().nvrtcVersion(&major, &minor);
    for (const std::string &option : options) key += '\n' + option;
    const std::string file = binaryFile("cuda", key + '\n' + std::to_string(major) + '.' + std::to_string(minor));
    cudart().cudaSetDevice(target.index);
    cudaLibrary_t library = nullptr;
    const auto load = [&](const std::vector<char> &bytes) {
        return cudart().cudaLibraryLoadData(&library, bytes.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    };
    const std::vector<char> kept = keptBinary(file);
    if (!kept.empty() && load(kept) == cudaSuccess) return std::make_shared<CudaLibrary>(library);
    cudart().cudaGetLastError();
    nvrtcProgram program = nullptr;
    nvrtcResult made = nvrtc().nvrtcCreateProgram(&program, source.text.c_str(), "kernel.cu", 0, nullptr, nullptr);
    if (made != NVRTC_SUCCESS) throw fail(nvrtc().nvrtcGetErrorString(made));
    std::vector<const char *> pointers;
    for (const std::string &option : options) pointers.push_back(option.c_str());
    made = nvrtc().nvrtcCompileProgram(program, static_cast<int>(pointers.size()), pointers.data());
    const std::string log = made == NVRTC_SUCCESS ? std::string() : logOf(program);
    const std::vector<char> bytes = made == NVRTC_SUCCESS ? resultOf(program) : std::vector<char>();
    nvrtc().nvrtcDestroyProgram(&program);
    if (made != NVRTC_SUCCESS) throw fail(log.empty() ? nvrtc().nvrtcGetErrorString(made) : log);
    if (const cudaError_t error = load(bytes); error != cudaSuccess) throw fail(cudaErrorText(error));
    keepBinary(file, bytes);
    return std::make_shared<CudaLibrary>(library);
}

std::shared_ptr<BuiltKernel> kernelOf(const CudaTarget &target, const std::shared_ptr<CudaLibrary> &library, const char *entry,
                                      const std::string &name)
{
    cudaKernel_t kernel = nullptr;
    const cudaError_t error = cudart().cudaLibraryGetKernel(&kernel, library->handle(), entry);
    if (error == cudaSuccess) return std::make_shared<CudaKernel>(library, kernel, name);
    cudart().cudaGetLastError();
    throw failure(target, name, cudaErrorText(error));
}

} // namespace

std::shared_ptr<BuiltKernel> buildCuda(const CudaTarget &target, const KernelSource &source)
{
    std::vector<std::string> words = target.words;
    // As the host computes, unless somebody wants it otherwise.
    if (!speaksOf(words, "-fmad") && !speaksOf(words, "-use_fast_math")) words.insert(words.begin(), "-fmad=false");
    return kernelOf(target, libraryOf(target, source, words), "croton_kernel_0", source.name);
}

CudaProgram::CudaProgram(const CudaTarget &target, const KernelSource &source, const std::vector<std::string> &options)
    : m_target(target), m_library(libraryOf(target, source, options))
{}

std::shared_ptr<BuiltKernel> CudaProgram::kernel(const std::string &name) { return kernelOf(m_target, m_library, name.c_str(), name); }

ProgramFacts CudaProgram::facts(const BuiltKernel &kernel) const
{
    cudaFuncAttributes known{};
    cudart().cudaSetDevice(m_target.index);
    const cudaError_t error = cudart().cudaFuncGetAttributes(&known, static_cast<const CudaKernel &>(kernel).handle());
    if (error != cudaSuccess) {
        cudart().cudaGetLastError();
        throw DeviceError(m_target.name + " says nothing of a kernel: " + cudaErrorText(error), 0);
    }
    return {known.numRegs, known.sharedSizeBytes, known.localSizeBytes, known.constSizeBytes, known.maxThreadsPerBlock};
}

std::pair<void *, std::size_t> CudaProgram::variable(const std::string &name)
{
    void *address = nullptr;
    std::size_t bytes = 0;
    cudart().cudaSetDevice(m_target.index);
    const cudaError_t error = cudart().cudaLibraryGetGlobal(&address, &bytes, m_library->handle(), name.c_str());
    if (error == cudaSuccess) return {address, bytes};
    cudart().cudaGetLastError();
    throw DeviceError(m_target.name + " has no variable " + name + ": " + cudaErrorText(error), 0);
}

} // namespace engine
