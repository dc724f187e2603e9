#include "engine/device/cpu/blas.h"

#include "engine/device/cpu/blas_core.h"
#include "engine/device/cpu/one_dnn.h"
#include "engine/device/cpu/small_matrices.h"

#include <cblas.h>

#include <cstring>
#include <type_traits>
#include <vector>

namespace engine {
namespace {

CBLAS_TRANSPOSE flag(bool transpose) { return transpose ? CblasTrans : CblasNoTrans; }

void cblasGemm(bool ta, bool tb, int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c,
               int ldc)
{
    cblas_sgemm(CblasRowMajor, flag(ta), flag(tb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblasGemm(bool ta, bool tb, int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb, double beta,
               double *c, int ldc)
{
    cblas_dgemm(CblasRowMajor, flag(ta), flag(tb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

bool hasShortKernels()
{
    static const bool has = blasCores().products && !std::strcmp(blasCores().products, "SkylakeX");
    return has;
}

template <class T>
void gemm(bool ta, bool tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc)
{
    if (ta == tb || !(ta ? small::turnsFirst<T>(n, k, m) : small::turnsSecond<T>(n, k, m)) || !hasShortKernels())
        return cblasGemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    T turned[small::kMostTurned];
    if (ta) {
        small::turn(a, k, m, lda, turned);
        cblasGemm(false, false, m, n, k, alpha, turned, k, b, ldb, beta, c, ldc);
    } else {
        small::turn(b, n, k, ldb, turned);
        cblasGemm(false, false, m, n, k, alpha, a, lda, turned, n, beta, c, ldc);
    }
}

BlasFunctions<float> singleFunctions()
{
    return {
        [](bool ta, bool tb, int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c,
           int ldc) {
            if (OneDnn::pays(m, n, k))
                if (const OneDnn *better = oneDnn()) return better->sgemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
            gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        },
        [](bool t, int m, int n, float alpha, const float *a, int lda, const float *x, int incx, float beta, float *y, int incy) {
            cblas_sgemv(CblasRowMajor, flag(t), m, n, alpha, a, lda, x, incx, beta, y, incy);
        },
        [](int m, int n, float alpha, const float *x, int incx, const float *y, int incy, float *a, int lda) {
            cblas_sger(CblasRowMajor, m, n, alpha, x, incx, y, incy, a, lda);
        },
        [](int n, const float *x, int incx, const float *y, int incy) { return cblas_sdot(n, x, incx, y, incy); },
    };
}

BlasFunctions<double> doubleFunctions()
{
    return {
        gemm<double>,
        [](bool t, int m, int n, double alpha, const double *a, int lda, const double *x, int incx, double beta, double *y, int incy) {
            cblas_dgemv(CblasRowMajor, flag(t), m, n, alpha, a, lda, x, incx, beta, y, incy);
        },
        [](int m, int n, double alpha, const double *x, int incx, const double *y, int incy, double *a, int lda) {
            cblas_dger(CblasRowMajor, m, n, alpha, x, incx, y, incy, a, lda);
        },
        [](int n, const double *x, int incx, const double *y, int incy) { return cblas_ddot(n, x, incx, y, incy); },
    };
}

using C64 = std::complex<float>;
using C128 = std::complex<double>;

// Elements one behind the other. Where those of a complex vector lie apart, OpenBLAS reads one more than there are, in dots and in
// products with a turned matrix: it may lie in memory that nobody has.
template <class T>
class Together {
public:
    Together(int n, const T *x, int step) : m_first(x)
    {
        if (step == 1 || n <= 0) return;
        m_copy.resize(static_cast<std::size_t>(n));
        for (T &element : m_copy) element = *x, x += step;
        m_first = m_copy.data();
    }
    const T *data() const { return m_first; }

private:
    const T *m_first;
    std::vector<T> m_copy;
};

BlasFunctions<C64> complexSingleFunctions()
{
    return {
        [](bool ta, bool tb, int m, int n, int k, C64 alpha, const C64 *a, int lda, const C64 *b, int ldb, C64 beta, C64 *c, int ldc) {
            cblas_cgemm(CblasRowMajor, flag(ta), flag(tb), m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
        },
        [](bool t, int m, int n, C64 alpha, const C64 *a, int lda, const C64 *x, int incx, C64 beta, C64 *y, int incy) {
            cblas_cgemv(CblasRowMajor, flag(t), m, n, &alpha, a, lda, Together(t ? m : n, x, incx).data(), 1, &beta, y, incy);
        },
        [](int m, int n, C64 alpha, const C64 *x, int incx, const C64 *y, int incy, C64 *a, int lda) {
            cblas_cgeru(CblasRowMajor, m, n, &alpha, x, incx, y, incy, a, lda);
        },
        [](int n, const C64 *x, int incx, const C64 *y, int incy) {
            C64 result;
            cblas_cdotu_sub(n, Together(n, x, incx).data(), 1, Together(n, y, incy).data(), 1, &result);
            return result;
        },
    };
}

BlasFunctions<C128> complexDoubleFunctions()
{
    return {
        [](bool ta, bool tb, int m, int n, int k, C128 alpha, const C128 *a, int lda, const C128 *b, int ldb, C128 beta, C128 *c, int ldc) {
            cblas_zgemm(CblasRowMajor, flag(ta), flag(tb), m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
        },
        [](bool t, int m, int n, C128 alpha, const C128 *a, int lda, const C128 *x, int incx, C128 beta, C128 *y, int incy) {
            cblas_zgemv(CblasRowMajor, flag(t), m, n, &alpha, a, lda, Together(t ? m : n, x, incx).data(), 1, &beta, y, incy);
        },
        [](int m, int n, C128 alpha, const C128 *x, int incx, const C128 *y, int incy, C128 *a, int lda) {
            cblas_zgeru(CblasRowMajor, m, n, &alpha, x, incx, y, incy, a, lda);
        },
        [](int n, const C128 *x, int incx, const C128 *y, int incy) {
            C128 result;
            cblas_zdotu_sub(n, Together(n, x, incx).data(), 1, Together(n, y, incy).data(), 1, &result);
            return result;
        },
    };
}

Blas load()
{
    Blas table{singleFunctions(), doubleFunctions(), complexSingleFunctions(), complexDoubleFunctions(), "", "", ""};
    const BlasCores &cores = blasCores();
    table.core = cores.products ? cores.products : openblas_get_corename();
    table.lapackCore = cores.lapack ? cores.lapack : table.core;
    const std::string config = openblas_get_config(); // "OpenBLAS 0.3.21 NO_LAPACKE …"
    table.library = config.substr(0, config.find(' ', config.find(' ') + 1));
    return table;
}

} // namespace

const Blas &blas()
{
    static const Blas table = load();
    return table;
}

template <class T>
void prepareProduct(bool transposeA, bool transposeB, std::int64_t m, std::int64_t n, std::int64_t k, bool adds)
{
    blas();
    if constexpr (std::is_same_v<T, float>)
        if (OneDnn::pays(m, n, k))
            if (const OneDnn *library = oneDnn()) library->prepare(transposeA, transposeB, m, n, k, adds);
}
template void prepareProduct<float>(bool, bool, std::int64_t, std::int64_t, std::int64_t, bool);
template void prepareProduct<double>(bool, bool, std::int64_t, std::int64_t, std::int64_t, bool);
template void prepareProduct<C64>(bool, bool, std::int64_t, std::int64_t, std::int64_t, bool);
template void prepareProduct<C128>(bool, bool, std::int64_t, std::int64_t, std::int64_t, bool);

} // namespace engine
