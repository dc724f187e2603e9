#include "engine/ops/reductions/row_loops.h"

#include <algorithm>
#include <limits>

namespace engine {
namespace {

constexpr std::int64_t kShort = 32;   // below, a call costs more than a plain loop
constexpr std::int64_t kBlock = 4096; // elements between reading and reading again: they stay in the first cache

template <class T>
constexpr RtKind kKind = sizeof(T) == 4 ? RT_F32 : RT_F64;

template <class T>
double sumOf(const T *values, std::int64_t count)
{
    double total = 0;
    if (count < kShort) {
        for (std::int64_t i = 0; i < count; ++i) total += values[i];
        return total;
    }
    const RtTable *rt = rt_table();
    (sizeof(T) == 4 ? rt->wideFolds[RT_SUM] : rt->folds[RT_SUM][RT_F64])(values, count, &total);
    return total;
}

// As folds of each row: short ones are read side by side.
template <class T>
void sumsOf(const T *x, std::int64_t rows, std::int64_t count, double *totals)
{
    const RtTable *rt = rt_table();
    std::fill_n(totals, rows, 0.0);
    (sizeof(T) == 4 ? rt->wideFoldEach[RT_SUM] : rt->foldEach[RT_SUM][RT_F64])(reinterpret_cast<const char *>(x), rows,
                                                                               count * static_cast<std::int64_t>(sizeof(T)), count, totals);
}

// NaN where there is one, as NumPy's max.
template <class T>
void largestOf(const T *x, std::int64_t rows, std::int64_t count, T *tops)
{
    std::fill_n(tops, rows, -std::numeric_limits<T>::infinity());
    rt_table()->foldEach[RT_MAX][kKind<T>](reinterpret_cast<const char *>(x), rows, count * static_cast<std::int64_t>(sizeof(T)), count,
                                           tops);
}

} // namespace

template <class T>
void shiftedExponentials(const T *x, T *out, std::int64_t rows, std::int64_t count, double *totals, T *shifts)
{
    const RtLoop exponential = rt_table()->loops[RT_EXP][kKind<T>];
    const std::int64_t step = std::max<std::int64_t>(1, kBlock / std::max<std::int64_t>(count, 1));
    for (std::int64_t first = 0; first < rows; first += step) {
        const std::int64_t end = std::min(rows, first + step);
        largestOf(x + first * count, end - first, count, shifts + first);
        for (std::int64_t r = first; r < end; ++r)
            for (std::int64_t i = 0; i < count; ++i) out[r * count + i] = x[r * count + i] - shifts[r];
        const void *in[] = {out + first * count};
        exponential(out + first * count, in, (end - first) * count);
        sumsOf(out + first * count, end - first, count, totals + first);
    }
}

template <class T>
double sumOfProducts(const T *a, const T *b, std::int64_t count)
{
    constexpr std::int64_t kPart = 1024;
    T products[kPart];
    const auto multiply = [&](std::int64_t start) {
        const std::int64_t some = std::min(kPart, count - start);
        for (std::int64_t i = 0; i < some; ++i) products[i] = a[start + i] * b[start + i];
        return some;
    };
    if (count <= kPart) return sumOf(products, multiply(0));
    // In pieces with the bits of one fold of all.
    const RtTable *rt = rt_table();
    double lanes[RT_LANES] = {}, total = 0;
    const RtFoldPiece fold = sizeof(T) == 4 ? rt->wideFoldPieces[RT_SUM] : rt->foldPieces[RT_SUM][RT_F64];
    for (std::int64_t start = 0; start < count; start += kPart) {
        const std::int64_t some = multiply(start);
        fold(products, some, lanes);
    }
    rt->foldLanes[RT_SUM][RT_F64][0](lanes, &total);
    return total;
}

template double sumOfProducts(const float *, const float *, std::int64_t);
template double sumOfProducts(const double *, const double *, std::int64_t);
template void shiftedExponentials(const float *, float *, std::int64_t, std::int64_t, double *, float *);
template void shiftedExponentials(const double *, double *, std::int64_t, std::int64_t, double *, double *);

} // namespace engine
