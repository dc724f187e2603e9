// Matrix times vector by own loops: four rows at a time they keep up with the libraries and start at once.
#include "engine/runtime/rt/level.h"

namespace {

template <class T> struct Vector {
    typedef T Type __attribute__((vector_size(RT_VECTOR_BYTES)));
};

template <class T>
inline typename Vector<T>::Type loadVector(const T *from)
{
    typename Vector<T>::Type v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

template <class T, int kBytes> struct Part {
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
        return foldTo16<T>(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
    else return foldTo16<T>(__builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7));
}

// The sums of four vectors: lanes are added by halves, for all four at once.
template <class T>
inline void foldFour(typename Vector<T>::Type v0, typename Vector<T>::Type v1, typename Vector<T>::Type v2, typename Vector<T>::Type v3, T *sums)
{
    const auto a = foldTo16<T>(v0), b = foldTo16<T>(v1), c = foldTo16<T>(v2), d = foldTo16<T>(v3);
    if constexpr (sizeof(T) == 4) {
        // Lanes 0 1 | 2 3 of each: first 0+2 and 1+3, then their sum.
        const auto ab = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
        const auto cd = __builtin_shufflevector(c, d, 0, 1, 4, 5) + __builtin_shufflevector(c, d, 2, 3, 6, 7);
        const auto all = __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
        __builtin_memcpy(sums, &all, sizeof all);
    } else {
        const auto ab = __builtin_shufflevector(a, b, 0, 2) + __builtin_shufflevector(a, b, 1, 3);
        const auto cd = __builtin_shufflevector(c, d, 0, 2) + __builtin_shufflevector(c, d, 1, 3);
        __builtin_memcpy(sums, &ab, sizeof ab);
        __builtin_memcpy(sums + 2, &cd, sizeof cd);
    }
}

template <class T>
inline T foldVector(typename Vector<T>::Type v)
{
    const auto a = foldTo16<T>(v);
    if constexpr (sizeof(T) == 4) return (a[0] + a[2]) + (a[1] + a[3]);
    else return a[0] + a[1];
}

// The scalar end of a row: what is left behind whole vectors, and into y.
template <class T>
inline void finishRow(T sum, const T *a, const T *x, long from, long columns, T alpha, T &y)
{
    for (long j = from; j < columns; ++j) sum += a[j] * x[j];
    y += alpha * sum;
}

// Four rows by two vectors: enough independent sums to keep both multiply-add units busy. Even vectors are summed up in one
// register, odd ones in another.
template <class T>
void gemvStraight(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y)
{
    using V = typename Vector<T>::Type;
    constexpr long width = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
    const long pairs = columns / (2 * width) * (2 * width), whole = columns / width * width;
    long r = 0;
    for (; r + 4 <= rows; r += 4) {
        const T *a0 = a + r * lda, *a1 = a0 + lda, *a2 = a1 + lda, *a3 = a2 + lda;
        V s0 = {}, s1 = {}, s2 = {}, s3 = {}, u0 = {}, u1 = {}, u2 = {}, u3 = {};
        long j = 0;
        for (; j < pairs; j += 2 * width) {
            const V v = loadVector(x + j), w = loadVector(x + j + width);
            s0 += loadVector(a0 + j) * v;
            u0 += loadVector(a0 + j + width) * w;
            s1 += loadVector(a1 + j) * v;
            u1 += loadVector(a1 + j + width) * w;
            s2 += loadVector(a2 + j) * v;
            u2 += loadVector(a2 + j + width) * w;
            s3 += loadVector(a3 + j) * v;
            u3 += loadVector(a3 + j + width) * w;
        }
        for (; j < whole; j += width) {
            const V v = loadVector(x + j);
            s0 += loadVector(a0 + j) * v;
            s1 += loadVector(a1 + j) * v;
            s2 += loadVector(a2 + j) * v;
            s3 += loadVector(a3 + j) * v;
        }
        T sums[4];
        foldFour<T>(s0 + u0, s1 + u1, s2 + u2, s3 + u3, sums);
        for (int i = 0; i < 4; ++i) finishRow(sums[i], a0 + i * lda, x, whole, columns, alpha, y[r + i]);
    }
    for (; r < rows; ++r) {
        const T *row = a + r * lda;
        V s = {}, u = {};
        long j = 0;
        for (; j < pairs; j += 2 * width) {
            s += loadVector(row + j) * loadVector(x + j);
            u += loadVector(row + j + width) * loadVector(x + j + width);
        }
        for (; j < whole; j += width) s += loadVector(row + j) * loadVector(x + j);
        finishRow(foldVector<T>(s + u), row, x, whole, columns, alpha, y[r]);
    }
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
    Index up, down, fromOther; // fromOther: all bits set in the lanes below `shift`
};

// Rows that begin inside a cache line are read from line to line: a load that crosses a line costs two. An element then stands
// `shift` lanes further up, and the low lanes belong to the vector before; the sums are put back before they are folded, so the
// result has the same bits wherever the matrix lies. x comes as vectors shifted alike, with zeros around.
template <class T, bool kLastIsOdd>
void gemvAligned(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y, int shift)
{
    using V = typename Vector<T>::Type;
    using L = Lanes<T>;
    constexpr long width = L::width;
    const L lanes(shift);
    const long whole = columns / width * width, middle = whole / width - 1; // whole vectors between the first and the last, partial ones
    const auto masked = [](V v, typename L::Index keep) {
        typename L::Index bits;
        __builtin_memcpy(&bits, &v, sizeof v);
        bits &= keep;
        __builtin_memcpy(&v, &bits, sizeof v);
        return v;
    };
    const auto blend = [&](V low, V high) {
        typename L::Index l, h;
        __builtin_memcpy(&l, &low, sizeof l);
        __builtin_memcpy(&h, &high, sizeof h);
        l = (l & lanes.fromOther) | (h & ~lanes.fromOther);
        V v;
        __builtin_memcpy(&v, &l, sizeof v);
        return v;
    };
    // The first vector: elements 0 … width - shift in the upper lanes. The last: the rest of the last whole vector, in the lower ones.
    const auto first = [&](const T *from) { return masked(__builtin_shuffle(loadVector(from), lanes.up), ~lanes.fromOther); };
    const auto last = [&](const T *from) { return masked(__builtin_shuffle(loadVector(from + whole - width), lanes.up), lanes.fromOther); };
    const V xFirst = first(x), xLast = last(x);
    const long start = width - shift; // the first element on a line
    long r = 0;
    for (; r + 4 <= rows; r += 4) {
        const T *a0 = a + r * lda, *a1 = a0 + lda, *a2 = a1 + lda, *a3 = a2 + lda;
        V s0 = {}, s1 = {}, s2 = {}, s3 = {}, u0 = {}, u1 = {}, u2 = {}, u3 = {};
        s0 += first(a0) * xFirst;
        s1 += first(a1) * xFirst;
        s2 += first(a2) * xFirst;
        s3 += first(a3) * xFirst;
        const T *b0 = a0 + start, *b1 = a1 + start, *b2 = a2 + start, *b3 = a3 + start, *z = x + start;
        long k = 0;
        for (; k + 2 <= middle; k += 2, b0 += 2 * width, b1 += 2 * width, b2 += 2 * width, b3 += 2 * width, z += 2 * width) {
            const V v = loadVector(z), w = loadVector(z + width);
            u0 += loadVector(b0) * v;
            s0 += loadVector(b0 + width) * w;
            u1 += loadVector(b1) * v;
            s1 += loadVector(b1 + width) * w;
            u2 += loadVector(b2) * v;
            s2 += loadVector(b2 + width) * w;
            u3 += loadVector(b3) * v;
            s3 += loadVector(b3 + width) * w;
        }
        if (k < middle) {
            const V v = loadVector(z);
            u0 += loadVector(b0) * v;
            u1 += loadVector(b1) * v;
            u2 += loadVector(b2) * v;
            u3 += loadVector(b3) * v;
        }
        // Not by a condition at run time: the compiler would multiply once for both ways, and round twice.
        if constexpr (kLastIsOdd) {
            u0 += last(a0) * xLast;
            u1 += last(a1) * xLast;
            u2 += last(a2) * xLast;
            u3 += last(a3) * xLast;
        } else {
            s0 += last(a0) * xLast;
            s1 += last(a1) * xLast;
            s2 += last(a2) * xLast;
            s3 += last(a3) * xLast;
        }
        const auto total = [&](V s, V u) { return __builtin_shuffle(blend(u, s) + blend(s, u), lanes.down); };
        T sums[4];
        foldFour<T>(total(s0, u0), total(s1, u1), total(s2, u2), total(s3, u3), sums);
        for (int i = 0; i < 4; ++i) finishRow(sums[i], a0 + i * lda, x, whole, columns, alpha, y[r + i]);
    }
    if (r < rows) gemvStraight(rows - r, columns, alpha, a + r * lda, lda, x, y + r);
}

template <class P, class T>
inline P loadPart(const T *from)
{
    P p;
    __builtin_memcpy(&p, from, sizeof p);
    return p;
}

// Columns j … as far as whole P reach, P a vector or a number: y += eight rows of a, each times its factor. Even rows are summed
// up in one register, odd ones in another, and y, mostly the larger one, is rounded once for all eight; every column is treated the
// same, whatever P takes it.
template <class P, class T>
inline void addEight(const T *a, long lda, const T *factor, T *y, long &j, long columns)
{
    constexpr long width = sizeof(P) / sizeof(T);
    const T *a0 = a, *a1 = a0 + lda, *a2 = a1 + lda, *a3 = a2 + lda;
    const T *a4 = a3 + lda, *a5 = a4 + lda, *a6 = a5 + lda, *a7 = a6 + lda;
    const P zero = {};
    const P f0 = zero + factor[0], f1 = zero + factor[1], f2 = zero + factor[2], f3 = zero + factor[3];
    const P f4 = zero + factor[4], f5 = zero + factor[5], f6 = zero + factor[6], f7 = zero + factor[7];
    for (; j + width <= columns; j += width) {
        P even = loadPart<P>(a0 + j) * f0, odd = loadPart<P>(a1 + j) * f1;
        even += loadPart<P>(a2 + j) * f2;
        odd += loadPart<P>(a3 + j) * f3;
        even += loadPart<P>(a4 + j) * f4;
        odd += loadPart<P>(a5 + j) * f5;
        even += loadPart<P>(a6 + j) * f6;
        odd += loadPart<P>(a7 + j) * f7;
        even = loadPart<P>(y + j) + (even + odd);
        __builtin_memcpy(y + j, &even, sizeof even);
    }
}

// Eight rows at a time: y is read and written once for eight rows of a.
template <class T>
inline void addRows(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y)
{
    long r = 0;
    for (; r + 8 <= rows; r += 8, a += 8 * lda) {
        T factor[8];
        for (int k = 0; k < 8; ++k) factor[k] = alpha * x[r + k];
        long j = 0;
        addEight<typename Vector<T>::Type>(a, lda, factor, y, j, columns);
        if constexpr (RT_VECTOR_BYTES > 32)
            if (j + 32 / static_cast<long>(sizeof(T)) <= columns) addEight<typename Part<T, 32>::Type>(a, lda, factor, y, j, columns);
        if constexpr (RT_VECTOR_BYTES > 16)
            if (j + 16 / static_cast<long>(sizeof(T)) <= columns) addEight<typename Part<T, 16>::Type>(a, lda, factor, y, j, columns);
        if (j < columns) addEight<T>(a, lda, factor, y, j, columns);
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
        addRows<T>(middle, length, alpha, static_cast<const T *>(__builtin_assume_aligned(a + 8 * lda + start, RT_VECTOR_BYTES)), lda, x + 8, sums);
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

constexpr long kWorthShifting = 8; // vectors of a row

template <class T>
void gemv(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y)
{
    constexpr long width = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
    const int shift = columns >= kWorthShifting * width ? shiftOf(a, lda) : 0;
    if (shift && columns / width % 2) gemvAligned<T, true>(rows, columns, alpha, a, lda, x, y, shift);
    else if (shift) gemvAligned<T, false>(rows, columns, alpha, a, lda, x, y, shift);
    else gemvStraight(rows, columns, alpha, a, lda, x, y);
}

template <class T>
void gemvTransposed(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y)
{
    constexpr long width = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
    const int shift = columns >= kWorthShifting * width && rows >= 24 ? shiftOf(a, lda) : 0;
    if (shift) gemvTransposedAligned(rows, columns, alpha, a, lda, x, y, shift);
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
