#include "engine/device/cpu/blas.h"

#include "engine/runtime/convert.h"

#include <cblas.h>

#include <complex>
#include <cstring>
#include <dlfcn.h>

namespace engine {
namespace {

// Our own pool splits work; BLAS threads would only fight with it.
const bool g_oneThread = [] {
    if (auto *set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(1);
    return true;
}();

template <class T>
struct Blas;

template <>
struct Blas<float> {
    static void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const float *alpha, const float *a, int lda, const float *b,
                     int ldb, const float *beta, float *c, int ldc)
    {
        cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
    }
    static void gemv(CBLAS_TRANSPOSE t, int m, int n, const float *alpha, const float *a, int lda, const float *x, int incx, const float *beta,
                     float *y, int incy)
    {
        cblas_sgemv(CblasRowMajor, t, m, n, *alpha, a, lda, x, incx, *beta, y, incy);
    }
};

template <>
struct Blas<double> {
    static void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const double *alpha, const double *a, int lda,
                     const double *b, int ldb, const double *beta, double *c, int ldc)
    {
        cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
    }
    static void gemv(CBLAS_TRANSPOSE t, int m, int n, const double *alpha, const double *a, int lda, const double *x, int incx,
                     const double *beta, double *y, int incy)
    {
        cblas_dgemv(CblasRowMajor, t, m, n, *alpha, a, lda, x, incx, *beta, y, incy);
    }
};

template <>
struct Blas<std::complex<float>> {
    using T = std::complex<float>;
    static void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb,
                     const T *beta, T *c, int ldc)
    {
        cblas_cgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    }
    static void gemv(CBLAS_TRANSPOSE t, int m, int n, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy)
    {
        cblas_cgemv(CblasRowMajor, t, m, n, alpha, a, lda, x, incx, beta, y, incy);
    }
};

template <>
struct Blas<std::complex<double>> {
    using T = std::complex<double>;
    static void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb,
                     const T *beta, T *c, int ldc)
    {
        cblas_zgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    }
    static void gemv(CBLAS_TRANSPOSE t, int m, int n, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy)
    {
        cblas_zgemv(CblasRowMajor, t, m, n, alpha, a, lda, x, incx, beta, y, incy);
    }
};

template <class T>
constexpr bool kHasBlas = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::complex<float>> ||
                          std::is_same_v<T, std::complex<double>>;

// A matrix as BLAS wants it: rows or columns contiguous. Other layouts are copied into `owner`.
struct Matrix {
    const void *data = nullptr;
    int leading = 1;
    bool transposed = false;
    Tensor owner;
};

Matrix prepare(const View &view)
{
    const auto width = static_cast<std::int64_t>(sizeOf(view.dtype));
    const std::int64_t rows = view.shape[0], columns = view.shape[1];
    const std::int64_t down = view.strides[0], across = view.strides[1];
    Matrix m;
    m.data = view.data;
    const bool rowMajor = (columns == 1 || across == width) && (rows == 1 || (down % width == 0 && down >= columns * width));
    const bool columnMajor = (rows == 1 || down == width) && (columns == 1 || (across % width == 0 && across >= rows * width));
    if (rowMajor) {
        m.leading = static_cast<int>(rows == 1 ? columns : down / width);
    } else if (columnMajor) {
        m.leading = static_cast<int>(columns == 1 ? rows : across / width);
        m.transposed = true;
    } else {
        m.owner = Tensor::empty(view.dtype, {rows, columns});
        copyConverted(view, m.owner.view());
        m.data = m.owner.data();
        m.leading = static_cast<int>(columns);
    }
    if (m.leading < 1) m.leading = 1;
    return m;
}

// A vector with a positive step; others are copied.
struct Vector {
    const void *data = nullptr;
    int step = 1;
    Tensor owner;
};

Vector prepareVector(const View &view)
{
    const auto width = static_cast<std::int64_t>(sizeOf(view.dtype));
    Vector v;
    v.data = view.data;
    if (view.shape[0] <= 1) return v;
    if (view.strides[0] > 0 && view.strides[0] % width == 0) {
        v.step = static_cast<int>(view.strides[0] / width);
        return v;
    }
    v.owner = Tensor::empty(view.dtype, {view.shape[0]});
    copyConverted(view, v.owner.view());
    v.data = v.owner.data();
    return v;
}

template <class T>
bool isZero(const void *value)
{
    T element;
    std::memcpy(&element, value, sizeof(T));
    return element == T(0);
}

template <class T>
void scale(const View &y, const void *beta)
{
    T factor;
    std::memcpy(&factor, beta, sizeof(T));
    if (factor == T(1)) return;
    const std::int64_t rows = y.rank == 2 ? y.shape[0] : 1, columns = y.shape[y.rank - 1];
    for (std::int64_t r = 0; r < rows; ++r) {
        char *place = y.as<char>() + (y.rank == 2 ? r * y.strides[0] : 0);
        for (std::int64_t c = 0; c < columns; ++c, place += y.strides[y.rank - 1]) {
            T &element = *reinterpret_cast<T *>(place);
            element = factor == T(0) ? T(0) : static_cast<T>(element * factor);
        }
    }
}

// Discrete dtypes: no BLAS knows them. Loop order keeps both inner arrays moving along a row.
template <class T>
void plainGemm(const void *alphaPlace, const View &a, const View &b, const void *beta, const View &c)
{
    scale<T>(c, beta);
    T alpha;
    std::memcpy(&alpha, alphaPlace, sizeof(T));
    for (std::int64_t i = 0; i < c.shape[0]; ++i)
        for (std::int64_t k = 0; k < a.shape[1]; ++k) {
            T left;
            std::memcpy(&left, a.as<char>() + i * a.strides[0] + k * a.strides[1], sizeof(T));
            left = static_cast<T>(alpha * left);
            for (std::int64_t j = 0; j < c.shape[1]; ++j) {
                T right;
                std::memcpy(&right, b.as<char>() + k * b.strides[0] + j * b.strides[1], sizeof(T));
                T &out = *reinterpret_cast<T *>(c.as<char>() + i * c.strides[0] + j * c.strides[1]);
                if constexpr (std::is_same_v<T, bool>) out = out || (left && right);
                else out = static_cast<T>(out + left * right);
            }
        }
}

template <class T>
void typedGemm(const void *alpha, const View &a, const View &b, const void *beta, const View &c)
{
    if constexpr (!kHasBlas<T>) {
        plainGemm<T>(alpha, a, b, beta, c);
    } else {
        const T one(1);
        if (isZero<T>(beta)) {
            scale<T>(c, beta);
            beta = &one;
        }
        if (a.shape[1] == 0) {
            scale<T>(c, beta);
            return;
        }
        const Matrix left = prepare(a), right = prepare(b);
        const Matrix target = prepare(c);
        const int m = static_cast<int>(c.shape[0]), n = static_cast<int>(c.shape[1]), k = static_cast<int>(a.shape[1]);
        const auto flag = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
        auto *out = static_cast<T *>(const_cast<void *>(target.data));
        const auto *factor = static_cast<const T *>(alpha), *keep = static_cast<const T *>(beta);
        if (target.transposed) // cᵀ = bᵀ aᵀ in row-major order
            Blas<T>::gemm(flag(!right.transposed), flag(!left.transposed), n, m, k, factor, static_cast<const T *>(right.data), right.leading,
                          static_cast<const T *>(left.data), left.leading, keep, out, target.leading);
        else
            Blas<T>::gemm(flag(left.transposed), flag(right.transposed), m, n, k, factor, static_cast<const T *>(left.data), left.leading,
                          static_cast<const T *>(right.data), right.leading, keep, out, target.leading);
        if (target.owner.valid()) copyConverted(target.owner.view(), c);
    }
}

template <class T>
void typedGemv(const void *alpha, const View &a, const View &x, const void *beta, const View &y)
{
    const T one(1);
    if (isZero<T>(beta)) {
        scale<T>(y, beta);
        beta = &one;
    }
    if constexpr (!kHasBlas<T>) {
        const std::int64_t xs[2] = {x.shape[0], 1}, xst[2] = {x.strides[0], 0}, ys[2] = {y.shape[0], 1}, yst[2] = {y.strides[0], 0};
        plainGemm<T>(alpha, a, View{x.data, x.dtype, 2, xs, xst}, beta, View{y.data, y.dtype, 2, ys, yst});
    } else {
        if (a.shape[1] == 0) {
            scale<T>(y, beta);
            return;
        }
        const Matrix matrix = prepare(a);
        const Vector in = prepareVector(x);
        const Vector out = prepareVector(y);
        const int rows = static_cast<int>(matrix.transposed ? a.shape[1] : a.shape[0]);
        const int columns = static_cast<int>(matrix.transposed ? a.shape[0] : a.shape[1]);
        Blas<T>::gemv(matrix.transposed ? CblasTrans : CblasNoTrans, rows, columns, static_cast<const T *>(alpha),
                      static_cast<const T *>(matrix.data), matrix.leading, static_cast<const T *>(in.data), in.step,
                      static_cast<const T *>(beta), static_cast<T *>(const_cast<void *>(out.data)), out.step);
        if (out.owner.valid()) copyConverted(out.owner.view(), y);
    }
}

template <class T>
void typedGer(const void *alphaPlace, const View &x, const View &y, const View &a)
{
    T alpha;
    std::memcpy(&alpha, alphaPlace, sizeof(T));
    for (std::int64_t i = 0; i < a.shape[0]; ++i) {
        T left;
        std::memcpy(&left, x.as<char>() + i * x.strides[0], sizeof(T));
        left = static_cast<T>(alpha * left);
        char *row = a.as<char>() + i * a.strides[0];
        const char *right = y.as<char>();
        for (std::int64_t j = 0; j < a.shape[1]; ++j, row += a.strides[1], right += y.strides[0]) {
            T &out = *reinterpret_cast<T *>(row);
            if constexpr (std::is_same_v<T, bool>) out = out || (left && *reinterpret_cast<const T *>(right));
            else out = static_cast<T>(out + left * *reinterpret_cast<const T *>(right));
        }
    }
}

template <class F>
void dispatch(DType dtype, F &&f)
{
    withStorageType(dtype, [&]<class T>() {
        if constexpr (std::is_same_v<T, Half>) throw InternalError("products of float16 go through float32");
        else f.template operator()<T>();
    });
}

} // namespace

void gemm(const void *alpha, const View &a, const View &b, const void *beta, const View &c)
{
    if (c.size() == 0) return;
    dispatch(c.dtype, [&]<class T>() { typedGemm<T>(alpha, a, b, beta, c); });
}

void gemv(const void *alpha, const View &a, const View &x, const void *beta, const View &y)
{
    if (y.size() == 0) return;
    dispatch(y.dtype, [&]<class T>() { typedGemv<T>(alpha, a, x, beta, y); });
}

void ger(const void *alpha, const View &x, const View &y, const View &a)
{
    if (a.size() == 0) return;
    dispatch(a.dtype, [&]<class T>() { typedGer<T>(alpha, x, y, a); });
}

std::string blasCore()
{
    auto *name = reinterpret_cast<char *(*)()>(dlsym(RTLD_DEFAULT, "openblas_get_corename"));
    return name ? name() : "";
}

} // namespace engine
