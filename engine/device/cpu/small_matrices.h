// What OpenBLAS is slow at while matrices are small.
#pragma once

#include <cmath>
#include <utility>

namespace engine::small {

constexpr long kMostTurned = 2048; // elements
constexpr int kMostSolved = 24;    // unknowns

/// Its AVX-512 kernels for short sums lose more where only the second operand lies the other way round, and in float32 the first
/// beside few columns, than turning it over costs.
template <class T>
bool turnsFirst(int n, int k, int m)
{
    return sizeof(T) == 4 && n >= 8 && n < 12 && k <= 8 && m <= kMostTurned / 8;
}
template <class T>
bool turnsSecond(int n, int k, int m)
{
    return k < 32 && n <= kMostTurned / 32 && m >= (sizeof(T) == 4 ? 8 : 4);
}

template <class T>
void turn(const T *from, int rows, int columns, int lda, T *to)
{
    int j = 0;
    for (; j + 4 <= columns; j += 4)
        for (int i = 0; i < rows; ++i) {
            const T *four = from + static_cast<long>(i) * lda + j;
            for (int part = 0; part < 4; ++part) to[(j + part) * rows + i] = four[part];
        }
    for (; j < columns; ++j)
        for (int i = 0; i < rows; ++i) to[j * rows + i] = from[static_cast<long>(i) * lda + j];
}

/// As LAPACK's gesv (column-major, pivots from 1, the column of a zero pivot), without what it does before it begins.
template <class T>
int solve(int n, int columns, T *a, int lda, int *pivots, T *b, int ldb)
{
    const auto column = [lda](T *of, int j) { return of + static_cast<long>(j) * lda; };
    const auto subtract = [](T *from, const T *what, T factor, int first, int end) {
#pragma GCC ivdep
        for (int i = first; i < end; ++i) from[i] -= what[i] * factor;
    };
    int info = 0;
    for (int j = 0; j < n; ++j) {
        T *pivotal = column(a, j);
        int pivot = j;
        for (int i = j + 1; i < n; ++i)
            if (std::fabs(pivotal[i]) > std::fabs(pivotal[pivot])) pivot = i;
        pivots[j] = pivot + 1;
        if (pivotal[pivot] == 0) {
            if (info == 0) info = j + 1;
            continue;
        }
        if (pivot != j)
            for (int each = 0; each < n; ++each) std::swap(column(a, each)[j], column(a, each)[pivot]);
        for (int i = j + 1; i < n; ++i) pivotal[i] /= pivotal[j];
        for (int each = j + 1; each < n; ++each) subtract(column(a, each), pivotal, column(a, each)[j], j + 1, n);
    }
    if (info != 0) return info;
    for (int each = 0; each < columns; ++each) {
        T *x = b + static_cast<long>(each) * ldb;
        for (int j = 0; j < n; ++j) std::swap(x[j], x[pivots[j] - 1]);
        for (int j = 0; j < n; ++j) subtract(x, column(a, j), x[j], j + 1, n);
        for (int j = n; j-- > 0;) subtract(x, column(a, j), x[j] /= column(a, j)[j], 0, j);
    }
    return 0;
}

} // namespace engine::small
