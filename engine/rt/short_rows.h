// Many short rows at once: each is folded into its own accumulator, in the order in which a fold takes it. Rows are turned into
// columns first; what is one vector then is the same element of several rows.
#pragma once

#include "engine/rt/fold_steps.h"

namespace {

constexpr long kShortRow = 15;    // the longest row of four lanes; then there are sixteen
constexpr long kTurnedSum = 63;   // the longest row that is turned to be summed up: longer ones fill their lanes well enough
constexpr long kTurnedMost = 127; // … whose largest element is looked for

template <class T>
struct Wide {
    static constexpr int kCount = RT_VECTOR_BYTES / static_cast<int>(sizeof(T));
    typedef T Vector __attribute__((vector_size(RT_VECTOR_BYTES)));
};

// Wide<T>::kCount rows to n columns, element by element. (Vector loads and scatters would make it slower.)
template <class T>
__attribute__((noinline, optimize("no-tree-vectorize"))) void turnAny(const char *rows, long stride, long n, T *columns)
{
    constexpr int kCount = Wide<T>::kCount;
    for (int w = 0; w < kCount; ++w, rows += stride)
        for (long j = 0; j < n; ++j) columns[j * kCount + w] = reinterpret_cast<const T *>(rows)[j];
}

template <class Part>
inline void turnSquare(Part (&row)[2])
{
    typedef i64 Choice __attribute__((vector_size(16)));
    const Part left = __builtin_shuffle(row[0], row[1], Choice{0, 2});
    row[1] = __builtin_shuffle(row[0], row[1], Choice{1, 3});
    row[0] = left;
}

template <class Part>
inline void turnSquare(Part (&row)[4])
{
    typedef int Choice __attribute__((vector_size(16)));
    constexpr Choice low{0, 4, 1, 5}, high{2, 6, 3, 7}, firsts{0, 1, 4, 5}, seconds{2, 3, 6, 7};
    const Part a = __builtin_shuffle(row[0], row[1], low), b = __builtin_shuffle(row[2], row[3], low);
    const Part c = __builtin_shuffle(row[0], row[1], high), d = __builtin_shuffle(row[2], row[3], high);
    row[0] = __builtin_shuffle(a, b, firsts);
    row[1] = __builtin_shuffle(a, b, seconds);
    row[2] = __builtin_shuffle(c, d, firsts);
    row[3] = __builtin_shuffle(c, d, seconds);
}

#if defined(__AVX512F__)
template <int kBytes>
struct IndexOf {
    using Type = int;
};
template <>
struct IndexOf<8> {
    using Type = i64;
};

// Which elements of kLength vectors, one behind the other, are column j: picked from the first two, then from one more each time.
template <class T, int kLength>
struct Picks {
    using Index = typename IndexOf<sizeof(T)>::Type;
    static constexpr int kCount = Wide<T>::kCount;
    alignas(64) Index from[kLength][kLength - 1][kCount] = {};
    constexpr Picks()
    {
        for (int j = 0; j < kLength; ++j)
            for (int w = 0; w < kCount; ++w) {
                const int place = w * kLength + j, vector = place / kCount;
                for (int step = 0; step + 1 < kLength; ++step) {
                    if (step == 0 && vector == 0) from[j][step][w] = place;
                    else from[j][step][w] = vector == step + 1 ? place % kCount + kCount : w;
                }
            }
    }
};

template <class T, int kLength>
__attribute__((noinline)) void turn(const char *rows, T *columns)
{
    using Index = typename IndexOf<sizeof(T)>::Type;
    using Vector = typename Wide<T>::Vector;
    typedef Index Choice __attribute__((vector_size(64)));
    static constexpr Picks<T, kLength> picks;
    Vector in[kLength];
    __builtin_memcpy(in, rows, sizeof in);
#pragma GCC unroll 8
    for (int j = 0; j < kLength; ++j) {
        Vector column = in[0];
#pragma GCC unroll 8
        for (int step = 0; step + 1 < kLength; ++step) {
            Choice choice;
            __builtin_memcpy(&choice, picks.from[j][step], 64);
            column = __builtin_shuffle(column, in[step + 1], choice);
        }
        __builtin_memcpy(columns + j * Wide<T>::kCount, &column, 64);
    }
}
#endif

// The same by squares, a vector of 16 bytes to a row of one. The last squares of a row overlap those before them: nothing beyond its end
// is read.
template <class T>
__attribute__((noinline)) void turnSquares(const char *rows, long stride, long n, T *columns)
{
    constexpr int kCount = Wide<T>::kCount, kSide = 16 / static_cast<int>(sizeof(T));
    typedef T Part __attribute__((vector_size(16)));
    for (int w = 0; w < kCount; w += kSide, rows += kSide * stride)
        for (long next = 0; next < n; next += kSide) {
            const long j = next + kSide <= n ? next : n - kSide;
            Part row[kSide];
            for (int k = 0; k < kSide; ++k) __builtin_memcpy(&row[k], rows + k * stride + j * static_cast<long>(sizeof(T)), 16);
            turnSquare(row);
            for (int k = 0; k < kSide; ++k) __builtin_memcpy(columns + (j + k) * kCount + w, &row[k], 16);
        }
}

template <class T>
inline void turnRows(const char *rows, long stride, long n, T *columns)
{
#if defined(__AVX512F__)
    if constexpr (sizeof(T) >= 4) {
        if (stride == n * static_cast<long>(sizeof(T))) {
            switch (n) {
            case 2: return turn<T, 2>(rows, columns);
            case 3: return turn<T, 3>(rows, columns);
            case 4: return turn<T, 4>(rows, columns);
            case 5: return turn<T, 5>(rows, columns);
            case 6: return turn<T, 6>(rows, columns);
            case 7: return turn<T, 7>(rows, columns);
            case 8: return turn<T, 8>(rows, columns);
            default: break;
            }
        }
    }
#endif
    if constexpr (sizeof(T) >= 4) {
        if (n >= 16 / static_cast<long>(sizeof(T))) return turnSquares<T>(rows, stride, n, columns);
    }
    turnAny<T>(rows, stride, n, columns);
}

// A vector of accumulators for as many elements of a column.
template <class Acc, class T>
inline typename Wide<Acc>::Vector asWide(const T *x)
{
    typedef T Part __attribute__((vector_size(Wide<Acc>::kCount * sizeof(T))));
    Part part;
    __builtin_memcpy(&part, x, sizeof part);
#if defined(__AVX512F__) && !defined(__clang__)
    // By halves otherwise.
    if constexpr (sizeof(T) == 4 && sizeof(Acc) == 8) return __builtin_ia32_cvtps2pd512_mask(part, typename Wide<Acc>::Vector{}, -1, 4);
#endif
    return __builtin_convertvector(part, typename Wide<Acc>::Vector);
}

// Columns 0 … n - 1 into lanes, by turns, and the lanes by halves.
template <int kLanes, class Step, class Acc, class T>
inline typename Wide<Acc>::Vector foldColumns(const T *columns, long n, typename Wide<Acc>::Vector start)
{
    using Vector = typename Wide<Acc>::Vector;
    constexpr int kCount = Wide<T>::kCount;
    Vector lane[kLanes];
#pragma GCC unroll 16
    for (int k = 0; k < kLanes; ++k) lane[k] = start;
    const auto take = [&](int k, long j) { lane[k] = Step::template step<Vector>(lane[k], asWide<Acc>(columns + j * kCount)); };
    long j = 0;
    for (; j + kLanes <= n; j += kLanes) {
#pragma GCC unroll 16
        for (int k = 0; k < kLanes; ++k) take(k, j + k);
    }
#pragma GCC unroll 16
    for (int k = 0; k < kLanes - 1; ++k)
        if (j + k < n) take(k, j + k);
#pragma GCC unroll 4
    for (int half = kLanes / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
        for (int k = 0; k < half; ++k) lane[k] = Step::template step<Vector>(lane[k], lane[k + half]);
    }
    return lane[0];
}

// Rows that turn into whole vectors, `body(rows, stride, acc)` each; the last ones are copied to where there is room for more.
template <class Acc, class T, class Body>
inline void inVectors(const char *data, long rows, long stride, long n, Acc *acc, Body body)
{
    constexpr long kCount = Wide<T>::kCount;
    long r = 0;
    for (; r + kCount <= rows; r += kCount) body(data + r * stride, stride, acc + r);
    const long left = rows - r;
    if (left == 0) return;
    const auto bytes = static_cast<unsigned long>(n) * sizeof(T), known = static_cast<unsigned long>(left) * sizeof(Acc);
    T copy[kTurnedMost * kCount];
    Acc results[kCount] = {};
    char *const to = reinterpret_cast<char *>(copy);
    if (stride == static_cast<long>(bytes)) {
        __builtin_memcpy(to, data + r * stride, static_cast<unsigned long>(left) * bytes);
    } else {
        for (long w = 0; w < left; ++w) __builtin_memcpy(to + static_cast<unsigned long>(w) * bytes, data + (r + w) * stride, bytes);
    }
    __builtin_memset(to + static_cast<unsigned long>(left) * bytes, 0, static_cast<unsigned long>(kCount - left) * bytes);
    __builtin_memcpy(results, acc + r, known);
    body(to, static_cast<long>(bytes), results);
    __builtin_memcpy(acc + r, results, known);
}

template <int kLanes, class Step, class Acc, class T>
inline void foldTurnedRows(const char *data, long rows, long stride, long n, Acc *acc)
{
    using Vector = typename Wide<Acc>::Vector;
    inVectors<Acc, T>(data, rows, stride, n, acc, [n](const char *from, long step, Acc *to) {
        T columns[(kLanes == 4 ? kShortRow : kTurnedSum) * Wide<T>::kCount];
        turnRows<T>(from, step, n, columns);
        for (int w = 0; w < Wide<T>::kCount; w += Wide<Acc>::kCount) {
            const Vector start = static_cast<Acc>(Step::start) + Vector{};
            Vector before;
            __builtin_memcpy(&before, to + w, sizeof before);
            before = Step::template step<Vector>(before, foldColumns<kLanes, Step, Acc, T>(columns + w, n, start));
            __builtin_memcpy(to + w, &before, sizeof before);
        }
    });
}

// The accumulators take part from the start. Rows among which a NaN is are left to `one`, one by one.
template <int kLanes, class Step, class T>
inline void extremesOfTurnedRows(const char *data, long rows, long stride, long n, T *acc, RtFold one)
{
    using Vector = typename Wide<T>::Vector;
    constexpr int kCount = Wide<T>::kCount;
    inVectors<T, T>(data, rows, stride, n, acc, [n, one](const char *from, long step, T *to) {
        T columns[(kLanes == 4 ? kShortRow : kTurnedMost) * kCount];
        turnRows<T>(from, step, n, columns);
        Vector before;
        __builtin_memcpy(&before, to, sizeof before);
        auto odd = before != before;
        for (long j = 0; j < n; ++j) {
            const Vector column = asWide<T>(columns + j * kCount);
            odd |= column != column;
        }
        int found = 0;
        for (int w = 0; w < kCount; ++w) found |= odd[w] != 0;
        if (found) {
            for (int w = 0; w < kCount; ++w) one(from + w * step, n, to + w);
            return;
        }
        before = Step::template step<Vector>(before, foldColumns<kLanes, Step, T, T>(columns, n, before));
        __builtin_memcpy(to, &before, sizeof before);
    });
}

// False: rows of this length are better taken one by one.
template <class Step, class Acc, class T>
inline bool foldShortRows(const char *data, long rows, long stride, long n, Acc *acc)
{
    const bool fillsLanes = n > kShortRow && n % 16 == 0;
    if (n > kTurnedSum || rows < 2 || fillsLanes) return false;
    if (n <= kShortRow) foldTurnedRows<4, Step, Acc, T>(data, rows, stride, n, acc);
    else foldTurnedRows<16, Step, Acc, T>(data, rows, stride, n, acc);
    return true;
}

template <class Step, class T>
inline bool extremesOfShortRows(const char *data, long rows, long stride, long n, T *acc, RtFold one)
{
    if (n > kTurnedMost || rows < 2) return false;
    if (n <= kShortRow) extremesOfTurnedRows<4, Step, T>(data, rows, stride, n, acc, one);
    else extremesOfTurnedRows<16, Step, T>(data, rows, stride, n, acc, one);
    return true;
}

} // namespace
