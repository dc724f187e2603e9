#include "engine/device/cuda/cuda_offers.h"

#include <dlfcn.h>
#include <filesystem>

namespace engine {
namespace {

#ifdef CROTON_HAS_CUDA
constexpr const char *kAbsent = nullptr;
#elif defined CROTON_IN_WHEEL
constexpr const char *kAbsent =
    "this wheel was built where CUDA's headers were not: `resources/scripts/fetch_cuda all` fetches them for a wheel of your own";
#else
constexpr const char *kAbsent =
    "this build has no CUDA, as its headers were not there: `app/run --cuda` fetches them and builds the module";
#endif

// It lies beside this library.
std::string modulePath()
{
    Dl_info info{};
    dladdr(reinterpret_cast<const void *>(&cudaOffers), &info);
    return std::filesystem::path(info.dli_fname ? info.dli_fname : "").parent_path() / "libcroton_cuda.so";
}

} // namespace

std::vector<DeviceOffer> cudaOffers()
{
    std::vector<DeviceOffer> offers;
    std::string problem;
    if (kAbsent) {
        problem = kAbsent;
    } else if (void *const module = dlopen(modulePath().c_str(), RTLD_NOW | RTLD_LOCAL); !module) {
        problem = std::string("the module for CUDA does not load: ") + dlerror();
    } else if (const auto find = reinterpret_cast<decltype(&crotonCudaOffers)>(dlsym(module, "crotonCudaOffers")); find) {
        find(offers);
    } else {
        problem = modulePath() + " is of another version";
    }
    if (!problem.empty()) {
        offers.resize(1);
        offers[0].name = "cuda";
        offers[0].reason = problem;
    }
    return offers;
}

} // namespace engine
