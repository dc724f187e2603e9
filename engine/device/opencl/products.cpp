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

// On a processor: an item has a strip of rows, which it reads along or, where their elements lie side by side down the columns, across.
constexpr const char *kStrip =
    R"(    const long strip = (m + get_global_size(0) - 1) / get_global_size(0), first = get_global_id(0) * strip;
    const long end = first + strip < m ? first + strip : m;
    __global const T *a = (__global const T *)(ba + oa), *b = (__global const T *)(bb + ob);
    __global T *c = (__global T *)(bc + oc);
)";

constexpr const char *kAlongRows = R"(    for (long i = first; i < end; ++i) {
        T parts[32];
        for (int q = 0; q < 32; ++q) parts[q] = 0;
        long l = 0;
        for (; l + 32 <= k; l += 32) {
#pragma unroll
            for (int q = 0; q < 32; ++q) parts[q] = fma(a[i * am + (l + q) * AK], b[(l + q) * BK], parts[q]);
        }
        for (; l < k; ++l) parts[0] = fma(a[i * am + l * AK], b[l * BK], parts[0]);
        for (int q = 1; q < 32; ++q) parts[0] += parts[q];
        c[i * cm] = beta == (T)0 ? alpha * parts[0] : alpha * parts[0] + beta * c[i * cm];
    }
}
)";

constexpr const char *kDownColumns = R"(    for (long from = first; from < end; from += 512) {
        T parts[512];
        const int count = (int)(end - from < 512 ? end - from : 512);
        for (int q = 0; q < count; ++q) parts[q] = 0;
        for (long l = 0; l < k; ++l) {
            const T factor = b[l * bk];
            __global const T *column = a + from + l * ak;
#pragma clang loop vectorize(assume_safety) vectorize_width(16)
            for (int q = 0; q < count; ++q) parts[q] = fma(column[q], factor, parts[q]);
        }
        for (int q = 0; q < count; ++q) {
            const long i = from + q;
            c[i * cm] = beta == (T)0 ? alpha * parts[q] : alpha * parts[q] + beta * c[i * cm];
        }
    }
}
)";

constexpr std::int64_t kLeastStrip = 16384, kMostStrips = 64; // as elementwise work is shared out

std::int64_t stepOf(const MatrixProduct::Matrix &matrix, bool alongRow)
{
    return alongRow != matrix.isTransposed ? std::int64_t(1) : matrix.leading;
}

std::string textOf(DType dtype, OpenClProducts::Way way)
{
    const bool isDouble = dtype == DType::Float64;
    std::string text =
        std::string("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n") + (isDouble ? "typedef double T;\n" : "typedef float T;\n");
    const std::string kernel = std::string("__kernel void croton_kernel_0(") + kParameters;
    using Way = OpenClProducts::Way;
    switch (way) {
    case Way::Matrices: return text + kernel + kMatrices;
    case Way::Vector: return text + kernel + kVector;
    case Way::DownColumns: return text + kernel + kStrip + kDownColumns;
    case Way::AlongRows: return text + "#define AK ak\n#define BK bk\n" + kernel + kStrip + kAlongRows;
    default: return text + "#define AK 1\n#define BK 1\n" + kernel + kStrip + kAlongRows;
    }
}

} // namespace

OpenClProducts::Way OpenClProducts::wayOf(const MatrixProduct &product) const
{
    if (product.n != 1) return Way::Matrices;
    if (!m_isProcessor) return Way::Vector;
    if (stepOf(product.a, true) == 1) return stepOf(product.b, false) == 1 ? Way::AlongDenseRows : Way::AlongRows;
    return stepOf(product.a, false) == 1 ? Way::DownColumns : Way::AlongRows;
}

bool OpenClProducts::isQuickOnProcessor(const MatrixProduct &product) const
{
    return m_isProcessor && product.n == 1 && product.count == 1 && product.k <= kLeastStrip;
}

std::shared_ptr<OpenClKernel> OpenClProducts::kernelFor(const MatrixProduct &product)
{
    if (product.dtype != DType::Float32 && product.dtype != DType::Float64)
        throw DeviceError("products of " + std::string(nameOf(product.dtype)) + " are done elsewhere", 0);
    const Way way = wayOf(product);
    std::lock_guard lock(m_mutex);
    std::shared_ptr<OpenClKernel> &kernel = m_kernels[{product.dtype, way}];
    if (!kernel)
        kernel =
            buildOpenCl(m_target, {way == Way::Matrices ? "product of matrices" : "product by a vector", textOf(product.dtype, way), {}});
    return kernel;
}

LaunchShape OpenClProducts::launchOf(const MatrixProduct &product, std::vector<KernelArgument> &arguments) const
{
    using Matrix = MatrixProduct::Matrix;
    for (const Matrix *matrix : {&product.a, &product.b, &product.c}) arguments.push_back(KernelArgument::at(matrix->address));
    for (std::int64_t number :
         {product.m, product.n, product.k, stepOf(product.a, false), stepOf(product.a, true), stepOf(product.b, false),
          stepOf(product.b, true), product.c.leading, product.a.distance, product.b.distance, product.c.distance})
        arguments.push_back(KernelArgument::of(number));
    arguments.push_back(KernelArgument::of(product.alpha));
    arguments.push_back(KernelArgument::of(product.beta));
    if (product.n == 1 && m_isProcessor) {
        const std::int64_t strips = std::min({product.m * product.k / kLeastStrip, product.m, kMostStrips});
        return {static_cast<std::uint32_t>(std::max<std::int64_t>(strips, 1)), 1};
    }
    const auto tiles = [](std::int64_t size) { return (size + kTile - 1) / kTile; };
    const std::int64_t groups = product.n == 1 ? product.m : tiles(product.m) * tiles(product.n);
    return {static_cast<std::uint32_t>(groups * product.count), static_cast<std::uint32_t>(product.n == 1 ? kRowItems : kTile * kTile)};
}

} // namespace engine
