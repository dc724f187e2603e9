// Loops for the cheap functions over registers of each kind, made from the rows (complex ones are in complex.cpp).
#include "engine/rt/level.h"

namespace {

// clang-format off
#define BOTH(name, builtin) \
    inline float th_##name(float x) { return __builtin_##builtin##f(x); } \
    inline double th_##name(double x) { return __builtin_##builtin(x); }
BOTH(fabs, fabs) BOTH(sqrt, sqrt) BOTH(ceil, ceil) BOTH(floor, floor) BOTH(trunc, trunc) BOTH(rint, rint)
inline float th_copysign(float size, float sign) { return __builtin_copysignf(size, sign); }
inline double th_copysign(double size, double sign) { return __builtin_copysign(size, sign); }
#define th_inf() T(__builtin_inf())
#define real(c) T(c)
#define bits(x) static_cast<u64>(x)

template <class T> using Same = T;
template <class T> using Among = T;
template <class T> using Test = u8;
#define PARAMETERS1 [[maybe_unused]] T x
#define PARAMETERS2 T x, T y
#define PARAMETERS3 T x, T y, T z
#define TEXT(op, arity, kinds, result, ...) \
    template <class T> inline result<T> value##op##kinds(PARAMETERS##arity) { return static_cast<result<T>>(__VA_ARGS__); }
#include "engine/rt/functions/all.def"

template <class T> inline T choose(u8 c, T a, T b) { return c ? a : b; }
inline float mulAdd(float a, float b, float c) { return RT_FMAF(a, b, c); }
inline double mulAdd(double a, double b, double c) { return RT_FMA(a, b, c); }
template <class T> inline T mulAddF(T a, T b, T c) { return mulAdd(a, b, c); }
template <class T> inline T mulSubF(T a, T b, T c) { return mulAdd(a, b, -c); }
template <class T> inline T subMulF(T a, T b, T c) { return mulAdd(-a, b, c); }
template <class T> inline T mulAddI(T a, T b, T c) { return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b) + static_cast<u64>(c)); }

template <class R, class T, R (*F)(T)> void fill(RtLoop &loop) { loop = mapUnary<R, T, F>; }
template <class R, class T, R (*F)(T, T)> void fill(RtLoop &loop) { loop = mapBinary<R, T, T, F>; }
template <class R, class T, R (*F)(T, T, T)> void fill(RtLoop &loop) { loop = mapTernary<R, T, T, T, F>; }

template <class T> void fillMulAdd(RtTable *t, RtKind k)
{
    t->loops[RT_MUL_ADD][k] = mapTernary<T, T, T, T, mulAddF<T>>;
    t->loops[RT_MUL_SUB][k] = mapTernary<T, T, T, T, mulSubF<T>>;
    t->loops[RT_SUB_MUL][k] = mapTernary<T, T, T, T, subMulF<T>>;
}
// clang-format on

} // namespace

extern "C" void RT_NAME(rt_fill_loops)(RtTable *t)
{
    // clang-format off
#define FILL(kind, T, op, result, f) fill<result<T>, T, f<T>>(t->loops[op][kind]);
#define FILL_Real(...) FILL(RT_F32, float, __VA_ARGS__) FILL(RT_F64, double, __VA_ARGS__)
#define FILL_Int(...) FILL(RT_INT, i64, __VA_ARGS__)
#define FILL_Unsigned(...) FILL(RT_UINT, u64, __VA_ARGS__)
#define FILL_Whole(...) FILL_Int(__VA_ARGS__) FILL_Unsigned(__VA_ARGS__)
#define FILL_Bool(...) FILL(RT_BOOL, u8, __VA_ARGS__)
#define FILL_Discrete(...) FILL_Whole(__VA_ARGS__) FILL_Bool(__VA_ARGS__)
#define FILL_Numbers(...) FILL_Real(__VA_ARGS__) FILL_Whole(__VA_ARGS__)
#define FILL_All(...) FILL_Numbers(__VA_ARGS__) FILL_Bool(__VA_ARGS__)
#define TEXT(op, arity, kinds, result, ...) FILL_##kinds(RT_##op, result, value##op##kinds)
#include "engine/rt/functions/all.def"
    // clang-format on

    t->loops[RT_SWITCH][RT_F32] = mapTernary<float, u8, float, float, choose<float>>;
    t->loops[RT_SWITCH][RT_F64] = mapTernary<double, u8, double, double, choose<double>>;
    t->loops[RT_SWITCH][RT_INT] = mapTernary<i64, u8, i64, i64, choose<i64>>;
    t->loops[RT_SWITCH][RT_UINT] = mapTernary<u64, u8, u64, u64, choose<u64>>;
    t->loops[RT_SWITCH][RT_BOOL] = mapTernary<u8, u8, u8, u8, choose<u8>>;
    fillMulAdd<float>(t, RT_F32);
    fillMulAdd<double>(t, RT_F64);
    t->loops[RT_MUL_ADD][RT_INT] = mapTernary<i64, i64, i64, i64, mulAddI<i64>>;
    t->loops[RT_MUL_ADD][RT_UINT] = mapTernary<u64, u64, u64, u64, mulAddI<u64>>;
}
