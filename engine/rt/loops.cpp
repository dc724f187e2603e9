// Arithmetic, comparisons, logic and rounding over registers of each kind (complex ones are in complex.cpp,
// modulo and divisions of integers in divisions.cpp).
#include "engine/rt/level.h"

namespace {

// --- floating point ------------------------------------------------------------------------------------

// clang-format off
template <class T> inline T add(T a, T b) { return a + b; }
template <class T> inline T sub(T a, T b) { return a - b; }
template <class T> inline T mul(T a, T b) { return a * b; }
template <class T> inline T divide(T a, T b) { return a / b; }
template <class T> inline T neg(T a) { return -a; }
template <class T> inline T inv(T a) { return T(1) / a; }
template <class T> inline T sqr(T a) { return a * a; }
template <class T> inline T copy(T a) { return a; }
inline float mulAdd(float a, float b, float c) { return RT_FMAF(a, b, c); }
inline double mulAdd(double a, double b, double c) { return RT_FMA(a, b, c); }
template <class T> inline T mulAddF(T a, T b, T c) { return mulAdd(a, b, c); }
template <class T> inline T mulSubF(T a, T b, T c) { return mulAdd(a, b, -c); }
template <class T> inline T subMulF(T a, T b, T c) { return mulAdd(-a, b, c); }
// A NaN on either side wins, as in NumPy.
template <class T> inline T maximum(T a, T b) { return (a > b) | (a != a) ? a : b; }
template <class T> inline T minimum(T a, T b) { return (a < b) | (a != a) ? a : b; }
template <class T> inline T clip(T x, T low, T high) { return x < low ? low : (x > high ? high : x); }
template <class T> inline T choose(u8 c, T a, T b) { return c ? a : b; }
template <class T> inline u8 lt(T a, T b) { return a < b; }
template <class T> inline u8 gt(T a, T b) { return a > b; }
template <class T> inline u8 le(T a, T b) { return a <= b; }
template <class T> inline u8 ge(T a, T b) { return a >= b; }
template <class T> inline u8 eq(T a, T b) { return a == b; }
template <class T> inline u8 neq(T a, T b) { return a != b; }
template <class T> inline u8 inRange(T x, T low, T high) { return (x >= low) & (x <= high); }
template <class T> inline u8 isNan(T a) { return a != a; }
template <class T> inline u8 never(T) { return 0; }

inline float absolute(float a) { return __builtin_fabsf(a); }
inline double absolute(double a) { return __builtin_fabs(a); }
inline float root(float a) { return __builtin_sqrtf(a); }
inline double root(double a) { return __builtin_sqrt(a); }
inline float up(float a) { return __builtin_ceilf(a); }
inline double up(double a) { return __builtin_ceil(a); }
inline float down(float a) { return __builtin_floorf(a); }
inline double down(double a) { return __builtin_floor(a); }
inline float cut(float a) { return __builtin_truncf(a); }
inline double cut(double a) { return __builtin_trunc(a); }
inline float even(float a) { return __builtin_rintf(a); }
inline double even(double a) { return __builtin_rint(a); }
inline float signed0(float size, float sign) { return __builtin_copysignf(size, sign); }
inline double signed0(double size, double sign) { return __builtin_copysign(size, sign); }

template <class T> inline T absF(T a) { return absolute(a); }
template <class T> inline T sqrtF(T a) { return root(a); }
template <class T> inline T ceilF(T a) { return up(a); }
template <class T> inline T floorF(T a) { return down(a); }
template <class T> inline T truncF(T a) { return cut(a); }
template <class T> inline T roundEven(T a) { return even(a); }
template <class T> inline T roundAway(T a)
{
    const T whole = cut(a);
    const T away = whole + signed0(T(1), a);
    return absolute(a - whole) >= T(0.5) ? away : whole;
}
template <class T> inline T sgnF(T a) { return a > 0 ? T(1) : (a < 0 ? T(-1) : a + T(0)); } // of -0.0: 0.0, as in NumPy
template <class T> inline T floorDivF(T a, T b) { return down(a / b); }
template <class T> inline u8 isInf(T a) { return absolute(a) == T(__builtin_inf()); }
template <class T> inline T toRadians(T a) { return a * T(0.017453292519943295769); }
template <class T> inline T toDegrees(T a) { return a * T(57.295779513082320877); }

// --- integers: wrap around ---

inline i64 addI(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b)); }
inline i64 subI(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) - static_cast<u64>(b)); }
inline i64 mulI(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) * static_cast<u64>(b)); }
inline i64 negI(i64 a) { return static_cast<i64>(0 - static_cast<u64>(a)); }
inline i64 absI(i64 a) { return a < 0 ? negI(a) : a; }
inline i64 sqrI(i64 a) { return mulI(a, a); }
inline i64 mulAddI(i64 a, i64 b, i64 c) { return addI(mulI(a, b), c); }
inline u64 mulAddU(u64 a, u64 b, u64 c) { return a * b + c; }
inline i64 sgnI(i64 a) { return (a > 0) - (a < 0); }
inline u64 powU(u64 base, u64 exponent)
{
    u64 result = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}
inline i64 powI(i64 base, i64 exponent)
{
    if (exponent >= 0) return static_cast<i64>(powU(static_cast<u64>(base), static_cast<u64>(exponent)));
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 ? -1 : 1;
    return 0;
}
inline u64 sgnU(u64 a) { return a != 0; }
template <class T> inline T andI(T a, T b) { return a & b; }
template <class T> inline T orI(T a, T b) { return a | b; }
template <class T> inline T xorI(T a, T b) { return a ^ b; }
template <class T> inline T invertI(T a) { return ~a; }
inline u8 invertB(u8 a) { return a ^ 1; }
// clang-format on

template <class T>
void fillCommon(RtTable *t, RtKind k)
{
    t->loops[RT_COPY][k] = mapUnary<T, T, copy<T>>;
    t->loops[RT_SWITCH][k] = mapTernary<T, u8, T, T, choose<T>>;
    t->loops[RT_LT][k] = mapBinary<u8, T, T, lt<T>>;
    t->loops[RT_GT][k] = mapBinary<u8, T, T, gt<T>>;
    t->loops[RT_LE][k] = mapBinary<u8, T, T, le<T>>;
    t->loops[RT_GE][k] = mapBinary<u8, T, T, ge<T>>;
    t->loops[RT_EQ][k] = mapBinary<u8, T, T, eq<T>>;
    t->loops[RT_NEQ][k] = mapBinary<u8, T, T, neq<T>>;
    t->loops[RT_IN_RANGE][k] = mapTernary<u8, T, T, T, inRange<T>>;
    t->loops[RT_MAXIMUM][k] = mapBinary<T, T, T, maximum<T>>;
    t->loops[RT_MINIMUM][k] = mapBinary<T, T, T, minimum<T>>;
    t->loops[RT_CLIP][k] = mapTernary<T, T, T, T, clip<T>>;
}

template <class T>
void fillFloat(RtTable *t, RtKind k)
{
    fillCommon<T>(t, k);
    t->loops[RT_ADD][k] = mapBinary<T, T, T, add<T>>;
    t->loops[RT_SUB][k] = mapBinary<T, T, T, sub<T>>;
    t->loops[RT_MUL][k] = mapBinary<T, T, T, mul<T>>;
    t->loops[RT_TRUE_DIV][k] = mapBinary<T, T, T, divide<T>>;
    t->loops[RT_INT_DIV][k] = mapBinary<T, T, T, floorDivF<T>>;
    t->loops[RT_NEG][k] = mapUnary<T, T, neg<T>>;
    t->loops[RT_ABS][k] = mapUnary<T, T, absF<T>>;
    t->loops[RT_SGN][k] = mapUnary<T, T, sgnF<T>>;
    t->loops[RT_INV][k] = mapUnary<T, T, inv<T>>;
    t->loops[RT_SQR][k] = mapUnary<T, T, sqr<T>>;
    t->loops[RT_SQRT][k] = mapUnary<T, T, sqrtF<T>>;
    t->loops[RT_MUL_ADD][k] = mapTernary<T, T, T, T, mulAddF<T>>;
    t->loops[RT_MUL_SUB][k] = mapTernary<T, T, T, T, mulSubF<T>>;
    t->loops[RT_SUB_MUL][k] = mapTernary<T, T, T, T, subMulF<T>>;
    t->loops[RT_ISNAN][k] = mapUnary<u8, T, isNan<T>>;
    t->loops[RT_ISINF][k] = mapUnary<u8, T, isInf<T>>;
    t->loops[RT_CEIL][k] = mapUnary<T, T, ceilF<T>>;
    t->loops[RT_FLOOR][k] = mapUnary<T, T, floorF<T>>;
    t->loops[RT_TRUNC][k] = mapUnary<T, T, truncF<T>>;
    t->loops[RT_ROUND_EVEN][k] = mapUnary<T, T, roundEven<T>>;
    t->loops[RT_ROUND_AWAY][k] = mapUnary<T, T, roundAway<T>>;
    t->loops[RT_DEG2RAD][k] = mapUnary<T, T, toRadians<T>>;
    t->loops[RT_RAD2DEG][k] = mapUnary<T, T, toDegrees<T>>;
    t->loops[RT_REAL][k] = mapUnary<T, T, copy<T>>;
    t->loops[RT_CONJ][k] = mapUnary<T, T, copy<T>>;
}

template <class T>
void fillInteger(RtTable *t, RtKind k)
{
    fillCommon<T>(t, k);
    t->loops[RT_AND][k] = mapBinary<T, T, T, andI<T>>;
    t->loops[RT_OR][k] = mapBinary<T, T, T, orI<T>>;
    t->loops[RT_XOR][k] = mapBinary<T, T, T, xorI<T>>;
    t->loops[RT_ISNAN][k] = mapUnary<u8, T, never<T>>;
    t->loops[RT_ISINF][k] = mapUnary<u8, T, never<T>>;
    const RtOp same[] = {RT_CEIL, RT_FLOOR, RT_TRUNC, RT_ROUND_EVEN, RT_ROUND_AWAY, RT_REAL, RT_CONJ};
    for (RtOp op : same) t->loops[op][k] = mapUnary<T, T, copy<T>>;
}

} // namespace

extern "C" void RT_NAME(rt_fill_loops)(RtTable *t)
{
    fillFloat<float>(t, RT_F32);
    fillFloat<double>(t, RT_F64);

    fillInteger<i64>(t, RT_INT);
    t->loops[RT_ADD][RT_INT] = mapBinary<i64, i64, i64, addI>;
    t->loops[RT_SUB][RT_INT] = mapBinary<i64, i64, i64, subI>;
    t->loops[RT_MUL][RT_INT] = mapBinary<i64, i64, i64, mulI>;
    t->loops[RT_MUL_ADD][RT_INT] = mapTernary<i64, i64, i64, i64, mulAddI>;
    t->loops[RT_POW][RT_INT] = mapBinary<i64, i64, i64, powI>;
    t->loops[RT_NEG][RT_INT] = mapUnary<i64, i64, negI>;
    t->loops[RT_ABS][RT_INT] = mapUnary<i64, i64, absI>;
    t->loops[RT_SQR][RT_INT] = mapUnary<i64, i64, sqrI>;
    t->loops[RT_SGN][RT_INT] = mapUnary<i64, i64, sgnI>;
    t->loops[RT_INVERT][RT_INT] = mapUnary<i64, i64, invertI<i64>>;

    fillInteger<u64>(t, RT_UINT);
    t->loops[RT_ADD][RT_UINT] = mapBinary<u64, u64, u64, add<u64>>;
    t->loops[RT_SUB][RT_UINT] = mapBinary<u64, u64, u64, sub<u64>>;
    t->loops[RT_MUL][RT_UINT] = mapBinary<u64, u64, u64, mul<u64>>;
    t->loops[RT_MUL_ADD][RT_UINT] = mapTernary<u64, u64, u64, u64, mulAddU>;
    t->loops[RT_POW][RT_UINT] = mapBinary<u64, u64, u64, powU>;
    t->loops[RT_NEG][RT_UINT] = mapUnary<u64, u64, neg<u64>>;
    t->loops[RT_ABS][RT_UINT] = mapUnary<u64, u64, copy<u64>>;
    t->loops[RT_SQR][RT_UINT] = mapUnary<u64, u64, sqr<u64>>;
    t->loops[RT_SGN][RT_UINT] = mapUnary<u64, u64, sgnU>;
    t->loops[RT_INVERT][RT_UINT] = mapUnary<u64, u64, invertI<u64>>;

    // Sums and products of bool are or and and, as in NumPy.
    fillInteger<u8>(t, RT_BOOL);
    t->loops[RT_ADD][RT_BOOL] = mapBinary<u8, u8, u8, orI<u8>>;
    t->loops[RT_MUL][RT_BOOL] = mapBinary<u8, u8, u8, andI<u8>>;
    t->loops[RT_ABS][RT_BOOL] = mapUnary<u8, u8, copy<u8>>;
    t->loops[RT_SQR][RT_BOOL] = mapUnary<u8, u8, copy<u8>>;
    t->loops[RT_SGN][RT_BOOL] = mapUnary<u8, u8, copy<u8>>;
    t->loops[RT_INVERT][RT_BOOL] = mapUnary<u8, u8, invertB>;
}
