// Functions that glibc's libmvec provides: always called with whole vectors of this level's width, the tail padded,
// so that an element gives the same bits wherever it stands. Without libmvec: the scalar function per element.
#pragma once

#include "engine/rt/level.h"

#if defined(__AVX512F__)
#include <immintrin.h> // its functions are inlined always: no copy is left for the linker to keep
#endif

#if defined(RT_HAVE_MVEC)
#if RT_VECTOR_BYTES == 64
#define RT_MVEC_F32(name) _ZGVeN16v_##name##f
#define RT_MVEC_F32_2(name) _ZGVeN16vv_##name##f
#define RT_MVEC_F64(name) _ZGVeN8v_##name
#define RT_MVEC_F64_2(name) _ZGVeN8vv_##name
#elif RT_VECTOR_BYTES == 32
#define RT_MVEC_F32(name) _ZGVdN8v_##name##f
#define RT_MVEC_F32_2(name) _ZGVdN8vv_##name##f
#define RT_MVEC_F64(name) _ZGVdN4v_##name
#define RT_MVEC_F64_2(name) _ZGVdN4vv_##name
#else
#define RT_MVEC_F32(name) _ZGVbN4v_##name##f
#define RT_MVEC_F32_2(name) _ZGVbN4vv_##name##f
#define RT_MVEC_F64(name) _ZGVbN2v_##name
#define RT_MVEC_F64_2(name) _ZGVbN2vv_##name
#endif
#endif

// Those of one argument.
// clang-format off
#define FUNCTIONS(X)                                                                               \
    X(RT_EXP2, exp2) X(RT_EXPM1, expm1) X(RT_LOG2, log2) X(RT_LOG10, log10)                         \
    X(RT_SIN, sin) X(RT_COS, cos) X(RT_TAN, tan) X(RT_SINH, sinh) X(RT_COSH, cosh)                  \
    X(RT_TANH, tanh) X(RT_ASIN, asin) X(RT_ACOS, acos) X(RT_ATAN, atan) X(RT_ASINH, asinh)          \
    X(RT_ACOSH, acosh) X(RT_ATANH, atanh) X(RT_ERF, erf) X(RT_ERFC, erfc)
// clang-format on

namespace {

typedef float VecF32 __attribute__((vector_size(RT_VECTOR_BYTES)));
typedef double VecF64 __attribute__((vector_size(RT_VECTOR_BYTES)));

// Fewer elements than a vector has: the rest of it repeats the first one.
template <class V, class T>
inline V loadFirst(const T *from, long n)
{
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == 64 && sizeof(T) == 4)
        return (V)_mm512_mask_loadu_ps(_mm512_set1_ps(*from), static_cast<__mmask16>((1u << n) - 1), from);
    else if constexpr (sizeof(V) == 64) return (V)_mm512_mask_loadu_pd(_mm512_set1_pd(*from), static_cast<__mmask8>((1u << n) - 1), from);
#endif
    V v = V{} + *from;
    __builtin_memcpy(&v, from, static_cast<unsigned long>(n) * sizeof(T));
    return v;
}

template <class V, class T>
inline void storeFirst(T *to, V v, long n)
{
#if defined(__AVX512F__)
    if constexpr (sizeof(V) < RT_VECTOR_BYTES) __builtin_memcpy(to, &v, static_cast<unsigned long>(n) * sizeof(T));
    else if constexpr (sizeof(T) == 4) _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << n) - 1), (__m512)v);
    else _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << n) - 1), (__m512d)v);
#else
    __builtin_memcpy(to, &v, static_cast<unsigned long>(n) * sizeof(T));
#endif
}

template <class T, class V, V (*F)(V)>
void mapVector(void *out, const void *const *in, long n)
{
    constexpr long width = static_cast<long>(sizeof(V) / sizeof(T));
    T *o = static_cast<T *>(out);
    const T *a = static_cast<const T *>(in[0]);
    long i = 0;
    for (; i + width <= n; i += width) {
        V x;
        __builtin_memcpy(&x, a + i, sizeof x);
        x = F(x);
        __builtin_memcpy(o + i, &x, sizeof x);
    }
    if (i == n) return;
    storeFirst(o + i, F(loadFirst<V>(a + i, n - i)), n - i);
}

template <class T, class V, V (*F)(V, V)>
void mapVector2(void *out, const void *const *in, long n)
{
    constexpr long width = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
    T *o = static_cast<T *>(out);
    const T *a = static_cast<const T *>(in[0]);
    const T *b = static_cast<const T *>(in[1]);
    long i = 0;
    for (; i + width <= n; i += width) {
        V x, y;
        __builtin_memcpy(&x, a + i, sizeof x);
        __builtin_memcpy(&y, b + i, sizeof y);
        x = F(x, y);
        __builtin_memcpy(o + i, &x, sizeof x);
    }
    if (i == n) return;
    storeFirst(o + i, F(loadFirst<V>(a + i, n - i), loadFirst<V>(b + i, n - i)), n - i);
}

// Own functions: an inline body that the compiler vectorises; whole vectors, the tail padded.
template <class T, T (*F)(T)>
void mapOwn(void *out, const void *const *in, long n)
{
    constexpr long width = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
    T *o = static_cast<T *>(out);
    const T *a = static_cast<const T *>(in[0]);
    const long whole = n & ~(width - 1);
#pragma GCC ivdep
    for (long i = 0; i < whole; ++i) o[i] = F(a[i]);
    if (whole == n) return;
    if (n - whole == width / 2) {
#pragma GCC ivdep
#pragma GCC unroll 1
        for (long i = 0; i < width / 2; ++i) o[whole + i] = F(a[whole + i]);
        return;
    }
    typedef T Whole __attribute__((vector_size(RT_VECTOR_BYTES)));
    alignas(RT_VECTOR_BYTES) T tail[width];
    Whole x = loadFirst<Whole>(a + whole, n - whole);
    __builtin_memcpy(tail, &x, sizeof x);
    for (long i = 0; i < width; ++i) tail[i] = F(tail[i]);
    __builtin_memcpy(&x, tail, sizeof x);
    storeFirst(o + whole, x, n - whole);
}

} // namespace
