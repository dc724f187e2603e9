// oneDNN's matrix product, where that library is installed: on large float32 products it leaves OpenBLAS behind.
#pragma once

#include <cstdint>
#include <string>

namespace engine {

struct OneDnn {
    /// Row-major: c = alpha·op(a)·op(b) + beta·c, on this thread alone.
    void sgemm(bool transposeA, bool transposeB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float *a,
               std::int64_t lda, const float *b, std::int64_t ldb, float beta, float *c, std::int64_t ldc) const;
    /// Does it pay for a product of this many multiply-adds? Up to a million, that number included, OpenBLAS has kernels that pack nothing.
    static bool pays(std::int64_t m, std::int64_t n, std::int64_t k) { return m * n * k > 1'000'000 && n >= 32; }

    int (*product)(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float *, std::int64_t, const float *, std::int64_t,
                   float, float *, std::int64_t) = nullptr;
    int (*mostThreads)() = nullptr;
    void (*setThreads)(int) = nullptr;
};

/// Loaded on first use. Null: not installed, the level is below x86-64-v4, a core of BLAS is chosen, or CROTON_SGEMM=openblas.
const OneDnn *oneDnn();

} // namespace engine
