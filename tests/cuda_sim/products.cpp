// The functions of cuBLAS that the module calls, as its manual says: matrices lie column by column.
#include "tests/cuda_sim/activities.h"
#include "tests/cuda_sim/machine.h"

#include <cublas_v2.h>

using namespace cuda_sim;

namespace {

struct Handle {
    cudaStream_t stream = nullptr;
};

template <class T>
struct Matrix {
    T *address;
    int leading;
    bool turns;
    T &at(int i, int j) const
    {
        return turns ? address[j + static_cast<std::int64_t>(i) * leading] : address[i + static_cast<std::int64_t>(j) * leading];
    }
};

// The last address of what is written column by column lies within the same array.
template <class T>
T *own(const T *address, std::int64_t rows, std::int64_t columns, std::int64_t leading)
{
    const std::int64_t elements = rows > 0 && columns > 0 ? (columns - 1) * leading + rows : 0;
    return reinterpret_cast<T *>(Machine::one().space().own(address, static_cast<std::size_t>(elements) * sizeof(T)));
}

void give(cublasHandle_t handle, std::function<bool()> task)
{
    reinterpret_cast<Stream *>(reinterpret_cast<Handle *>(handle)->stream)->enqueue([call = beginCall(), task = std::move(task)] {
        Machine &machine = Machine::one();
        if (machine.sticky() != cudaSuccess) return;
        const std::uint64_t begin = now();
        if (!task()) return machine.fault(cudaErrorIllegalAddress);
        constexpr unsigned shape[] = {1, 1, 1};
        kernelRan(call, "simulated_gemm", shape, shape, begin, now());
    });
}

template <class T>
bool multiply(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta,
              T *c, int ldc)
{
    const bool turnsA = ta != CUBLAS_OP_N, turnsB = tb != CUBLAS_OP_N;
    T *const aOwn = own(a, turnsA ? k : m, turnsA ? m : k, lda), *const bOwn = own(b, turnsB ? n : k, turnsB ? k : n, ldb);
    T *const cOwn = own(c, m, n, ldc);
    if ((k > 0 && (!aOwn || !bOwn)) || !cOwn) return false;
    const Matrix<T> left{aOwn, lda, turnsA}, right{bOwn, ldb, turnsB}, out{cOwn, ldc, false};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            double sum = 0;
            for (int l = 0; l < k; ++l) sum += static_cast<double>(left.at(i, l)) * right.at(l, j);
            out.at(i, j) = static_cast<T>(alpha * sum + (beta == T(0) ? 0 : beta * static_cast<double>(out.at(i, j))));
        }
    return true;
}

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha, const T *a,
                    int lda, long long nextA, const T *b, int ldb, long long nextB, const T *beta, T *c, int ldc, long long nextC,
                    int count)
{
    const int rowsA = ta == CUBLAS_OP_N ? m : k, rowsB = tb == CUBLAS_OP_N ? k : n;
    if (m < 0 || n < 0 || k < 0 || lda < std::max(1, rowsA) || ldb < std::max(1, rowsB) || ldc < std::max(1, m))
        return CUBLAS_STATUS_INVALID_VALUE;
    give(handle, [=, alpha = *alpha, beta = *beta] {
        for (int i = 0; i < count; ++i)
            if (!multiply(ta, tb, m, n, k, alpha, a + i * nextA, lda, b + i * nextB, ldb, beta, c + i * nextC, ldc)) return false;
        return true;
    });
    return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t turn, int m, int n, const T *alpha, const T *a, int lda, const T *x, int stepX,
                    const T *beta, T *y, int stepY)
{
    if (m < 0 || n < 0 || lda < std::max(1, m) || stepX < 1 || stepY < 1) return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS; // y stays as it is
    give(handle, [=, alpha = *alpha, beta = *beta] {
        const bool turns = turn != CUBLAS_OP_N;
        const int rows = turns ? n : m, columns = turns ? m : n;
        const Matrix<T> left{own(a, m, n, lda), lda, turns};
        T *const from = own(x, 1, columns, stepX), *const to = own(y, 1, rows, stepY);
        if (!left.address || !from || !to) return false;
        for (int i = 0; i < rows; ++i) {
            double sum = 0;
            for (int l = 0; l < columns; ++l) sum += static_cast<double>(left.at(i, l)) * from[static_cast<std::int64_t>(l) * stepX];
            T &out = to[static_cast<std::int64_t>(i) * stepY];
            out = static_cast<T>(alpha * sum + (beta == T(0) ? 0 : beta * static_cast<double>(out)));
        }
        return true;
    });
    return CUBLAS_STATUS_SUCCESS;
}

} // namespace

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    if (Machine::one().fails("cublas")) return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = reinterpret_cast<cublasHandle_t>(new Handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    delete reinterpret_cast<Handle *>(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    reinterpret_cast<Handle *>(handle)->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS           ? "CUBLAS_STATUS_SUCCESS"
           : status == CUBLAS_STATUS_NOT_INITIALIZED ? "CUBLAS_STATUS_NOT_INITIALIZED"
                                                     : "CUBLAS_STATUS_INVALID_VALUE";
}

#define CUDA_SIM_PRODUCTS(T, S)                                                                                                            \
    cublasStatus_t cublas##S##gemm_v2(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,              \
                                      const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)              \
    {                                                                                                                                      \
        return gemm<T>(handle, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);                                          \
    }                                                                                                                                      \
    cublasStatus_t cublas##S##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,   \
                                                 const T *alpha, const T *a, int lda, long long nextA, const T *b, int ldb,                \
                                                 long long nextB, const T *beta, T *c, int ldc, long long nextC, int count)                \
    {                                                                                                                                      \
        return gemm<T>(handle, ta, tb, m, n, k, alpha, a, lda, nextA, b, ldb, nextB, beta, c, ldc, nextC, count);                          \
    }                                                                                                                                      \
    cublasStatus_t cublas##S##gemv_v2(cublasHandle_t handle, cublasOperation_t turn, int m, int n, const T *alpha, const T *a, int lda,    \
                                      const T *x, int stepX, const T *beta, T *y, int stepY)                                               \
    {                                                                                                                                      \
        return gemv<T>(handle, turn, m, n, alpha, a, lda, x, stepX, beta, y, stepY);                                                       \
    }
CUDA_SIM_PRODUCTS(float, S)
CUDA_SIM_PRODUCTS(double, D)
