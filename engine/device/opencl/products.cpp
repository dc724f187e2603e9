#include "engine/device/opencl/products.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::int64_t kTile = 16;      // of the result, a group's
constexpr std::int64_t kRowItems = 256; // that share a row of a matrix by a vector

// Element (i, j) of a matrix is at i · rowStep + j · columnStep, so transposed ones need no text of their own.
constexpr const char *kParameters = R"(
    __global char *ba, long oa, __global char *bb, long ob, __global char *bc, long oc, long m, long n, long k, long am, long ak, long bk,
    long bn, long cm, long aNext, long bNext, long cNext, double alphaGiven, double betaGiven)
{
    const T alpha = (T)alphaGiven, beta = (T)betaGiven;
)";

constexpr const char *kMatrices = R"(    __local T left[16][17], right[16][17];
    const long tilesN = (n + 15) / 16, tilesM = (m + 15) / 16;
    const long tile = get_group_id(0) % (tilesM * tilesN), one = get_group_id(0) / (tilesM * tilesN);
    const int row = get_local_id(0) / 16, column = get_local_id(0) % 16;
    const long i = tile / tilesN * 16 + row, j = tile % tilesN * 16 + column;
    __global const T *a = (__global const T *)(ba + oa) + one * aNext, *b = (__global const T *)(bb + ob) + one * bNext;
    __global T *c = (__global T *)(bc + oc) + one * cNext;
    T sum = 0;
    for (long from = 0; from < k; from += 16) {
        left[row][column] = i < m && from + column < k ? a[i * am + (from + column) * ak] : (T)0;
        right[row][column] = from + row < k && j < n ? b[(from + row) * bk + j * bn] : (T)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int l = 0; l < 16; ++l) sum = fma(left[row][l], right[l][column], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < m && j < n) c[i * cm + j] = beta == (T)0 ? alpha * sum : alpha * sum + beta * c[i * cm + j];
}
)";

constexpr const char *kVector = R"(    __local T parts[256];
    const int item = get_local_id(0);
    const long i = get_group_id(0) % m, one = get_group_id(0) / m;
    __global const T *a = (__global const T *)(ba + oa) + one * aNext, *b = (__global const T *)(bb + ob) + one * bNext;
    __global T *c = (__global T *)(bc + oc) + one * cNext;
    T sum = 0;
    for (long l = item; l < k; l += 256) sum = fma(a[i * am + l * ak], b[l * bk], sum);
    parts[item] = sum;
    for (int half_ = 128; half_ > 0; half_ /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_) parts[item] += parts[item + half_];
    }
    if (item == 0) c[i * cm] = beta == (T)0 ? alpha * parts[0] : alpha * parts[0] + beta * c[i * cm];
}
)";

std::string textOf(DType dtype, bool isVector)
{
    const bool isDouble = dtype == DType::Float64;
    return std::string("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n") + (isDouble ? "typedef double T;\n" : "typedef float T;\n") +
           "__kernel void croton_kernel_0(" + kParameters + (isVector ? kVector : kMatrices);
}

} // namespace

std::shared_ptr<OpenClKernel> OpenClProducts::kernelFor(const MatrixProduct &product)
{
    if (product.dtype != DType::Float32 && product.dtype != DType::Float64)
        throw DeviceError("products of " + std::string(nameOf(product.dtype)) + " are done elsewhere", 0);
    const bool isVector = product.n == 1;
    std::lock_guard lock(m_mutex);
    std::shared_ptr<OpenClKernel> &kernel = m_kernels[{product.dtype, isVector}];
    if (!kernel)
        kernel = buildOpenCl(m_target, {isVector ? "product by a vector" : "product of matrices", textOf(product.dtype, isVector), {}});
    return kernel;
}

LaunchShape OpenClProducts::launchOf(const MatrixProduct &product, std::vector<KernelArgument> &arguments) const
{
    using Matrix = MatrixProduct::Matrix;
    for (const Matrix *matrix : {&product.a, &product.b, &product.c}) arguments.push_back(KernelArgument::at(matrix->address));
    const auto step = [](const Matrix &matrix, bool alongRow) {
        return alongRow != matrix.isTransposed ? std::int64_t(1) : matrix.leading;
    };
    for (std::int64_t number : {product.m, product.n, product.k, step(product.a, false), step(product.a, true), step(product.b, false),
                                step(product.b, true), product.c.leading, product.a.distance, product.b.distance, product.c.distance})
        arguments.push_back(KernelArgument::of(number));
    arguments.push_back(KernelArgument::of(product.alpha));
    arguments.push_back(KernelArgument::of(product.beta));
    const auto tiles = [](std::int64_t size) { return (size + kTile - 1) / kTile; };
    const std::int64_t groups = product.n == 1 ? product.m : tiles(product.m) * tiles(product.n);
    return {static_cast<std::uint32_t>(groups * product.count), static_cast<std::uint32_t>(product.n == 1 ? kRowItems : kTile * kTile)};
}

} // namespace engine
