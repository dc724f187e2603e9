// Functions that glibc's libmvec provides: always called with whole vectors of this level's width, the tail padded,
// so that an element gives the same bits wherever it stands. Without libmvec: the scalar function per element.
#pragma once

#include "engine/runtime/rt/level.h"

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

namespace {

typedef float VecF32 __attribute__((vector_size(RT_VECTOR_BYTES)));
typedef double VecF64 __attribute__((vector_size(RT_VECTOR_BYTES)));

template <class T, class V, V (*F)(V)>
void mapVector(void *out, const void *const *in, long n)
{
    constexpr long width = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
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
    V x = V{} + a[i];
    __builtin_memcpy(&x, a + i, static_cast<unsigned long>(n - i) * sizeof(T));
    x = F(x);
    __builtin_memcpy(o + i, &x, static_cast<unsigned long>(n - i) * sizeof(T));
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
    V x = V{} + a[i], y = V{} + b[i];
    __builtin_memcpy(&x, a + i, static_cast<unsigned long>(n - i) * sizeof(T));
    __builtin_memcpy(&y, b + i, static_cast<unsigned long>(n - i) * sizeof(T));
    x = F(x, y);
    __builtin_memcpy(o + i, &x, static_cast<unsigned long>(n - i) * sizeof(T));
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
    T tail[width];
    for (long i = 0; i < width; ++i) tail[i] = a[whole];
    __builtin_memcpy(tail, a + whole, static_cast<unsigned long>(n - whole) * sizeof(T));
    for (long i = 0; i < width; ++i) tail[i] = F(tail[i]);
    __builtin_memcpy(o + whole, tail, static_cast<unsigned long>(n - whole) * sizeof(T));
}

} // namespace
