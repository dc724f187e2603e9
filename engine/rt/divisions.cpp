// Floor division of integers, and modulo with the sign of the divisor. Processors divide doubles eight at a time and integers one by one,
// and below 2^51 the quotient of two doubles never rounds across an integer: blocks of small numbers go that way. Floats whose quotient has
// fewer digits than they have need no long division either.
#include "engine/rt/level.h"

namespace {

constexpr long kBlock = 64;
constexpr double kShift = 6755399441055744.0; // 1.5·2^52: an integer stands in the low bits of what it is added to
constexpr i64 kShiftBits = 0x4338000000000000LL;
constexpr u64 kSmall = 1ULL << 51;

#define FN [[maybe_unused]] inline
#include "engine/rt/functions/integers.inc"
inline i64 floorDiv(i64 a, i64 b) { return th_floorDivide(a, b); }
inline i64 mod(i64 a, i64 b) { return th_modInt(a, b); }
inline u64 floorDiv(u64 a, u64 b) { return b ? a / b : 0; }
inline u64 mod(u64 a, u64 b) { return b ? a % b : 0; }

inline u64 isLarge(i64 a) { return (static_cast<u64>(a) + kSmall) >> 52; }
inline u64 isLarge(u64 a) { return a >> 51; }

inline double exactDouble(i64 a) { return bitsToDouble(a + kShiftBits) - kShift; }

// One divisor for all: its reciprocal gives the floor of the quotient or a neighbour of it, which the rest shows.
template <class T, bool kMod>
inline void divideByOne(T *out, const T *a, double by, long n)
{
    const double reciprocal = 1.0 / by, size = __builtin_fabs(by);
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) {
        const double x = exactDouble(static_cast<i64>(a[i]));
        const double q = __builtin_floor(x * reciprocal);
        const double rest = RT_FMA(-q, by, x); // exact: all are whole and below 2^53
        const bool isAbove = __builtin_fabs(rest) >= size, isBelow = !isAbove & (rest != 0.0) & ((rest < 0.0) != (by < 0.0));
        const double result = kMod ? rest + (isBelow ? by : isAbove ? -by : 0.0) : q + (isBelow ? -1.0 : isAbove ? 1.0 : 0.0);
        out[i] = static_cast<T>(doubleToBits(result + kShift) - kShiftBits);
    }
}

template <class T, bool kMod>
inline void divideBlock(T *out, const T *a, const T *b, long n)
{
    u64 large = 0, others = 0;
    for (long i = 0; i < n; ++i) large |= isLarge(a[i]) | isLarge(b[i]), others |= static_cast<u64>(b[i] ^ b[0]);
    if (large) {
        for (long i = 0; i < n; ++i) out[i] = kMod ? mod(a[i], b[i]) : floorDiv(a[i], b[i]);
        return;
    }
    if (!others && b[0] != 0) return divideByOne<T, kMod>(out, a, static_cast<double>(static_cast<i64>(b[0])), n);
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) {
        const i64 x = static_cast<i64>(a[i]), y = static_cast<i64>(b[i]);
        const double quotient = __builtin_floor(exactDouble(x) / exactDouble(y));
        const i64 q = doubleToBits(quotient + kShift) - kShiftBits;
        const i64 result = kMod ? x - q * y : q;
        out[i] = static_cast<T>(y == 0 ? 0 : result);
    }
}

template <class T, bool kMod>
void divide(void *out, const void *const *in, long n)
{
    T *o = static_cast<T *>(out);
    const T *a = static_cast<const T *>(in[0]);
    const T *b = static_cast<const T *>(in[1]);
    long i = 0;
    for (; i + kBlock <= n; i += kBlock) divideBlock<T, kMod>(o + i, a + i, b + i, kBlock);
    if (i < n) divideBlock<T, kMod>(o + i, a + i, b + i, n - i);
}

inline float remainderOf(float a, float b) { return __builtin_fmodf(a, b); }
inline double remainderOf(double a, double b) { return __builtin_fmod(a, b); }
inline float quotientOf(float a, float b) { return __builtin_floorf(a / b); }
inline double quotientOf(double a, double b) { return __builtin_floor(a / b); }
inline float withSign(float size, float sign) { return __builtin_copysignf(size, sign); }
inline double withSign(double size, double sign) { return __builtin_copysign(size, sign); }
[[maybe_unused]] inline float subtractProduct(float a, float q, float b) { return RT_FMAF(-q, b, a); }
[[maybe_unused]] inline double subtractProduct(double a, double q, double b) { return RT_FMA(-q, b, a); }

// What is left over, into the range of the divisor.
template <class T>
inline T withSignOf(T rest, T divisor)
{
    const T moved = (rest < 0) != (divisor < 0) ? rest + divisor : rest;
    return rest == 0 ? withSign(T(0), divisor) : moved;
}

template <class T>
inline void modBlock(T *out, const T *a, const T *b, long n)
{
    if constexpr (RT_FUSES_MULTIPLY_ADD) {
        // The floor of a rounded quotient is right or one too high, and in both cases a - q·b needs no rounding.
        constexpr T kExact = sizeof(T) == 4 ? T(1 << 24) : T(1LL << 53);
        T rests[kBlock];
        int open = 0;
        for (long i = 0; i < n; ++i) {
            const T q = quotientOf(a[i], b[i]);
            const T rest = withSignOf(subtractProduct(a[i], q, b[i]), b[i]);
            rests[i] = (q < kExact) & (q > -kExact) ? rest : T(__builtin_nan(""));
            open |= rests[i] != rests[i];
        }
        if (open)
            for (long i = 0; i < n; ++i) out[i] = rests[i] == rests[i] ? rests[i] : withSignOf(remainderOf(a[i], b[i]), b[i]);
        else __builtin_memcpy(out, rests, static_cast<unsigned long>(n) * sizeof(T));
    } else {
        for (long i = 0; i < n; ++i) out[i] = withSignOf(remainderOf(a[i], b[i]), b[i]);
    }
}

template <class T>
void modFloat(void *out, const void *const *in, long n)
{
    T *o = static_cast<T *>(out);
    const T *a = static_cast<const T *>(in[0]);
    const T *b = static_cast<const T *>(in[1]);
    long i = 0;
    for (; i + kBlock <= n; i += kBlock) modBlock(o + i, a + i, b + i, kBlock);
    if (i < n) modBlock(o + i, a + i, b + i, n - i);
}

} // namespace

extern "C" void RT_NAME(rt_fill_divisions)(RtTable *table)
{
    table->loops[RT_INT_DIV][RT_INT] = divide<i64, false>;
    table->loops[RT_MOD][RT_INT] = divide<i64, true>;
    table->loops[RT_INT_DIV][RT_UINT] = divide<u64, false>;
    table->loops[RT_MOD][RT_UINT] = divide<u64, true>;
    table->loops[RT_MOD][RT_F32] = modFloat<float>;
    table->loops[RT_MOD][RT_F64] = modFloat<double>;
}
