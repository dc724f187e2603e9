// What the module says to the engine: the cards that are there, or why there are none.
#include "engine/device/cuda/cuda_device.h"
#include "engine/device/cuda/cuda_offers.h"

#include <charconv>

namespace engine {
namespace {

std::unique_ptr<Device> open(const std::string &name)
{
    int index = 0;
    std::from_chars(name.data() + 4, name.data() + name.size(), index);
    return std::make_unique<CudaDevice>(name, index);
}

std::vector<Capability> parts()
{
    const auto part = [](const char *name, const std::string &problem) { return Capability{name, problem.empty(), problem}; };
    return {part("NVRTC", nvrtc().problem), part("cuBLAS", cublas().problem), part("cuDNN", cudnn().problem),
            part("CUPTI", cupti().problem)};
}

std::string whyNone(cudaError_t error, int count)
{
    if (error == cudaSuccess && count > 0) return {};
    int driver = 0, runtime = 0;
    cudart().cudaDriverGetVersion(&driver);
    cudart().cudaRuntimeGetVersion(&runtime);
    if (error == cudaErrorInsufficientDriver && driver == 0) return "the CUDA driver is missing: libcuda.so.1 was not found";
    if (error == cudaErrorInsufficientDriver)
        return "the CUDA driver is too old: it knows CUDA " + cudaVersionText(driver) + ", and this build has " + cudaVersionText(runtime) +
               ": install driver 580 or newer";
    if (error == cudaSuccess || error == cudaErrorNoDevice) return "the CUDA driver finds no card";
    return "the CUDA driver does not start: " + cudaErrorText(error);
}

std::string problem(int &count)
{
    if (!cudart().problem.empty()) return cudart().problem;
    const cudaError_t error = cudart().cudaGetDeviceCount(&count);
    return whyNone(error, count);
}

} // namespace
} // namespace engine

extern "C" void crotonCudaOffers(std::vector<engine::DeviceOffer> &offers)
{
    using namespace engine;
    int count = 0;
    if (std::string why = problem(count); !why.empty()) {
        DeviceOffer none;
        none.name = "cuda";
        none.reason = std::move(why);
        none.parts = parts;
        offers.push_back(std::move(none));
        return;
    }
    for (int i = 0; i < count; ++i) {
        DeviceOffer offer;
        offer.name = "cuda" + std::to_string(i);
        cudaDeviceProp properties{};
        const cudaError_t error = cudart().cudaGetDeviceProperties(&properties, i);
        offer.hardware = properties.name;
        offer.bytes = properties.totalGlobalMem;
        offer.rank = 3;
        if (i == 0) offer.parts = parts;
        if (error != cudaSuccess) offer.reason = "the card does not answer: " + cudaErrorText(error);
        else if (properties.major * 10 + properties.minor < 75)
            offer.reason = offer.hardware + " is of compute capability " + std::to_string(properties.major) + "." +
                           std::to_string(properties.minor) + ", and CUDA 13 needs 7.5";
        else offer.open = open;
        offers.push_back(std::move(offer));
    }
}
