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

} // namespace

CudaKernel::~CudaKernel() { cudart().cudaLibraryUnload(m_library); }

std::shared_ptr<BuiltKernel> buildCuda(const CudaTarget &target, const KernelSource &source)
{
    const auto fail = [&](const std::string &why) {
        return DeviceError(target.name + " cannot build the kernel " + source.name + ": " + why, 0);
    };
    if (!nvrtc().problem.empty()) throw fail(nvrtc().problem);
    std::vector<std::string> options{"--gpu-architecture=" + architectureOf(target.capability), "-fmad=false"};
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
    if (kept.empty() || load(kept) != cudaSuccess) {
        cudart().cudaGetLastError();
        nvrtcProgram program = nullptr;
        nvrtcResult made = nvrtc().nvrtcCreateProgram(&program, source.text.c_str(), "kernel.cu", 0, nullptr, nullptr);
        if (made != NVRTC_SUCCESS) throw fail(nvrtc().nvrtcGetErrorString(made));
        std::vector<const char *> words;
        for (const std::string &option : options) words.push_back(option.c_str());
        made = nvrtc().nvrtcCompileProgram(program, static_cast<int>(words.size()), words.data());
        const std::string log = made == NVRTC_SUCCESS ? std::string() : logOf(program);
        const std::vector<char> bytes = made == NVRTC_SUCCESS ? resultOf(program) : std::vector<char>();
        nvrtc().nvrtcDestroyProgram(&program);
        if (made != NVRTC_SUCCESS) throw fail(log.empty() ? nvrtc().nvrtcGetErrorString(made) : log);
        if (const cudaError_t error = load(bytes); error != cudaSuccess) throw fail(cudaErrorText(error));
        keepBinary(file, bytes);
    }
    cudaKernel_t kernel = nullptr;
    if (const cudaError_t error = cudart().cudaLibraryGetKernel(&kernel, library, "croton_kernel_0"); error != cudaSuccess) {
        cudart().cudaLibraryUnload(library);
        throw fail(cudaErrorText(error));
    }
    return std::make_shared<CudaKernel>(library, kernel, source.name);
}

} // namespace engine
