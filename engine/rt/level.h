// Shared by the sources that are compiled once per instruction set. They must not include standard headers with
// inline functions: the linker could keep a copy that only the newest processors run.
#pragma once

#include "engine/rt/rt.h"

#if defined(__AVX512F__)
#define RT_NAME(x) x##_v4
#define RT_LEVEL "x86-64-v4"
#define RT_VECTOR_BYTES 64
#elif defined(__AVX2__) && defined(__FMA__)
#define RT_NAME(x) x##_v3
#define RT_LEVEL "x86-64-v3"
#define RT_VECTOR_BYTES 32
#elif defined(__SSE4_2__)
#define RT_NAME(x) x##_v2
#define RT_LEVEL "x86-64-v2"
#define RT_VECTOR_BYTES 16
#else
#define RT_NAME(x) x##_base
#define RT_LEVEL "base"
#define RT_VECTOR_BYTES 16
#endif

#if defined(__FMA__) || defined(__aarch64__)
#define RT_FMA(a, b, c) __builtin_fma((a), (b), (c))
#define RT_FMAF(a, b, c) __builtin_fmaf((a), (b), (c))
#define RT_FUSES_MULTIPLY_ADD 1
#else
#define RT_FMA(a, b, c) ((a) * (b) + (c))
#define RT_FMAF(a, b, c) ((a) * (b) + (c))
#define RT_FUSES_MULTIPLY_ADD 0
#endif

// Each source fills its part of the level's table.
extern "C" {
void RT_NAME(rt_fill_math_f32)(RtTable *table);
void RT_NAME(rt_fill_math_f64)(RtTable *table);
void RT_NAME(rt_fill_math_pow)(RtTable *table);   // after those
void RT_NAME(rt_fill_math_gamma)(RtTable *table); // after rt_fill_special
void RT_NAME(rt_fill_loops)(RtTable *table);
void RT_NAME(rt_fill_divisions)(RtTable *table);
void RT_NAME(rt_fill_places)(RtTable *table);
void RT_NAME(rt_fill_memory)(RtTable *table);
void RT_NAME(rt_fill_folds)(RtTable *table);
void RT_NAME(rt_fill_narrow_folds)(RtTable *table);
void RT_NAME(rt_fill_repeats)(RtTable *table);
void RT_NAME(rt_fill_blas)(RtTable *table);
void RT_NAME(rt_fill_indexed)(RtTable *table);
void RT_NAME(rt_fill_small_products)(RtTable *table);
void RT_NAME(rt_fill_conv)(RtTable *table);
void RT_NAME(rt_fill_pool)(RtTable *table);
void RT_NAME(rt_fill_sort)(RtTable *table);
void rt_fill_special(RtTable *table); // once, for every level
void rt_fill_complex(RtTable *table);
}

namespace {

using i64 = long long;
using u64 = unsigned long long;
using u8 = unsigned char;

inline float bitsToFloat(int bits)
{
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
inline int floatToBits(float value)
{
    int bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline double bitsToDouble(i64 bits)
{
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
inline i64 doubleToBits(double value)
{
    i64 bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Loops over one, two or three inputs. Output and inputs may be the same memory, so no restrict: ivdep says that
// no element depends on another one.
template <class Out, class A, Out (*F)(A)>
void mapUnary(void *out, const void *const *in, long n)
{
    Out *o = static_cast<Out *>(out);
    const A *a = static_cast<const A *>(in[0]);
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) o[i] = F(a[i]);
}
template <class Out, class A, class B, Out (*F)(A, B)>
void mapBinary(void *out, const void *const *in, long n)
{
    Out *o = static_cast<Out *>(out);
    const A *a = static_cast<const A *>(in[0]);
    const B *b = static_cast<const B *>(in[1]);
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) o[i] = F(a[i], b[i]);
}
template <class Out, class A, class B, class C, Out (*F)(A, B, C)>
void mapTernary(void *out, const void *const *in, long n)
{
    Out *o = static_cast<Out *>(out);
    const A *a = static_cast<const A *>(in[0]);
    const B *b = static_cast<const B *>(in[1]);
    const C *c = static_cast<const C *>(in[2]);
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) o[i] = F(a[i], b[i], c[i]);
}

} // namespace
