#include "engine/device/cpu/one_dnn.h"

#include "engine/device/cpu/blas_core.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <vector>

namespace engine {
namespace {

template <class F>
bool find(void *library, const char *name, F &function)
{
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

// By the level, not by a trial: the same machine gives the same bits every day. Who names a core wants its kernels.
bool isWanted()
{
    const char *choice = std::getenv("CROTON_SGEMM");
    return std::strcmp(rt_cpu_level()->name, "x86-64-v4") == 0 && !blasCores().isChosen &&
           !(choice && std::strcmp(choice, "openblas") == 0);
}

const OneDnn *loadOneDnn()
{
    if (!isWanted()) return nullptr;
    void *library = nullptr;
    for (const char *name : {"libdnnl.so.3", "libdnnl.so.2"})
        if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return nullptr;
    static OneDnn loaded;
    if (!find(library, "dnnl_sgemm", loaded.product)) return nullptr;
    // Its threads are OpenMP's, which spin; work is split above it.
    if (!find(library, "omp_get_max_threads", loaded.mostThreads) || !find(library, "omp_set_num_threads", loaded.setThreads))
        return nullptr;
    return &loaded;
}

} // namespace

void OneDnn::sgemm(bool transposeA, bool transposeB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float *a,
                   std::int64_t lda, const float *b, std::int64_t ldb, float beta, float *c, std::int64_t ldc) const
{
    const OneDnnCall alone(*this);
    product(transposeA ? 'T' : 'N', transposeB ? 'T' : 'N', m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void OneDnn::prepare(bool transposeA, bool transposeB, std::int64_t m, std::int64_t n, std::int64_t k, bool adds) const
{
    constexpr std::int64_t kEnough = 256; // of a side, for the kernels that larger products have
    static std::array<std::once_flag, 8> forms;
    std::call_once(forms[transposeA * 4 + transposeB * 2 + adds], [&] {
        m = std::min(m, kEnough), n = std::min(n, kEnough), k = std::min(k, kEnough);
        const std::vector<float> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
        std::vector<float> c(static_cast<std::size_t>(m * n));
        sgemm(transposeA, transposeB, m, n, k, 1, a.data(), transposeA ? m : k, b.data(), transposeB ? k : n, adds ? 1.0f : 0.0f, c.data(),
              n);
    });
}

const OneDnn *oneDnn()
{
    static const OneDnn *const library = loadOneDnn();
    return library;
}

} // namespace engine
