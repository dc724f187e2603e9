// The BLAS that the CPU uses: a table of functions, so that a better provider can take a function's place.
// One thread: work is split above BLAS, where the engine knows what else runs.
#pragma once

#include <complex>
#include <cstdint>
#include <string>

namespace engine {

/// Row-major, as cblas. `T` is float, double or their complex forms.
template <class T>
struct BlasFunctions {
    /// c = alpha·op(a)·op(b) + beta·c; c is m×n, the inner size k.
    void (*gemm)(bool transposeA, bool transposeB, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c,
                 int ldc);
    /// y = alpha·op(a)·x + beta·y for a stored as m×n.
    void (*gemv)(bool transpose, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy);
    /// a += alpha·x·yᵀ
    void (*ger)(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda);
    T (*dot)(int n, const T *x, int incx, const T *y, int incy);
};

struct Blas {
    BlasFunctions<float> f32;
    BlasFunctions<double> f64;
    BlasFunctions<std::complex<float>> c64;
    BlasFunctions<std::complex<double>> c128;
    std::string library;    ///< "OpenBLAS 0.3.21"
    std::string core;       ///< the set of kernels that products use: "Haswell"
    std::string lapackCore; ///< … and that LAPACK uses

    template <class T>
    const BlasFunctions<T> &of() const
    {
        if constexpr (std::is_same_v<T, float>) return f32;
        else if constexpr (std::is_same_v<T, double>) return f64;
        else if constexpr (std::is_same_v<T, std::complex<float>>) return c64;
        else return c128;
    }
};

const Blas &blas();
/// Before the first product of that form: what libraries do once for all is done now, and no product is blamed for it. `T` as above.
template <class T>
void prepareProduct(bool transposeA, bool transposeB, std::int64_t m, std::int64_t n, std::int64_t k, bool adds);

} // namespace engine
