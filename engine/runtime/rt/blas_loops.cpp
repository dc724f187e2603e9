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

template <class T>
inline T foldVector(typename Vector<T>::Type v)
{
    constexpr int width = RT_VECTOR_BYTES / static_cast<int>(sizeof(T));
    T lanes[width];
    __builtin_memcpy(lanes, &v, sizeof v);
    for (int half = width / 2; half; half /= 2)
        for (int j = 0; j < half; ++j) lanes[j] += lanes[j + half];
    return lanes[0];
}

// Four rows by two vectors: enough independent sums to keep both multiply-add units busy.
template <class T>
void gemv(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y)
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
        T t0 = foldVector<T>(s0 + u0), t1 = foldVector<T>(s1 + u1), t2 = foldVector<T>(s2 + u2), t3 = foldVector<T>(s3 + u3);
        for (; j < columns; ++j) {
            t0 += a0[j] * x[j];
            t1 += a1[j] * x[j];
            t2 += a2[j] * x[j];
            t3 += a3[j] * x[j];
        }
        y[r] += alpha * t0;
        y[r + 1] += alpha * t1;
        y[r + 2] += alpha * t2;
        y[r + 3] += alpha * t3;
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
        T t = foldVector<T>(s + u);
        for (; j < columns; ++j) t += row[j] * x[j];
        y[r] += alpha * t;
    }
}

// Eight rows at a time: y is read and written once for eight rows of a.
template <class T>
void gemvTransposed(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y)
{
    long r = 0;
    for (; r + 8 <= rows; r += 8) {
        const T *a0 = a + r * lda, *a1 = a0 + lda, *a2 = a1 + lda, *a3 = a2 + lda;
        const T *a4 = a3 + lda, *a5 = a4 + lda, *a6 = a5 + lda, *a7 = a6 + lda;
        T f[8];
        for (int k = 0; k < 8; ++k) f[k] = alpha * x[r + k];
#pragma GCC ivdep
        for (long j = 0; j < columns; ++j) {
            const T first = a0[j] * f[0] + a1[j] * f[1] + a2[j] * f[2] + a3[j] * f[3];
            const T second = a4[j] * f[4] + a5[j] * f[5] + a6[j] * f[6] + a7[j] * f[7];
            y[j] += first + second;
        }
    }
    for (; r < rows; ++r) {
        const T *row = a + r * lda;
        const T factor = alpha * x[r];
#pragma GCC ivdep
        for (long j = 0; j < columns; ++j) y[j] += row[j] * factor;
    }
}

} // namespace

extern "C" void RT_NAME(rt_fill_blas)(RtTable *t)
{
    t->gemvF32 = gemv<float>;
    t->gemvF64 = gemv<double>;
    t->gemvTransposedF32 = gemvTransposed<float>;
    t->gemvTransposedF64 = gemvTransposed<double>;
}
