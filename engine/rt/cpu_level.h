// The level of instructions that everything goes by: the loops of this folder, generated kernels, the cores of BLAS.
#pragma once

extern "C" {

struct RtCpuLevel {
    const char *name;  ///< "x86-64-v2", "-v3", "-v4"; "base" on other processors
    bool isChosen;     ///< by CROTON_CPU_LEVEL, not by what the processor can do
    char problem[240]; ///< why that choice cannot be followed; empty: it can
};

/// What CROTON_CPU_LEVEL=`wanted` (null: not set) means on a processor whose best level is `best`.
RtCpuLevel rt_choose_cpu_level(const char *wanted, const char *best);
const char *rt_best_cpu_level(void);
/// The one of this process.
const RtCpuLevel *rt_cpu_level(void);
}
