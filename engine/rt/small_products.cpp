// Products of many small matrices, one behind the other: a call of a library for each takes longer than the product.
#include "engine/rt/level.h"

namespace {

constexpr long kMost = RT_SMALL_PRODUCT;

template <class T, int kLanes>
struct Lanes {
    typedef T Vector __attribute__((vector_size(kLanes * sizeof(T)), aligned(sizeof(T)), may_alias));
};

template <class T>
constexpr int kWidest = RT_VECTOR_BYTES / static_cast<int>(sizeof(T));

/// Rows of a product from `row` on, each as whole vectors: the rows of `b` and `c` have room for them.
template <class T, int kLanes, int kVectors, int kDepth, int kRows>
inline void multiplyRows(const RtSmallProducts &sizes, const T *a, const T *b, long bRow, T *c)
{
    using V = typename Lanes<T, kLanes>::Vector;
    const long depth = kDepth ? kDepth : sizes.depth, aRow = sizes.aRow, aColumn = sizes.aColumn;
    V sums[kRows][kVectors];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sums[r][v] = a[r * aRow] * *reinterpret_cast<const V *>(b + v * kLanes);
#pragma GCC unroll 8
    for (long p = 1; p < depth; ++p) {
        V row[kVectors];
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) row[v] = *reinterpret_cast<const V *>(b + p * bRow + v * kLanes);
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
            for (int v = 0; v < kVectors; ++v) sums[r][v] += a[r * aRow + p * aColumn] * row[v];
    }
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) *reinterpret_cast<V *>(c + r * sizes.columns + v * kLanes) = sums[r][v];
}

template <class T, int kLanes, int kVectors, int kDepth>
inline void multiply(const RtSmallProducts &sizes, const T *a, const T *b, long bRow, T *c)
{
    constexpr int kRows = kVectors > 2 ? 2 : 4;
    long r = 0;
    for (; r + kRows <= sizes.rows; r += kRows)
        multiplyRows<T, kLanes, kVectors, kDepth, kRows>(sizes, a + r * sizes.aRow, b, bRow, c + r * sizes.columns);
    for (; r < sizes.rows; ++r) multiplyRows<T, kLanes, kVectors, kDepth, 1>(sizes, a + r * sizes.aRow, b, bRow, c + r * sizes.columns);
}

// Whole vectors reach over the end of a row: into the next one, which is written later. The last products have rows of their own.
template <class T, int kLanes, int kVectors, int kDepth>
void multiplyAll(const RtSmallProducts &sizes, const T *a, const T *b, T *c)
{
    constexpr long kWide = kLanes * kVectors;
    const long rows = sizes.rows, columns = sizes.columns, depth = sizes.depth, area = rows * columns;
    const bool isDense = sizes.bColumn == 1 && sizes.bRow == columns && sizes.bStep == depth * columns;
    const auto behind = [&](long size) { return (kWide - columns + size - 1) / size; }; // products that a row may reach into
    long direct = sizes.count - behind(area);
    if (isDense && sizes.count - behind(depth * columns) < direct) direct = sizes.count - behind(depth * columns);
    T own[kMost * kWide], result[kMost * kMost + kWide];
    for (long i = 0; i < kMost * kWide; ++i) own[i] = 0;
    const auto copyOf = [&](const T *from) {
        for (long p = 0; p < depth; ++p)
            for (long j = 0; j < columns; ++j) own[p * kWide + j] = from[p * sizes.bRow + j * sizes.bColumn];
    };
    for (long i = 0; i < sizes.count; ++i, a += sizes.aStep, b += sizes.bStep, c += area) {
        const bool isDirect = i < direct;
        if (isDense && isDirect) {
            multiply<T, kLanes, kVectors, kDepth>(sizes, a, b, columns, c);
            continue;
        }
        if (i == 0 || sizes.bStep != 0) copyOf(b);
        multiply<T, kLanes, kVectors, kDepth>(sizes, a, own, kWide, isDirect ? c : result);
        if (!isDirect)
            for (long e = 0; e < area; ++e) c[e] = result[e];
    }
}

template <class T, int kLanes, int kVectors>
void withDepth(const RtSmallProducts &sizes, const T *a, const T *b, T *c)
{
    switch (sizes.depth) { // unrolled
    case 2: return multiplyAll<T, kLanes, kVectors, 2>(sizes, a, b, c);
    case 3: return multiplyAll<T, kLanes, kVectors, 3>(sizes, a, b, c);
    case 4: return multiplyAll<T, kLanes, kVectors, 4>(sizes, a, b, c);
    case 5: return multiplyAll<T, kLanes, kVectors, 5>(sizes, a, b, c);
    case 6: return multiplyAll<T, kLanes, kVectors, 6>(sizes, a, b, c);
    case 8: return multiplyAll<T, kLanes, kVectors, 8>(sizes, a, b, c);
    default: return multiplyAll<T, kLanes, kVectors, 0>(sizes, a, b, c);
    }
}

// Matrices times vectors, element by element: a processor has several of them in hand at once.
template <class T, int kDepth>
void multiplyVectors(const RtSmallProducts &sizes, const T *a, const T *b, T *c)
{
    const long depth = kDepth ? kDepth : sizes.depth, aColumn = sizes.aColumn, bRow = sizes.bRow;
    for (long i = 0; i < sizes.count; ++i, a += sizes.aStep, b += sizes.bStep)
        for (long r = 0; r < sizes.rows; ++r) {
            T sum = a[r * sizes.aRow] * b[0];
            for (long p = 1; p < depth; ++p) sum += a[r * sizes.aRow + p * aColumn] * b[p * bRow];
            *c++ = sum;
        }
}

template <class T>
int smallProducts(const RtSmallProducts *wanted, const T *a, const T *b, T *c)
{
    RtSmallProducts sizes = *wanted;
    if (sizes.rows < 1 || sizes.columns < 1) return 1; // nothing to write
    if (sizes.depth < 1 || sizes.rows > kMost || sizes.columns > kMost || sizes.depth > kMost) return 0;
    if (sizes.columns == 1 && sizes.aRow == 1 && sizes.rows > 1) { // c' = b' a'
        const T *const left = b;
        sizes.aStep = wanted->bStep, sizes.aRow = 0, sizes.aColumn = wanted->bRow;
        sizes.bStep = wanted->aStep, sizes.bRow = wanted->aColumn, sizes.bColumn = 1;
        sizes.columns = wanted->rows, sizes.rows = 1;
        b = a, a = left;
    }
    if (sizes.columns == 1) {
        switch (sizes.depth) {
        case 2: multiplyVectors<T, 2>(sizes, a, b, c); return 1;
        case 3: multiplyVectors<T, 3>(sizes, a, b, c); return 1;
        case 4: multiplyVectors<T, 4>(sizes, a, b, c); return 1;
        case 5: multiplyVectors<T, 5>(sizes, a, b, c); return 1;
        case 6: multiplyVectors<T, 6>(sizes, a, b, c); return 1;
        case 8: multiplyVectors<T, 8>(sizes, a, b, c); return 1;
        default: return 0; // wide enough for vectors along the rows
        }
    }
    constexpr int kWidth = kWidest<T>, kHalf = kWidth > 2 ? kWidth / 2 : kWidth, kQuarter = kWidth > 4 ? kWidth / 4 : kHalf;
    const long columns = sizes.columns;
    if (columns <= kQuarter) withDepth<T, kQuarter, 1>(sizes, a, b, c);
    else if (columns <= kHalf) withDepth<T, kHalf, 1>(sizes, a, b, c);
    else if (columns <= kWidth) withDepth<T, kWidth, 1>(sizes, a, b, c);
    else if (columns <= 2 * kWidth) withDepth<T, kWidth, 2>(sizes, a, b, c);
    else if (columns <= 4 * kWidth) withDepth<T, kWidth, 4>(sizes, a, b, c);
    else return 0;
    return 1;
}

} // namespace

extern "C" void RT_NAME(rt_fill_small_products)(RtTable *table)
{
    table->smallProductsF32 = smallProducts<float>;
    table->smallProductsF64 = smallProducts<double>;
}
