// Several short rows at once, each folded into its own accumulator in the order in which a fold takes it. Rows of four lanes are turned
// into columns first: what is one vector then is the same element of several rows. Longer ones fill their lanes one after the other, and
// these are folded together: a vector of lanes becomes half a vector with each step, so two of them become one.
#pragma once

#include "engine/rt/fold_steps.h"

namespace {

constexpr long kTurnedRow = 15;     // the longest row of four lanes; then there are sixteen
constexpr long kRowOf16Lanes = 127; // … then 32
constexpr long kShortRow = 511;     // the longest row of which several are taken at once: of others the last step is little of the work

template <class T>
struct Wide {
    static constexpr int kCount = RT_VECTOR_BYTES / static_cast<int>(sizeof(T));
    typedef T Vector __attribute__((vector_size(RT_VECTOR_BYTES)));
};
constexpr int kRoom = 32; // elements behind a row that are read with its last ones

template <int... kNumber>
struct Numbers {};
template <int kCount>
using NumbersBelow = Numbers<__integer_pack(kCount)...>;

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
template <class Step, class Acc, class T>
inline typename Wide<Acc>::Vector foldColumns(const T *columns, long n, typename Wide<Acc>::Vector start)
{
    using Vector = typename Wide<Acc>::Vector;
    constexpr int kCount = Wide<T>::kCount, kLanes = 4;
    Vector lane[kLanes] = {start, start, start, start};
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

// Vectors of rows, `body(rows, stride, acc)` each; those that end where `rows` does are copied to where there is room for more.
template <class Acc, class T, int kCount, class Body>
inline void inVectors(const char *data, long rows, long stride, long n, Acc *acc, Body body)
{
    const auto bytes = static_cast<unsigned long>(n) * sizeof(T);
    const bool isOneByOne = stride >= static_cast<long>(bytes); // what is behind a row is another one
    long r = 0;
    if (isOneByOne)
        for (; r + kCount < rows; r += kCount) body(data + r * stride, stride, acc + r);
    for (; r < rows; r += kCount) {
        const long left = rows - r < kCount ? rows - r : kCount;
        const auto known = static_cast<unsigned long>(left) * sizeof(Acc);
        T copy[kShortRow * kCount + kRoom];
        Acc results[kCount] = {};
        char *const to = reinterpret_cast<char *>(copy);
        for (long w = 0; w < left; ++w) __builtin_memcpy(to + static_cast<unsigned long>(w) * bytes, data + (r + w) * stride, bytes);
        __builtin_memset(to + static_cast<unsigned long>(left) * bytes, 0,
                         static_cast<unsigned long>(kCount - left) * bytes + kRoom * sizeof(T));
        __builtin_memcpy(results, acc + r, known);
        body(to, static_cast<long>(bytes), results);
        __builtin_memcpy(acc + r, results, known);
    }
}

template <class Step, class Acc, class T>
inline void foldTurnedRows(const char *data, long rows, long stride, long n, Acc *acc)
{
    using Vector = typename Wide<Acc>::Vector;
    constexpr int kCount = Wide<T>::kCount;
    inVectors<Acc, T, kCount>(data, rows, stride, n, acc, [n](const char *from, long step, Acc *to) {
        T columns[kTurnedRow * kCount];
        turnRows<T>(from, step, n, columns);
        for (int w = 0; w < kCount; w += Wide<Acc>::kCount) {
            const Vector start = static_cast<Acc>(Step::start) + Vector{};
            Vector before;
            __builtin_memcpy(&before, to + w, sizeof before);
            before = Step::template step<Vector>(before, foldColumns<Step, Acc, T>(columns + w, n, start));
            __builtin_memcpy(to + w, &before, sizeof before);
        }
    });
}

// Rows among which a NaN is are left to `one`, one by one.
template <class T, class Vector>
inline bool holdsOdd(Vector odd, const char *from, long step, long n, T *to, RtFold one)
{
    int found = 0;
    for (int w = 0; w < Wide<T>::kCount; ++w) found |= odd[w] != 0;
    for (int w = 0; found && w < Wide<T>::kCount; ++w) one(from + w * step, n, to + w);
    return found != 0;
}

// The accumulators take part from the start.
template <class Step, class T>
inline void extremesOfTurnedRows(const char *data, long rows, long stride, long n, T *acc, RtFold one)
{
    using Vector = typename Wide<T>::Vector;
    constexpr int kCount = Wide<T>::kCount;
    inVectors<T, T, kCount>(data, rows, stride, n, acc, [n, one](const char *from, long step, T *to) {
        T columns[kTurnedRow * kCount];
        turnRows<T>(from, step, n, columns);
        Vector before;
        __builtin_memcpy(&before, to, sizeof before);
        auto odd = before != before;
        for (long j = 0; j < n; ++j) {
            const Vector column = asWide<T>(columns + j * kCount);
            odd |= column != column;
        }
        if (holdsOdd<T>(odd, from, step, n, to, one)) return;
        before = Step::template step<Vector>(before, foldColumns<Step, T, T>(columns, n, before));
        __builtin_memcpy(to, &before, sizeof before);
    });
}

// The lower or upper halves of all stretches of kStretch elements in two vectors.
template <int kStretch, bool kUpper, class Vector, int... kNumber>
inline Vector halvesAt(Vector a, Vector b, Numbers<kNumber...>)
{
    typedef decltype(a < b) Choice;
    constexpr int kHalf = kStretch / 2;
    return __builtin_shuffle(a, b, Choice{(kNumber / kHalf * kStretch + kNumber % kHalf + (kUpper ? kHalf : 0))...});
}

// Element r of the result is vector r folded by halves.
template <int kCount, class Step, class Acc>
inline typename Wide<Acc>::Vector foldTogether(const typename Wide<Acc>::Vector *vectors)
{
    using Vector = typename Wide<Acc>::Vector;
    if constexpr (kCount == 1) {
        return vectors[0];
    } else {
        constexpr NumbersBelow<Wide<Acc>::kCount> numbers;
        Vector half[kCount / 2];
#pragma GCC unroll 8
        for (int k = 0; k < kCount / 2; ++k)
            half[k] = Step::template step<Vector>(halvesAt<kCount, false>(vectors[2 * k], vectors[2 * k + 1], numbers),
                                                  halvesAt<kCount, true>(vectors[2 * k], vectors[2 * k + 1], numbers));
        return foldTogether<kCount / 2, Step, Acc>(half);
    }
}

// Which lanes of kLanes the last elements of a row take.
template <int kLanes, class Acc>
struct Live {
    using Vector = typename Wide<Acc>::Vector;
    static constexpr int kParts = kLanes / Wide<Acc>::kCount;
    decltype(Vector{} < Vector{}) part[kParts];
    explicit Live(long left)
    {
        for (int p = 0; p < kParts; ++p)
            for (int w = 0; w < Wide<Acc>::kCount; ++w) part[p][w] = p * Wide<Acc>::kCount + w < left ? -1 : 0;
    }
};

// The lanes of a row, folded by halves as long as there is more than one vector of them; `look` sees every vector of elements.
template <int kLanes, class Step, class Acc, class T, class Look>
inline typename Wide<Acc>::Vector lanesOfRow(const T *x, long n, Acc start, const Live<kLanes, Acc> &live, Look look)
{
    using Vector = typename Wide<Acc>::Vector;
    constexpr int kCount = Wide<Acc>::kCount, kParts = kLanes / kCount;
    Vector lane[kParts];
#pragma GCC unroll 16
    for (int p = 0; p < kParts; ++p) lane[p] = start + Vector{};
    long i = 0;
    for (; i + kLanes <= n; i += kLanes) {
#pragma GCC unroll 16
        for (int p = 0; p < kParts; ++p) {
            const Vector value = asWide<Acc>(x + i + p * kCount);
            look(value);
            lane[p] = Step::template step<Vector>(lane[p], value);
        }
    }
    const long left = n - i;
#pragma GCC unroll 16
    for (int p = 0; p < kParts; ++p) {
        if (p * kCount >= left) break;
        const Vector read = asWide<Acc>(x + i + p * kCount), value = live.part[p] ? read : lane[p];
        look(value);
        lane[p] = live.part[p] ? Step::template step<Vector>(lane[p], value) : lane[p];
    }
#pragma GCC unroll 4
    for (int half = kParts / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
        for (int p = 0; p < half; ++p) lane[p] = Step::template step<Vector>(lane[p], lane[p + half]);
    }
    return lane[0];
}

template <int kLanes, class Step, class Acc, class T>
inline void foldLanedRows(const char *data, long rows, long stride, long n, Acc *acc)
{
    using Vector = typename Wide<Acc>::Vector;
    constexpr int kCount = Wide<Acc>::kCount;
    const Live<kLanes, Acc> live(n % kLanes);
    inVectors<Acc, T, kCount>(data, rows, stride, n, acc, [&](const char *from, long step, Acc *to) {
        Vector lanes[kCount], before;
        for (int w = 0; w < kCount; ++w)
            lanes[w] = lanesOfRow<kLanes, Step, Acc>(reinterpret_cast<const T *>(from + w * step), n, static_cast<Acc>(Step::start), live,
                                                     [](Vector) {});
        __builtin_memcpy(&before, to, sizeof before);
        before = Step::template step<Vector>(before, foldTogether<kCount, Step, Acc>(lanes));
        __builtin_memcpy(to, &before, sizeof before);
    });
}

template <int kLanes, class Step, class T>
inline void extremesOfLanedRows(const char *data, long rows, long stride, long n, T *acc, RtFold one)
{
    using Vector = typename Wide<T>::Vector;
    constexpr int kCount = Wide<T>::kCount;
    const Live<kLanes, T> live(n % kLanes);
    inVectors<T, T, kCount>(data, rows, stride, n, acc, [&](const char *from, long step, T *to) {
        Vector lanes[kCount], before;
        __builtin_memcpy(&before, to, sizeof before);
        auto odd = before != before;
        for (int w = 0; w < kCount; ++w)
            lanes[w] = lanesOfRow<kLanes, Step, T>(reinterpret_cast<const T *>(from + w * step), n, to[w], live,
                                                   [&](Vector value) { odd |= value != value; });
        if (holdsOdd<T>(odd, from, step, n, to, one)) return;
        before = Step::template step<Vector>(before, foldTogether<kCount, Step, T>(lanes));
        __builtin_memcpy(to, &before, sizeof before);
    });
}

// Bytes have no vectors of so few lanes.
template <class Acc>
inline bool areTakenTogether(long rows, long n)
{
    if (n <= kTurnedRow) return rows > 1;
    if (sizeof(Acc) < 4 || n > kShortRow || rows < Wide<Acc>::kCount) return false;
    // Where lanes take many vectors a row is filled by itself as fast, unless something is left over.
    return Wide<Acc>::kCount > 4 || n > kRowOf16Lanes || (n % 16 != 0 && (Wide<Acc>::kCount > 2 || n < 64));
}

// False: rows of this length are better taken one by one.
template <class Step, class Acc, class T>
inline bool foldShortRows(const char *data, long rows, long stride, long n, Acc *acc)
{
    if (!areTakenTogether<Acc>(rows, n)) return false;
    if (n <= kTurnedRow) foldTurnedRows<Step, Acc, T>(data, rows, stride, n, acc);
    else if constexpr (sizeof(Acc) >= 4) {
        if (n <= kRowOf16Lanes) foldLanedRows<16, Step, Acc, T>(data, rows, stride, n, acc);
        else foldLanedRows<32, Step, Acc, T>(data, rows, stride, n, acc);
    }
    return true;
}

template <class Step, class T>
inline bool extremesOfShortRows(const char *data, long rows, long stride, long n, T *acc, RtFold one)
{
    if (!areTakenTogether<T>(rows, n)) return false;
    if (n <= kTurnedRow) extremesOfTurnedRows<Step, T>(data, rows, stride, n, acc, one);
    else if constexpr (sizeof(T) >= 4) {
        if (n <= kRowOf16Lanes) extremesOfLanedRows<16, Step, T>(data, rows, stride, n, acc, one);
        else extremesOfLanedRows<32, Step, T>(data, rows, stride, n, acc, one);
    }
    return true;
}

} // namespace
