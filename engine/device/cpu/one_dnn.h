// oneDNN's matrix product, where that library is installed: on large float32 products it leaves OpenBLAS behind.
#pragma once

#include "engine/tensor/held_signals.h"

#include <cstdint>
#include <string>

namespace engine {

struct OneDnn {
    /// Row-major: c = alpha·op(a)·op(b) + beta·c, on this thread alone.
    void sgemm(bool transposeA, bool transposeB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float *a,
               std::int64_t lda, const float *b, std::int64_t ldb, float beta, float *c, std::int64_t ldc) const;
    /// Has the library write the kernels for products of that form, which takes it a hundred times as long as a product.
    void prepare(bool transposeA, bool transposeB, std::int64_t m, std::int64_t n, std::int64_t k, bool adds) const;
    /// Does it pay for a product of this many multiply-adds? Up to a million, that number included, OpenBLAS has kernels that pack nothing.
    static bool pays(std::int64_t m, std::int64_t n, std::int64_t k) { return m * n * k > 1'000'000 && n >= 32; }

    int (*product)(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float *, std::int64_t, const float *, std::int64_t,
                   float, float *, std::int64_t) = nullptr;
    int (*mostThreads)() = nullptr;
    void (*setThreads)(int) = nullptr;
};

/// While it lives the library works on this thread alone. No signal comes meanwhile: its kernels use the stack pointer for memory of the
/// heap, where a handler would write.
class OneDnnCall {
public:
    explicit OneDnnCall(const OneDnn &library) : m_library(library), m_before(library.mostThreads())
    {
        if (m_before != 1) m_library.setThreads(1);
    }
    ~OneDnnCall()
    {
        if (m_before != 1) m_library.setThreads(m_before);
    }
    OneDnnCall(const OneDnnCall &) = delete;
    OneDnnCall &operator=(const OneDnnCall &) = delete;

private:
    const HeldSignals m_held;
    const OneDnn &m_library;
    int m_before;
};

/// Loaded on first use. Null: not installed, the level is below x86-64-v4, a core of BLAS is chosen, or CROTON_SGEMM=openblas.
const OneDnn *oneDnn();

} // namespace engine
