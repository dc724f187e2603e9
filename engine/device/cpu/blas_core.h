// Which of OpenBLAS's cores (sets of kernels) work: settled by what the processor can do, while the library is being loaded.
#pragma once

#include "engine/rt/cpu_level.h"

namespace engine {

struct BlasCores {
    const char *products; ///< null: OpenBLAS chooses (processors that are not x86-64)
    const char *lapack;
    bool isChosen;     ///< by CROTON_BLAS_CORE
    char problem[240]; ///< why that choice cannot be followed; empty: it can
};

/// From the oldest processors to the newest: each has what the ones before it have.
enum class BlasReach { Sse3, Sse42, Avx, Avx2, Avx512 };

/// `wanted`: what CROTON_BLAS_CORE says, or null.
BlasCores chooseBlasCores(const char *wanted, const RtCpuLevel &level, BlasReach reach, bool isAmd);
/// The ones of this process.
const BlasCores &blasCores();

/// What is wrong with CROTON_CPU_LEVEL or CROTON_BLAS_CORE, one sentence; empty: nothing.
const char *processorSettingsProblem();

} // namespace engine
