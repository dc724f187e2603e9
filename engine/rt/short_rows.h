// Many short rows at once: each is folded into its own accumulator, in the order in which a fold takes it. Rows are turned into
// columns first; what is one vector then is the same element of several rows.
#pragma once

#include "engine/rt/fold_steps.h"

namespace {

constexpr long kShortRow = 15; // the longest row of four lanes

template <class T>
struct Wide {
    static constexpr int kCount = 64 / static_cast<int>(sizeof(T));
    typedef T Vector __attribute__((vector_size(64)));
};

// Wide<T>::kCount rows to n columns, element by element. (Vector loads and scatters would make it slower.)
template <class T>
__attribute__((noinline, optimize("no-tree-vectorize"))) void turnAny(const char *rows, long stride, long n, T *columns)
{
    constexpr int kCount = Wide<T>::kCount;
    for (int w = 0; w < kCount; ++w, rows += stride)
        for (long j = 0; j < n; ++j) columns[j * kCount + w] = reinterpret_cast<const T *>(rows)[j];
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

// Columns 0 … n - 1 into four lanes, by turns.
template <class Step, class Acc, class T>
inline typename Wide<Acc>::Vector foldColumns(const T *columns, long n, typename Wide<Acc>::Vector start)
{
    using Vector = typename Wide<Acc>::Vector;
    constexpr int kCount = Wide<T>::kCount;
    Vector a = start, b = start, c = start, d = start;
    const auto take = [&](Vector &lane, long j) { lane = Step::template step<Vector>(lane, asWide<Acc>(columns + j * kCount)); };
    long j = 0;
    for (; j + 4 <= n; j += 4) take(a, j), take(b, j + 1), take(c, j + 2), take(d, j + 3);
    if (j < n) take(a, j);
    if (j + 1 < n) take(b, j + 1);
    if (j + 2 < n) take(c, j + 2);
    return Step::template step<Vector>(Step::template step<Vector>(a, c), Step::template step<Vector>(b, d));
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
    T copy[kShortRow * kCount];
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

template <class Step, class Acc, class T>
inline void foldShortRows(const char *data, long rows, long stride, long n, Acc *acc)
{
    using Vector = typename Wide<Acc>::Vector;
    inVectors<Acc, T>(data, rows, stride, n, acc, [n](const char *from, long step, Acc *to) {
        T columns[kShortRow * Wide<T>::kCount];
        turnRows<T>(from, step, n, columns);
        for (int w = 0; w < Wide<T>::kCount; w += Wide<Acc>::kCount) {
            const Vector start = static_cast<Acc>(Step::start) + Vector{};
            Vector before;
            __builtin_memcpy(&before, to + w, 64);
            before = Step::template step<Vector>(before, foldColumns<Step, Acc, T>(columns + w, n, start));
            __builtin_memcpy(to + w, &before, 64);
        }
    });
}

// The accumulators take part from the start. Rows among which a NaN is are left to `one`, one by one.
template <class Step, class T>
inline void extremesOfShortRows(const char *data, long rows, long stride, long n, T *acc, RtFold one)
{
    using Vector = typename Wide<T>::Vector;
    constexpr int kCount = Wide<T>::kCount;
    inVectors<T, T>(data, rows, stride, n, acc, [n, one](const char *from, long step, T *to) {
        T columns[kShortRow * kCount];
        turnRows<T>(from, step, n, columns);
        Vector before;
        __builtin_memcpy(&before, to, 64);
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
        before = Step::template step<Vector>(before, foldColumns<Step, T, T>(columns, n, before));
        __builtin_memcpy(to, &before, 64);
    });
}

} // namespace
