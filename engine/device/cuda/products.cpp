#include "engine/device/cuda/products.h"

#include <algorithm>

namespace engine {

#ifdef CROTON_HAS_CUBLAS

namespace {

// cuBLAS counts along columns: what lies there row by row is the transpose to it, so c' = b'·a' is asked for.
template <class T>
cublasStatus_t multiplyAs(cublasHandle_t handle, const MatrixProduct &p)
{
    constexpr bool kIsFloat = sizeof(T) == 4;
    const T alpha = static_cast<T>(p.alpha), beta = static_cast<T>(p.beta);
    const auto *a = static_cast<const T *>(p.a.address), *b = static_cast<const T *>(p.b.address);
    auto *c = static_cast<T *>(p.c.address);
    const auto turn = [](const MatrixProduct::Matrix &matrix) { return matrix.isTransposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    const auto size = [](std::int64_t n) { return static_cast<int>(n); };
    const int m = size(p.m), n = size(p.n), k = size(p.k);
    const int leadA = size(p.a.leading), leadB = size(p.b.leading), leadC = size(p.c.leading);
    if (p.n == 1 && p.count == 1 && p.k > 0) {
        const auto gemv = [&] {
            if constexpr (kIsFloat) return cublas().cublasSgemv;
            else return cublas().cublasDgemv;
        }();
        const int rows = p.a.isTransposed ? m : k, columns = p.a.isTransposed ? k : m;
        return gemv(handle, p.a.isTransposed ? CUBLAS_OP_N : CUBLAS_OP_T, rows, columns, &alpha, a, leadA, b,
                    p.b.isTransposed ? 1 : std::max(leadB, 1), &beta, c, std::max(leadC, 1));
    }
    if (p.count == 1) {
        const auto gemm = [&] {
            if constexpr (kIsFloat) return cublas().cublasSgemm;
            else return cublas().cublasDgemm;
        }();
        return gemm(handle, turn(p.b), turn(p.a), n, m, k, &alpha, b, leadB, a, leadA, &beta, c, leadC);
    }
    const auto batch = [&] {
        if constexpr (kIsFloat) return cublas().cublasSgemmStridedBatched;
        else return cublas().cublasDgemmStridedBatched;
    }();
    return batch(handle, turn(p.b), turn(p.a), n, m, k, &alpha, b, leadB, p.b.distance, a, leadA, p.a.distance, &beta, c, leadC,
                 p.c.distance, size(p.count));
}

} // namespace

CudaProducts::~CudaProducts()
{
    if (m_handle) cublas().cublasDestroy(m_handle);
}

std::string CudaProducts::open()
{
    if (m_handle) return {};
    if (!cublas().problem.empty()) return m_device + " multiplies no matrices: " + cublas().problem;
    cublasStatus_t status = cublas().cublasCreate(&m_handle);
    if (status == CUBLAS_STATUS_SUCCESS) status = cublas().cublasSetStream(m_handle, m_stream);
    return status == CUBLAS_STATUS_SUCCESS ? std::string() : m_device + " opens no cuBLAS: " + cublas().cublasGetStatusString(status);
}

std::string CudaProducts::multiply(const MatrixProduct &product)
{
    if (product.dtype != DType::Float32 && product.dtype != DType::Float64)
        return "products of " + std::string(nameOf(product.dtype)) + " are done elsewhere";
    for (std::int64_t number : {product.m, product.n, product.k, product.count, product.a.leading, product.b.leading, product.c.leading})
        if (number > INT32_MAX) return m_device + " could not multiply matrices: cuBLAS takes no size above 2147483647";
    if (const std::string problem = open(); !problem.empty()) return problem;
    const cublasStatus_t status =
        product.dtype == DType::Float32 ? multiplyAs<float>(m_handle, product) : multiplyAs<double>(m_handle, product);
    if (status == CUBLAS_STATUS_SUCCESS) return {};
    return m_device + " could not multiply matrices: " + cublas().cublasGetStatusString(status);
}

#else

CudaProducts::~CudaProducts() = default;

std::string CudaProducts::multiply(const MatrixProduct &) { return m_device + " multiplies no matrices: " + cublas().problem; }

#endif

} // namespace engine
