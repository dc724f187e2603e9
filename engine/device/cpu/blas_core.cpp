#include "engine/device/cpu/blas_core.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace engine {
namespace {

#if defined(__x86_64__)
const char *const kCores[] = {"Prescott", "Nehalem", "Sandybridge", "Haswell", "SkylakeX"}; // by reach

BlasReach reachOfProcessor()
{
    __builtin_cpu_init();
    const char *best = rt_best_cpu_level();
    if (!std::strcmp(best, "x86-64-v4")) return BlasReach::Avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return BlasReach::Avx2;
    if (__builtin_cpu_supports("avx")) return BlasReach::Avx;
    return __builtin_cpu_supports("sse4.2") ? BlasReach::Sse42 : BlasReach::Sse3;
}
bool isAmdProcessor() { return __builtin_cpu_is("amd"); }
#else
BlasReach reachOfProcessor() { return BlasReach::Sse3; }
bool isAmdProcessor() { return false; }
#endif

} // namespace

BlasCores chooseBlasCores(const char *wanted, const RtCpuLevel &level, BlasReach reach, bool isAmd)
{
    BlasCores cores{nullptr, nullptr, false, ""};
#if defined(__x86_64__)
    BlasReach best = reach;
    if (level.isChosen)
        best = !std::strcmp(level.name, "x86-64-v4")   ? BlasReach::Avx512
               : !std::strcmp(level.name, "x86-64-v3") ? BlasReach::Avx2
                                                       : BlasReach::Sse42;
    cores.products = cores.lapack = kCores[static_cast<int>(best)];
    // Where AVX-512 is no wider than AVX2 inside, the newer kernels gain nothing in large products, and their triangular solves are plain
    // C.
    if (best == BlasReach::Avx512 && isAmd && !level.isChosen) cores.lapack = kCores[static_cast<int>(BlasReach::Avx2)];
    if (!wanted || !*wanted) return cores;
    for (int i = 0; i < static_cast<int>(sizeof kCores / sizeof kCores[0]); ++i) {
        if (std::strcmp(wanted, kCores[i]) != 0) continue;
        if (i > static_cast<int>(reach)) {
            std::snprintf(cores.problem, sizeof cores.problem,
                          "CROTON_BLAS_CORE=%s uses instructions that this processor lacks: unset it, or choose one of Prescott to %s",
                          wanted, kCores[static_cast<int>(reach)]);
            return cores;
        }
        cores.products = cores.lapack = kCores[i];
        cores.isChosen = true;
        return cores;
    }
    std::snprintf(cores.problem, sizeof cores.problem,
                  "CROTON_BLAS_CORE=%.30s is no core: unset it, or choose one of Prescott, Nehalem, Sandybridge, Haswell, SkylakeX",
                  wanted);
#else
    (void)level, (void)reach, (void)isAmd;
    if (wanted && *wanted)
        std::snprintf(cores.problem, sizeof cores.problem, "CROTON_BLAS_CORE=%.30s: cores can be chosen on x86-64 processors only", wanted);
#endif
    return cores;
}

const BlasCores &blasCores()
{
    static const BlasCores cores = chooseBlasCores(std::getenv("CROTON_BLAS_CORE"), *rt_cpu_level(), reachOfProcessor(), isAmdProcessor());
    return cores;
}

const char *processorSettingsProblem() { return *rt_cpu_level()->problem ? rt_cpu_level()->problem : blasCores().problem; }

namespace {

// Nothing else of what stands in the environment is meant for this copy of the library.
char *settingFor(const char *name, const char *core)
{
    if (!std::strcmp(name, "OPENBLAS_CORETYPE")) return const_cast<char *>(core);
    if (!std::strcmp(name, "OPENBLAS_NUM_THREADS")) return const_cast<char *>("1");
    return nullptr;
}

} // namespace
} // namespace engine

// OpenBLAS asks here, in place of getenv, in its constructor.
extern "C" [[gnu::visibility("hidden")]] char *croton_blas_setting(const char *name)
{
    return engine::settingFor(name, engine::blasCores().products);
}
extern "C" [[gnu::visibility("hidden")]] char *croton_lapack_setting(const char *name)
{
    return engine::settingFor(name, engine::blasCores().lapack);
}
