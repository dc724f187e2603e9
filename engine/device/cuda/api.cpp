#include "engine/device/cuda/api.h"

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>

namespace engine {
namespace {

#ifdef CROTON_IN_WHEEL
constexpr const char *kFetch = "pip install 'croton[cuda]'";
constexpr const char *kFetchAll = kFetch;
#else
constexpr const char *kFetch = "app/run --cuda";
constexpr const char *kFetchAll = "app/run --cuda all";
#endif

// Of this module's own RUNPATH, unless a folder is named.
void *opened(const char *file, const char *what, std::string &problem, const char *command = kFetch)
{
    const char *const folder = std::getenv("CROTON_CUDA_LIBRARIES");
    const std::string path = folder && *folder ? std::string(folder) + "/" + file : std::string(file);
    void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) problem = std::string(what) + " is missing (" + path + "): `" + command + "` fetches it";
    return library;
}

#define CROTON_LOAD(name) CROTON_LOAD_EXPANDED(name, #name)
#define CROTON_LOAD_EXPANDED(name, plain) CROTON_LOAD_NAMED(name, plain)
#define CROTON_LOAD_NAMED(name, plain)                                                                                                     \
    if (library) {                                                                                                                         \
        api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, #name));                                                            \
        if (!api.name) api.problem = std::string(plain) + " is not in " + file + ": it is of another version than this build";             \
    }

CudaRuntime loadCudart()
{
    CudaRuntime api;
    const char *const file = "libcudart.so.13";
    void *const library = opened(file, "CUDA's runtime", api.problem);
    CROTON_CUDART_FUNCTIONS(CROTON_LOAD)
    api.isSimulation = library && dlsym(library, "crotonIsSimulation");
    return api;
}

Nvrtc loadNvrtc()
{
    Nvrtc api;
    const char *const file = "libnvrtc.so.13";
    void *const library = opened(file, "CUDA's compiler NVRTC", api.problem);
    CROTON_NVRTC_FUNCTIONS(CROTON_LOAD)
    return api;
}

Cublas loadCublas()
{
    Cublas api;
#ifdef CROTON_HAS_CUBLAS
    const char *const file = "libcublas.so.13";
    void *const library = opened(file, "cuBLAS", api.problem, kFetchAll);
    CROTON_CUBLAS_FUNCTIONS(CROTON_LOAD)
#else
    api.problem = "this build has no cuBLAS, as its headers were not there: `app/run --cuda all` fetches them";
#endif
    return api;
}

Cudnn loadCudnn()
{
    Cudnn api;
#ifdef CROTON_HAS_CUDNN
    const char *const file = "libcudnn.so.9";
    void *const library = opened(file, "cuDNN", api.problem, kFetchAll);
    CROTON_CUDNN_FUNCTIONS(CROTON_LOAD)
#else
    api.problem = "this build has no cuDNN, as its headers were not there: `app/run --cuda all` fetches them";
#endif
    return api;
}

Cupti loadCupti()
{
    Cupti api;
#ifdef CROTON_HAS_CUPTI
    const char *const file = "libcupti.so.13";
    void *const library = opened(file, "CUPTI", api.problem);
    CROTON_CUPTI_FUNCTIONS(CROTON_LOAD)
    std::uint32_t version = 0;
    if (api.problem.empty() && api.cuptiGetVersion(&version) == CUPTI_SUCCESS && version < 130000)
        api.problem = "CUPTI is too old: its version is " + std::to_string(version) + ", and 130000 is needed";
#else
    api.problem = "this build has no CUPTI, as its headers were not there: `app/run --cuda` fetches them";
#endif
    return api;
}

#undef CROTON_LOAD
#undef CROTON_LOAD_EXPANDED
#undef CROTON_LOAD_NAMED

} // namespace

const CudaRuntime &cudart()
{
    static const auto *const api = new CudaRuntime(loadCudart());
    return *api;
}

const Nvrtc &nvrtc()
{
    static const auto *const api = new Nvrtc(loadNvrtc());
    return *api;
}

const Cublas &cublas()
{
    static const auto *const api = new Cublas(loadCublas());
    return *api;
}

const Cudnn &cudnn()
{
    static const auto *const api = new Cudnn(loadCudnn());
    return *api;
}

const Cupti &cupti()
{
    static const auto *const api = new Cupti(loadCupti());
    return *api;
}

std::string cudaErrorText(cudaError_t error)
{
    return std::string(cudart().cudaGetErrorName(error)) + " (" + cudart().cudaGetErrorString(error) + ")";
}

std::string cudaVersionText(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

} // namespace engine
