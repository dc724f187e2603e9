// Between memory of any dtype and registers; casts between registers; wrapping to narrower dtypes.
#include "engine/rt/level.h"
#include "engine/rt/transpose.h"

#if defined(__F16C__)
#include <immintrin.h> // its functions are inlined always: no copy is left for the linker to keep
#endif

namespace {

struct F16 {
    unsigned short bits;
};
struct C64 {
    float re, im;
};
struct C128 {
    double re, im;
};

inline float th_asFloat(int bits) { return bitsToFloat(bits); }
inline int th_asBits(float value) { return floatToBits(value); }
#define FN inline
#include "engine/rt/functions/half.inc"

inline float th_fabs(float v) { return __builtin_fabsf(v); }
inline double th_fabs(double v) { return __builtin_fabs(v); }
#ifdef __AVX512DQ__
#define INT32 i64
#else
#define INT32 int
#endif
#define REAL float
#include "engine/rt/functions/conversions.inc"
#undef REAL
#define REAL double
#include "engine/rt/functions/conversions.inc"

template <class To, class From>
struct Convert {
    static To run(From v) { return static_cast<To>(v); }
};
template <>
struct Convert<i64, float> {
    static i64 run(float v) { return th_toInt(v); }
};
template <>
struct Convert<i64, double> {
    static i64 run(double v) { return th_toInt(v); }
};
template <>
struct Convert<u64, float> {
    static u64 run(float v) { return th_toUnsigned(v); }
};
template <>
struct Convert<u64, double> {
    static u64 run(double v) { return th_toUnsigned(v); }
};
template <class From>
struct Convert<bool, From> {
    static bool run(From v) { return v != From(0); }
};
template <class From>
struct Convert<C128, From> {
    static C128 run(From v) { return {static_cast<double>(v), 0}; }
};
template <class To>
struct Convert<To, C128> {
    static To run(C128 v) { return Convert<To, double>::run(v.re); }
};
template <>
struct Convert<C128, C128> {
    static C128 run(C128 v) { return v; }
};
template <>
struct Convert<bool, C128> {
    static bool run(C128 v) { return (v.re != 0) | (v.im != 0); }
};
template <>
struct Convert<float, F16> {
    static float run(F16 v) { return th_fromHalf(v.bits); }
};
template <>
struct Convert<F16, float> {
    static F16 run(float v) { return {th_toHalf(v)}; }
};
template <>
struct Convert<C128, C64> {
    static C128 run(C64 v) { return {v.re, v.im}; }
};
template <>
struct Convert<C64, C128> {
    static C64 run(C128 v) { return {static_cast<float>(v.re), static_cast<float>(v.im)}; }
};

// Half floats by the processor's own conversions, a vector at a time.
template <class T>
constexpr bool kIsHalf = false;
#if defined(__F16C__)
template <>
constexpr bool kIsHalf<F16> = true;
#endif

// `step` on vectors; what is left over goes through one that is filled up.
template <class Out, class In, class Step>
inline void byVectors(const In *in, Out *out, long n, const Step &step)
{
    constexpr long kWidth = RT_VECTOR_BYTES / 4;
    long i = 0;
    for (; i + kWidth <= n; i += kWidth) step(in + i, out + i);
    if (i == n) return;
    In some[kWidth] = {};
    Out done[kWidth];
    __builtin_memcpy(some, in + i, static_cast<unsigned long>(n - i) * sizeof(In));
    step(some, done);
    __builtin_memcpy(out + i, done, static_cast<unsigned long>(n - i) * sizeof(Out));
}

#if defined(__AVX512F__)
inline __m512 widened(__m256i halves) { return _mm512_maskz_cvtph_ps(0xFFFF, halves); }
inline __m256i rounded(__m512 v) { return _mm512_maskz_cvtps_ph(0xFFFF, v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
inline __m256i halvesAt(const F16 *in) { return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(in)); }
inline __m512 floatsAt(const float *in) { return _mm512_loadu_ps(in); }
inline void put(F16 *out, __m256i halves) { _mm256_storeu_si256(reinterpret_cast<__m256i *>(out), halves); }
inline void put(float *out, __m512 v) { _mm512_storeu_ps(out, v); }
#elif defined(__F16C__)
inline __m256 widened(__m128i halves) { return _mm256_cvtph_ps(halves); }
inline __m128i rounded(__m256 v) { return _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
inline __m128i halvesAt(const F16 *in) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(in)); }
inline __m256 floatsAt(const float *in) { return _mm256_loadu_ps(in); }
inline void put(F16 *out, __m128i halves) { _mm_storeu_si128(reinterpret_cast<__m128i *>(out), halves); }
inline void put(float *out, __m256 v) { _mm256_storeu_ps(out, v); }
#endif

#if defined(__F16C__)
inline void convert(const F16 *in, float *out, long n)
{
    byVectors(in, out, n, [](const F16 *from, float *to) { put(to, widened(halvesAt(from))); });
}
inline void convert(const float *in, F16 *out, long n)
{
    byVectors(in, out, n, [](const float *from, F16 *to) { put(to, rounded(floatsAt(from))); });
}
void roundToHalves(void *out, const void *const *in, long n)
{
    byVectors(static_cast<const float *>(in[0]), static_cast<float *>(out), n,
              [](const float *from, float *to) { put(to, widened(rounded(floatsAt(from)))); });
}
#endif

// Elements the same number of places apart: compilers make vectors of it where that number is a small constant.
template <long kPlaces, class Register, class Memory>
inline void loadEvery(const char *from, Register *out, long n)
{
    const Memory *in = reinterpret_cast<const Memory *>(from);
    if constexpr (kIsHalf<Memory> && kPlaces == 1) return convert(in, out, n);
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) out[i] = Convert<Register, Memory>::run(in[i * kPlaces]);
}

template <class Memory, class Register>
void load(const char *from, long stride, void *to, long n)
{
    constexpr long kSize = sizeof(Memory);
    Register *out = static_cast<Register *>(to);
    if (stride == 0) {
        const Register value = Convert<Register, Memory>::run(*reinterpret_cast<const Memory *>(from));
        for (long i = 0; i < n; ++i) out[i] = value;
        return;
    }
    switch (stride) {
    case -kSize: return loadEvery<-1, Register, Memory>(from, out, n);
    case kSize: return loadEvery<1, Register, Memory>(from, out, n);
    case 2 * kSize: return loadEvery<2, Register, Memory>(from, out, n);
    case 3 * kSize: return loadEvery<3, Register, Memory>(from, out, n);
    case 4 * kSize: return loadEvery<4, Register, Memory>(from, out, n);
    case 8 * kSize: return loadEvery<8, Register, Memory>(from, out, n);
    default:
        for (long i = 0; i < n; ++i) out[i] = Convert<Register, Memory>::run(*reinterpret_cast<const Memory *>(from + i * stride));
    }
}

template <class Memory, class Register>
void loadColumns(const char *from, long rows, long columns, long stride, void *to, long width)
{
    constexpr long kTile = transposedTile<Memory, Register>();
    Register *out = static_cast<Register *>(to);
    const auto some = [&](long firstRow, long rowCount, long firstColumn, long columnCount) {
        for (long r = firstRow; r < firstRow + rowCount; ++r)
            for (long c = firstColumn; c < firstColumn + columnCount; ++c)
                out[r * width + c] = Convert<Register, Memory>::run(reinterpret_cast<const Memory *>(from + c * stride)[r]);
    };
    const long wholeRows = rows - rows % kTile, wholeColumns = columns - columns % kTile;
    for (long c = 0; c < wholeColumns; c += kTile) {
        for (long r = 0; r < wholeRows; r += kTile) {
            if constexpr (kTile > 1 && kIsMoved<Memory, Register>)
                transposeTile<sizeof(Memory)>(from + c * stride + r * static_cast<long>(sizeof(Memory)), stride, out + r * width + c,
                                              width);
            else some(r, kTile, c, kTile);
        }
        some(wholeRows, rows - wholeRows, c, kTile);
    }
    some(0, rows, wholeColumns, columns - wholeColumns);
}

// Rows of few elements, each from an array of its own.
template <int kArrays, class Memory, class Register>
inline void interleave(const char *from, long rows, long stride, Register *out)
{
    const Memory *in[kArrays];
    for (int j = 0; j < kArrays; ++j) in[j] = reinterpret_cast<const Memory *>(from + j * stride);
#pragma GCC ivdep
    for (long r = 0; r < rows; ++r)
        for (int j = 0; j < kArrays; ++j) out[r * kArrays + j] = Convert<Register, Memory>::run(in[j][r]);
}

template <class Memory, class Register>
void loadRows(const char *from, long rows, long rowStride, long n, long stride, void *to)
{
    Register *const first = static_cast<Register *>(to);
    constexpr long kSize = sizeof(Memory), kTile = transposedTile<Memory, Register>();
    if (rowStride == kSize && stride != kSize) {
        if (n == 2) return interleave<2, Memory, Register>(from, rows, stride, first);
        if (n == 3) return interleave<3, Memory, Register>(from, rows, stride, first);
        if (n == 4) return interleave<4, Memory, Register>(from, rows, stride, first);
        if (n >= kTile && rows >= kTile) return loadColumns<Memory, Register>(from, rows, n, stride, to, n);
    }
    if (stride == kSize && n > 8) {
        for (long r = 0; r < rows; ++r) loadEvery<1, Register, Memory>(from + r * rowStride, first + r * n, n);
        return;
    }
    // The longer loop inside.
    if (n > 8 || n >= rows) {
        for (long r = 0; r < rows; ++r) load<Memory, Register>(from + r * rowStride, stride, first + r * n, n);
        return;
    }
    for (long j = 0; j < n; ++j)
        for (long r = 0; r < rows; ++r)
            first[r * n + j] = Convert<Register, Memory>::run(*reinterpret_cast<const Memory *>(from + r * rowStride + j * stride));
}

template <class Register, class Memory>
void store(const void *from, char *to, long stride, long n)
{
    const Register *in = static_cast<const Register *>(from);
    if (stride == static_cast<long>(sizeof(Memory))) {
        Memory *out = reinterpret_cast<Memory *>(to);
        if constexpr (kIsHalf<Memory>) return convert(in, out, n);
#pragma GCC ivdep
        for (long i = 0; i < n; ++i) out[i] = Convert<Memory, Register>::run(in[i]);
    } else {
        for (long i = 0; i < n; ++i) *reinterpret_cast<Memory *>(to + i * stride) = Convert<Memory, Register>::run(in[i]);
    }
}

template <class T>
struct Plain {
    using Type = T;
};
template <>
struct Plain<bool> {
    using Type = unsigned char;
};

template <class To, class From>
void castLoop(void *out, const void *const *in, long n)
{
    To *o = static_cast<To *>(out);
    // Compilers make no vectors of loops over bool.
    using Element = typename Plain<From>::Type;
    const Element *a = static_cast<const Element *>(in[0]);
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) o[i] = Convert<To, Element>::run(a[i]);
}

template <class Register, class Memory>
inline Register narrow(Register v)
{
    return Convert<Register, Memory>::run(Convert<Memory, Register>::run(v));
}

template <class From>
void fillCasts(RtTable *t, RtKind from)
{
    t->casts[from][RT_BOOL] = castLoop<bool, From>;
    t->casts[from][RT_INT] = castLoop<i64, From>;
    t->casts[from][RT_UINT] = castLoop<u64, From>;
    t->casts[from][RT_F32] = castLoop<float, From>;
    t->casts[from][RT_F64] = castLoop<double, From>;
    t->casts[from][RT_COMPLEX] = castLoop<C128, From>;
}

template <class Memory, class Register>
void fillDType(RtTable *t, RtDType d)
{
    t->loads[d] = load<Memory, Register>;
    t->loadRows[d] = loadRows<Memory, Register>;
    t->loadColumns[d] = loadColumns<Memory, Register>;
    t->stores[d] = store<Register, Memory>;
}
template <class Memory, class Register>
void fillNarrow(RtTable *t, RtDType d)
{
    fillDType<Memory, Register>(t, d);
    t->wraps[d] = mapUnary<Register, Register, narrow<Register, Memory>>;
}

// As the numbers that they are made of: of a pair that is left over by its vectors, GCC 12 drops both conversions.
void narrowPairs(void *out, const void *const *in, long n) { mapUnary<double, double, narrow<double, float>>(out, in, 2 * n); }

} // namespace

extern "C" void RT_NAME(rt_fill_memory)(RtTable *t)
{
    fillDType<bool, bool>(t, RT_D_BOOL);
    fillNarrow<signed char, i64>(t, RT_D_I8);
    fillNarrow<short, i64>(t, RT_D_I16);
    fillNarrow<int, i64>(t, RT_D_I32);
    fillDType<i64, i64>(t, RT_D_I64);
    fillNarrow<unsigned char, i64>(t, RT_D_U8);
    fillNarrow<unsigned short, i64>(t, RT_D_U16);
    fillNarrow<unsigned, i64>(t, RT_D_U32);
    fillDType<u64, u64>(t, RT_D_U64);
    fillNarrow<F16, float>(t, RT_D_F16);
#if defined(__F16C__)
    t->wraps[RT_D_F16] = roundToHalves;
#endif
    fillDType<float, float>(t, RT_D_F32);
    fillDType<double, double>(t, RT_D_F64);
    fillDType<C64, C128>(t, RT_D_C64);
    t->wraps[RT_D_C64] = narrowPairs;
    fillDType<C128, C128>(t, RT_D_C128);
    fillCasts<bool>(t, RT_BOOL);
    fillCasts<i64>(t, RT_INT);
    fillCasts<u64>(t, RT_UINT);
    fillCasts<float>(t, RT_F32);
    fillCasts<double>(t, RT_F64);
    fillCasts<C128>(t, RT_COMPLEX);
    const RtDType narrow[] = {RT_D_I8, RT_D_I16, RT_D_I32, RT_D_U8, RT_D_U16};
    for (RtDType d : narrow) {
        t->narrowingCasts[d][RT_F32] = mapUnary<i64, float, th_toInt32>;
        t->narrowingCasts[d][RT_F64] = mapUnary<i64, double, th_toInt32>;
    }
    t->narrowingCasts[RT_D_F16][RT_F64] = mapUnary<float, double, th_nearOdd>;
}
