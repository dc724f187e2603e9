// Matrix times vector by own loops: eight rows at a time they keep up with the libraries and start at once.
#include "engine/rt/level.h"

#if defined(__AVX512F__)
#include <immintrin.h> // its functions are inlined always: no copy is left for the linker to keep
#endif

namespace {

template <class T>
struct Vector {
    typedef T Type __attribute__((vector_size(RT_VECTOR_BYTES)));
};

template <class T>
inline typename Vector<T>::Type loadVector(const T *from)
{
    typename Vector<T>::Type v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

template <class T, int kBytes>
struct Part {
    typedef T Type __attribute__((vector_size(kBytes)));
};

// Halves added until 16 bytes are left.
template <class T>
inline auto foldTo16(typename Part<T, 16>::Type v)
{
    return v;
}
template <class T>
inline auto foldTo16(typename Part<T, 32>::Type v)
{
    if constexpr (sizeof(T) == 4) return __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
    else return __builtin_shufflevector(v, v, 0, 1) + __builtin_shufflevector(v, v, 2, 3);
}
template <class T>
inline auto foldTo16(typename Part<T, 64>::Type v)
{
    if constexpr (sizeof(T) == 4)
        return foldTo16<T>(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                           __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
    else return foldTo16<T>(__builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7));
}

// The sums of four vectors: lanes are added by halves, for all four at once.
template <class T>
inline typename Part<T, 4 * sizeof(T)>::Type foldFour(typename Vector<T>::Type v0, typename Vector<T>::Type v1, typename Vector<T>::Type v2,
                                                      typename Vector<T>::Type v3)
{
    const auto a = foldTo16<T>(v0), b = foldTo16<T>(v1), c = foldTo16<T>(v2), d = foldTo16<T>(v3);
    if constexpr (sizeof(T) == 4) {
        // Lanes 0 1 | 2 3 of each: first 0+2 and 1+3, then their sum.
        const auto ab = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
        const auto cd = __builtin_shufflevector(c, d, 0, 1, 4, 5) + __builtin_shufflevector(c, d, 2, 3, 6, 7);
        return __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
    } else {
        const auto ab = __builtin_shufflevector(a, b, 0, 2) + __builtin_shufflevector(a, b, 1, 3);
        const auto cd = __builtin_shufflevector(c, d, 0, 2) + __builtin_shufflevector(c, d, 1, 3);
        return __builtin_shufflevector(ab, cd, 0, 1, 2, 3);
    }
}

template <class T>
inline T foldVector(typename Vector<T>::Type v)
{
    const auto a = foldTo16<T>(v);
    if constexpr (sizeof(T) == 4) return (a[0] + a[2]) + (a[1] + a[3]);
    else return a[0] + a[1];
}

#if defined(__AVX512F__)
// The end of a row: its elements behind whole vectors, zeros after them.
template <class T>
inline typename Vector<T>::Type loadRest(const T *from, long n)
{
    using V = typename Vector<T>::Type;
    if constexpr (sizeof(T) == 4) return (V)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), from);
    else return (V)_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), from);
}
#endif

// What is left behind whole vectors, the lanes' sum, and into y.
template <int kRows, class T>
inline void finishRows(typename Vector<T>::Type *s, long whole, long columns, T alpha, const T *a, long lda, const T *x, T *y)
{
#if defined(__AVX512F__)
    if (whole < columns) {
        const auto v = loadRest(x + whole, columns - whole);
#pragma GCC unroll 8
        for (int k = 0; k < kRows; ++k) s[k] += loadRest(a + k * lda + whole, columns - whole) * v;
    }
#endif
    typedef T Sums __attribute__((vector_size(kRows * sizeof(T))));
    Sums sums;
    if constexpr (kRows == 8)
        sums = __builtin_shufflevector(foldFour<T>(s[0], s[1], s[2], s[3]), foldFour<T>(s[4], s[5], s[6], s[7]), 0, 1, 2, 3, 4, 5, 6, 7);
    else if constexpr (kRows == 4) sums = foldFour<T>(s[0], s[1], s[2], s[3]);
    else
        for (int k = 0; k < kRows; ++k) sums[k] = foldVector<T>(s[k]);
#if !defined(__AVX512F__)
    for (int k = 0; k < kRows; ++k)
        for (long j = whole; j < columns; ++j) sums[k] += a[k * lda + j] * x[j];
#endif
    // In one piece: whoever reads all of it next need not wait until the parts have reached the cache.
    Sums into;
    __builtin_memcpy(&into, y, sizeof into);
    into += alpha * sums;
    __builtin_memcpy(y, &into, sizeof into);
}

// Long rows: four side by side, each in two sums, so that none has to wait for the one before. More rows at once are more streams
// than the processor fetches ahead of.
template <int kRows, class T>
inline void sumRows(long whole, const T *a, long lda, const T *x, typename Vector<T>::Type *s)
{
    using V = typename Vector<T>::Type;
    constexpr long width = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
    V even[kRows] = {}, odd[kRows] = {};
    long j = 0;
    for (; j + 2 * width <= whole; j += 2 * width) {
        const V v = loadVector(x + j), u = loadVector(x + j + width);
#pragma GCC unroll 4
        for (int k = 0; k < kRows; ++k) even[k] += loadVector(a + k * lda + j) * v;
#pragma GCC unroll 4
        for (int k = 0; k < kRows; ++k) odd[k] += loadVector(a + k * lda + j + width) * u;
    }
    if (j < whole) {
        const V v = loadVector(x + j);
#pragma GCC unroll 4
        for (int k = 0; k < kRows; ++k) even[k] += loadVector(a + k * lda + j) * v;
    }
#pragma GCC unroll 4
    for (int k = 0; k < kRows; ++k) s[k] = even[k] + odd[k];
}

constexpr long kLongRow = 8; // vectors

template <int kRows, bool kIsLong, class T>
__attribute__((always_inline)) inline void dotRows(long columns, T alpha, const T *a, long lda, const T *x, T *y)
{
    using V = typename Vector<T>::Type;
    constexpr long width = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
    const long whole = columns & -width;
    if constexpr (kIsLong) {
        V s[kRows];
        constexpr int atOnce = kRows < 4 ? kRows : 4;
        for (int k = 0; k < kRows; k += atOnce) sumRows<atOnce>(whole, a + k * lda, lda, x, s + k);
        finishRows<kRows>(s, whole, columns, alpha, a, lda, x, y);
    } else {
        V s[kRows] = {};
        for (long j = 0; j < whole; j += width) {
            const V v = loadVector(x + j);
#pragma GCC unroll 8
            for (int k = 0; k < kRows; ++k) s[k] += loadVector(a + k * lda + j) * v;
        }
        finishRows<kRows>(s, whole, columns, alpha, a, lda, x, y);
    }
}

template <bool kIsLong, class T>
void gemvStraight(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y)
{
    for (; rows >= 8; rows -= 8, a += 8 * lda, y += 8) dotRows<8, kIsLong>(columns, alpha, a, lda, x, y);
    if (rows & 4) dotRows<4, kIsLong>(columns, alpha, a, lda, x, y), a += 4 * lda, y += 4;
    if (rows & 2) dotRows<2, kIsLong>(columns, alpha, a, lda, x, y), a += 2 * lda, y += 2;
    if (rows & 1) dotRows<1, kIsLong>(columns, alpha, a, lda, x, y);
}

// A vector's lanes moved up by `shift`: what stands in lane i goes to lane (i + shift) % width.
template <class T>
struct Lanes {
    using V = typename Vector<T>::Type;
    static constexpr int width = RT_VECTOR_BYTES / static_cast<int>(sizeof(T));
    typedef int IntVector __attribute__((vector_size(RT_VECTOR_BYTES)));
    typedef long long LongVector __attribute__((vector_size(RT_VECTOR_BYTES)));
    static auto emptyIndex()
    {
        if constexpr (sizeof(T) == 4) return IntVector{};
        else return LongVector{};
    }
    using Index = decltype(emptyIndex());

    explicit Lanes(int shift)
    {
        for (int i = 0; i < width; ++i) {
            up[i] = (i - shift + width) % width;
            down[i] = (i + shift) % width;
            fromOther[i] = i < shift ? -1 : 0;
        }
    }
    V masked(V v, Index keep) const
    {
        Index bits;
        __builtin_memcpy(&bits, &v, sizeof v);
        bits &= keep;
        __builtin_memcpy(&v, &bits, sizeof v);
        return v;
    }
    Index up, down, fromOther; // fromOther: all bits set in the lanes below `shift`
};

// Rows that begin inside a cache line are read from line to line: a load that crosses a line costs two. An element then stands
// `shift` lanes further up, and the low lanes belong to the vector before; the sums are put back before they are folded, so the
// result has the same bits wherever the matrix lies. x comes as vectors shifted alike, with zeros around.
template <int kRows, class T>
inline void sumRowsAligned(const Lanes<T> &lanes, int shift, long whole, const T *a, long lda, const T *x, typename Vector<T>::Type *s)
{
    using V = typename Vector<T>::Type;
    constexpr long width = Lanes<T>::width;
    const long last = whole - shift; // the last line that only whole vectors reach into
    // The first vector: elements 0 … width - shift in the upper lanes. The last: the rest of the last whole vector, in the lower ones.
    const auto low = [&](const T *from) { return lanes.masked(__builtin_shuffle(loadVector(from), lanes.up), ~lanes.fromOther); };
    const auto high = [&](const T *from) {
        return lanes.masked(__builtin_shuffle(loadVector(from + whole - width), lanes.up), lanes.fromOther);
    };
    // Even and odd lines; in the low lanes they are what sumRows calls odd and even, which is the same in the end.
    V even[kRows], odd[kRows] = {};
    const V zero = {}, xLow = low(x), xHigh = high(x);
#pragma GCC unroll 4
    for (int k = 0; k < kRows; ++k) even[k] = zero + low(a + k * lda) * xLow;
    long j = width - shift;
    for (; j + width < last; j += 2 * width) {
        const V v = loadVector(x + j), u = loadVector(x + j + width);
#pragma GCC unroll 4
        for (int k = 0; k < kRows; ++k) odd[k] += loadVector(a + k * lda + j) * v;
#pragma GCC unroll 4
        for (int k = 0; k < kRows; ++k) even[k] += loadVector(a + k * lda + j + width) * u;
    }
    if (j < last) {
        const V v = loadVector(x + j);
#pragma GCC unroll 4
        for (int k = 0; k < kRows; ++k) {
            const V sum = odd[k] + loadVector(a + k * lda + j) * v;
            odd[k] = even[k];
            even[k] = sum;
        }
    }
#pragma GCC unroll 4
    for (int k = 0; k < kRows; ++k) odd[k] += high(a + k * lda) * xHigh;
#pragma GCC unroll 4
    for (int k = 0; k < kRows; ++k) s[k] = __builtin_shuffle(even[k] + odd[k], lanes.down);
}

template <int kRows, class T>
inline void dotRowsAligned(const Lanes<T> &lanes, int shift, long columns, T alpha, const T *a, long lda, const T *x, T *y)
{
    const long whole = columns & -Lanes<T>::width;
    typename Vector<T>::Type s[kRows];
    for (int k = 0; k < kRows; k += 4) sumRowsAligned<4>(lanes, shift, whole, a + k * lda, lda, x, s + k);
    finishRows<kRows>(s, whole, columns, alpha, a, lda, x, y);
}

template <class T>
void gemvAligned(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y, int shift)
{
    const Lanes<T> lanes(shift);
    for (; rows >= 8; rows -= 8, a += 8 * lda, y += 8) dotRowsAligned<8>(lanes, shift, columns, alpha, a, lda, x, y);
    if (rows >= 4) dotRowsAligned<4>(lanes, shift, columns, alpha, a, lda, x, y), a += 4 * lda, y += 4;
    if (rows % 4) gemvStraight<true>(rows % 4, columns, alpha, a, lda, x, y);
}

template <class P, class T>
inline P loadPart(const T *from)
{
    P p;
    __builtin_memcpy(&p, from, sizeof p);
    return p;
}

// Columns j … as far as whole P reach, P a vector or a number: y += eight rows of a, each times alpha and its x. The eight are summed
// up before they meet y, mostly the larger one; every column is treated the same, whatever P takes it. kFetches: the second cache
// is idle while eight rows are in the first one, and two of those that follow find a place there, too.
template <class P, bool kFetches = false, class T>
inline void addEight(const T *a, long lda, T alpha, const T *x, T *y, long &j, long columns)
{
    constexpr long width = sizeof(P) / sizeof(T);
    const T *a0 = a, *a1 = a0 + lda, *a2 = a1 + lda, *a3 = a2 + lda;
    const T *a4 = a3 + lda, *a5 = a4 + lda, *a6 = a5 + lda, *a7 = a6 + lda;
    [[maybe_unused]] const T *ahead = a + 8 * lda;
    const P zero = {};
    const auto factor = [&](int k) { return (x[k] - zero) * alpha; };
    const P f0 = factor(0), f1 = factor(1), f2 = factor(2), f3 = factor(3), f4 = factor(4), f5 = factor(5), f6 = factor(6), f7 = factor(7);
    for (; j + width <= columns; j += width) {
        if constexpr (kFetches) {
            __builtin_prefetch(ahead);
            __builtin_prefetch(ahead + width);
            ahead += 2 * width;
        }
        P sum = loadPart<P>(a0 + j) * f0;
        sum += loadPart<P>(a1 + j) * f1;
        sum += loadPart<P>(a2 + j) * f2;
        sum += loadPart<P>(a3 + j) * f3;
        sum += loadPart<P>(a4 + j) * f4;
        sum += loadPart<P>(a5 + j) * f5;
        sum += loadPart<P>(a6 + j) * f6;
        sum += loadPart<P>(a7 + j) * f7;
        sum = loadPart<P>(y + j) + sum;
        __builtin_memcpy(y + j, &sum, sizeof sum);
    }
}

// The columns before `columns` that whole vectors do not reach.
template <class T>
inline void addEightRest(const T *a, long lda, T alpha, const T *x, T *y, long &j, long columns)
{
    if constexpr (RT_VECTOR_BYTES > 32)
        if (j + 32 / static_cast<long>(sizeof(T)) <= columns) addEight<typename Part<T, 32>::Type>(a, lda, alpha, x, y, j, columns);
    if constexpr (RT_VECTOR_BYTES > 16)
        if (j + 16 / static_cast<long>(sizeof(T)) <= columns) addEight<typename Part<T, 16>::Type>(a, lda, alpha, x, y, j, columns);
    if (j < columns) addEight<T>(a, lda, alpha, x, y, j, columns);
}

// As addEight does it, for all rows of exactly so many vectors: y stays in registers.
template <int kVectors, class T>
inline void addShortRows(long rows, T alpha, const T *a, long lda, const T *x, T *y)
{
    using V = typename Vector<T>::Type;
    constexpr long width = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
    const V zero = {};
    V s[kVectors];
    for (int v = 0; v < kVectors; ++v) s[v] = loadVector(y + v * width);
    for (; rows >= 8; rows -= 8, a += 8 * lda, x += 8) {
        V sum[kVectors];
#pragma GCC unroll 8
        for (int k = 0; k < 8; ++k) {
            const V factor = x[k] * alpha - zero;
#pragma GCC unroll 4
            for (int v = 0; v < kVectors; ++v) {
                const V product = loadVector(a + k * lda + v * width) * factor;
                sum[v] = k == 0 ? product : sum[v] + product;
            }
        }
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) s[v] += sum[v];
    }
    for (int v = 0; v < kVectors; ++v) __builtin_memcpy(y + v * width, &s[v], sizeof(V));
}

// Eight rows at a time: y is read and written once for eight rows of a. The first `before` columns are taken by themselves.
template <class T>
inline void addRows(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y, long before = 0)
{
    constexpr long width = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
    constexpr long kFirstCache = 32 * 1024 / sizeof(T);
    const bool fetches = lda - columns < width && 8 * lda <= kFirstCache;
    long r = 0;
    if (columns == width || columns == 2 * width) {
        if (columns == width) addShortRows<1>(rows, alpha, a, lda, x, y);
        else addShortRows<2>(rows, alpha, a, lda, x, y);
        r = rows & -8;
        a += r * lda;
    }
    for (; r + 8 <= rows; r += 8, a += 8 * lda) {
        long j = 0;
        if (before) addEightRest(a, lda, alpha, x + r, y, j, before);
        if (fetches) addEight<typename Vector<T>::Type, true>(a, lda, alpha, x + r, y, j, columns);
        else addEight<typename Vector<T>::Type>(a, lda, alpha, x + r, y, j, columns);
        addEightRest(a, lda, alpha, x + r, y, j, columns);
    }
    for (; r < rows; ++r, a += lda) {
        const T factor = alpha * x[r];
#pragma GCC ivdep
        for (long j = 0; j < columns; ++j) y[j] += a[j] * factor;
    }
}

// As gemvAligned: from line to line, on sums that are shifted alike, strip by strip. Vectors at both ends of a row reach into
// its neighbours, so the first and the last rows go the other way.
template <class T>
void gemvTransposedAligned(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y, int shift)
{
    constexpr long kStrip = 8192 / static_cast<long>(sizeof(T)), width = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
    alignas(RT_VECTOR_BYTES) T sums[kStrip];
    for (long start = -shift; start < columns; start += kStrip) {
        const long from = start < 0 ? 0 : start, end = start + kStrip < columns ? start + kStrip : columns;
        const long length = (end - start + width - 1) / width * width;
        for (long j = 0; j < length; ++j) sums[j] = 0;
        T *inside = sums + (from - start);
        for (long j = from; j < end; ++j) inside[j - from] = y[j];
        const long middle = rows >= 24 ? (rows - 1) / 8 * 8 - 8 : 0; // whole groups between the first and the last rows
        addRows<T>(8, end - from, alpha, a + from, lda, x, inside);
        addRows<T>(middle, length, alpha, static_cast<const T *>(__builtin_assume_aligned(a + 8 * lda + start, RT_VECTOR_BYTES)), lda,
                   x + 8, sums);
        addRows<T>(rows - 8 - middle, end - from, alpha, a + (8 + middle) * lda + from, lda, x + 8 + middle, inside);
        for (long j = from; j < end; ++j) y[j] = inside[j - from];
    }
}

// Lanes by which all rows miss the beginning of a cache line; 0: they do not, or each by another number.
template <class T>
inline int shiftOf(const T *a, long lda)
{
    const unsigned long off = reinterpret_cast<unsigned long>(a) % RT_VECTOR_BYTES;
    const bool sameInAllRows = static_cast<unsigned long>(lda) * sizeof(T) % RT_VECTOR_BYTES == 0;
    return sameInAllRows && off % sizeof(T) == 0 ? static_cast<int>(off / sizeof(T)) : 0;
}

template <class T>
void gemv(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y)
{
    constexpr long width = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
    if (columns < kLongRow * width) return gemvStraight<false>(rows, columns, alpha, a, lda, x, y);
    if (const int shift = shiftOf(a, lda)) gemvAligned(rows, columns, alpha, a, lda, x, y, shift);
    else gemvStraight<true>(rows, columns, alpha, a, lda, x, y);
}

template <class T>
void gemvTransposed(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y)
{
    constexpr long width = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
    const int shift = columns >= kLongRow * width ? shiftOf(a, lda) : 0;
    if (!shift) addRows(rows, columns, alpha, a, lda, x, y);
    else if (shiftOf(y, 0) == shift) addRows(rows, columns, alpha, a, lda, x, y, width - shift);
    else if (rows >= 24) gemvTransposedAligned(rows, columns, alpha, a, lda, x, y, shift);
    else addRows(rows, columns, alpha, a, lda, x, y);
}

} // namespace

extern "C" void RT_NAME(rt_fill_blas)(RtTable *t)
{
    t->gemvF32 = gemv<float>;
    t->gemvF64 = gemv<double>;
    t->gemvTransposedF32 = gemvTransposed<float>;
    t->gemvTransposedF64 = gemvTransposed<double>;
}
