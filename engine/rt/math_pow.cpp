// x^y = 2^(y·log2(x)) with the logarithm in two parts, since a big y takes digits away: at most 1.25 ulp, and every special
// value as in C. Needs fused multiplication and addition; other levels keep the pow of math_f32 and math_f64.
#include "engine/rt/mvec.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h> // its functions are inlined always: no copy is left for the linker to keep

namespace {

typedef unsigned VecU32 __attribute__((vector_size(RT_VECTOR_BYTES)));
typedef u64 VecU64 __attribute__((vector_size(RT_VECTOR_BYTES)));

// About 1/m for each sixteenth of the mantissas m, which go from 1 - 17/64 to twice that: of so few bits that m·r - 1 is exact.
// kLogs and kLogRests are -log2(r) in two parts, the first so short that an exponent can be added without rounding.
// clang-format off
#define RECIPROCALS                                                                                                       \
    {1.34375, 1.28125, 1.21875, 1.1875, 1.15625, 1.09375, 1.0625, 1.03125,                                                \
     1, 0.9375, 0.890625, 0.84375, 0.796875, 0.765625, 0.71875, 0.6875}
// clang-format on

#if RT_VECTOR_BYTES < 64
// In two steps, so that denormal results come out right.
template <class L>
inline typename L::V scaleInSteps(typename L::V a, typename L::V k, typename L::V t)
{
    const typename L::V lowest = typename L::V{} + L::kLowest;
    k = k < lowest ? lowest : (k > -lowest ? -lowest : k);
    const typename L::V half = (k * 0.5f + L::kShift) - L::kShift, others = k - half;
    const auto first = ((typename L::Bits)(half + L::kShift) << L::kMantissaBits) + L::kOne;
    const auto second = ((typename L::Bits)(others + L::kShift) << L::kMantissaBits) + L::kOne;
    return (t < lowest ? typename L::V{} : a) * (typename L::V)first * (typename L::V)second;
}
#endif

struct Single {
    using V = VecF32;
    using Bits = VecU32;
    static constexpr int kMantissaBits = 23;
    static constexpr unsigned kOne = 0x3F800000, kSign = 0x80000000, kRounderBits = 0x4B000000;
    static constexpr float kBias = 8388608.0f + 256;
    static constexpr float kTiny = 1.17549435e-38f, kRaise = 8388608.0f, kRaised = 23, kShift = 12582912.0f, kHighest = 128.5f,
                           kLowest = -151.0f;
    static constexpr float kLog2e = 1.442695f, kLog2eRest = 1.925963e-08f;
    alignas(64) static constexpr float kReciprocals[16] = RECIPROCALS;
    alignas(64) static constexpr float kLogs[16] = {-0.42626953125f,    -0.3575439453125f,   -0.285400390625f,
                                                    -0.2479248046875f,  -0.209442138671875f, -0.1292724609375f,
                                                    -0.08746337890625f, -0.044403076171875f, 0,
                                                    0.093109130859375f, 0.1671142578125f,    0.2451171875f,
                                                    0.32757568359375f,  0.385284423828125f,  0.4764404296875f,
                                                    0.540557861328125f};
    alignas(64) static constexpr float kLogRests[16] = {
        4.776548e-06f, -8.059305e-06f, -1.8282373e-06f, -2.708756e-06f,  -1.1226957e-05f, -1.05560075e-05f, 5.376559e-07f, 8.956814e-06f, 0,
        2.735321e-07f, -4.271977e-06f, -4.6896635e-06f, -1.0255652e-06f, 5.7320567e-06f,  -2.3857444e-06f,  1.0520034e-05f};
    static constexpr float kLogTerms[] = {-0.16681384912979336f, 0.20016820467919272f, -0.24999997835261611f, 0.33333330859411314f};
    static constexpr float kExp2Terms[] = {0.00015461444698568514f,
                                           0.0013400428177615916f,
                                           0.009618056678524643f,
                                           0.05550327226670302f,
                                           0.24022650922288757f,
                                           0.6931472067028326f,
                                           1.0f};
#if RT_VECTOR_BYTES == 64
    static V fma(V a, V b, V c) { return (V)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
    static V pick(const float *table, Bits at) { return (V)_mm512_maskz_permutexvar_ps(0xFFFF, (__m512i)at, _mm512_load_ps(table)); }
    static V truncate(V a) { return (V)_mm512_maskz_roundscale_ps(0xFFFF, (__m512)a, 3); }
    static V absolute(V a) { return (V)_mm512_abs_ps((__m512)a); }
    static V scale(V a, V k, V t)
    {
        const auto some = _mm512_cmp_ps_mask((__m512)t, _mm512_set1_ps(kLowest), _CMP_NLT_UQ);
        return (V)_mm512_maskz_scalef_ps(some, (__m512)a, (__m512)k);
    }
    static bool anySpecial(V x, V y) { return _mm512_fpclass_ps_mask((__m512)x, 0xFF) | _mm512_fpclass_ps_mask((__m512)y, 0x99); }
#else
    static V fma(V a, V b, V c) { return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
    static V pick(const float *table, Bits at) { return (V)_mm256_i32gather_ps(table, (__m256i)(at & 15), 4); }
    static V truncate(V a) { return (V)_mm256_round_ps((__m256)a, 3); }
    static V absolute(V a) { return (V)_mm256_andnot_ps(_mm256_set1_ps(-0.0f), (__m256)a); }
    static V scale(V a, V k, V t) { return scaleInSteps<Single>(a, k, t); }
    static bool anySpecial(V x, V y)
    {
        const auto plain = (x >= kTiny) & (x < __builtin_inff()) & (absolute(y) < __builtin_inff());
        return _mm256_movemask_ps((__m256)plain) != 0xFF;
    }
#endif
};

struct Double {
    using V = VecF64;
    using Bits = VecU64;
    static constexpr int kMantissaBits = 52;
    static constexpr u64 kOne = 0x3FF0000000000000, kSign = 1ULL << 63, kRounderBits = 0x4330000000000000;
    static constexpr double kBias = 4503599627370496.0 + 2048;
    static constexpr double kTiny = 2.2250738585072014e-308, kRaise = 4503599627370496.0, kRaised = 52, kShift = 6755399441055744.0,
                            kHighest = 1024.5, kLowest = -1076;
    static constexpr double kLog2e = 1.4426950408889634, kLog2eRest = 2.0355273740931033e-17;
    alignas(64) static constexpr double kReciprocals[16] = RECIPROCALS;
    alignas(64) static constexpr double kLogs[16] = {-0.4262647547020606,  -0.3575520046179008,  -0.2854022188621457,
                                                     -0.24792751344375574, -0.20945336562908778, -0.12928301694500988,
                                                     -0.0874628412502716,  -0.04439411935800308, 0,
                                                     0.09310940439172555,  0.16710998583494074,  0.24511249783608946,
                                                     0.3275746580284249,   0.3852901558848316,   0.47643804394283507,
                                                     0.5405683813623909};
    alignas(64) static constexpr double kLogRests[16] = {-3.733907276649932e-14,  -1.82872716976671e-13,   -1.02668366941445e-13,
                                                         1.7024883460791358e-13,  1.3800246976244608e-13,  4.3421195976986995e-14,
                                                         -6.781363655020842e-14,  -4.5035636491329477e-13, 0,
                                                         -2.4407693577178287e-13, 3.1758065446573327e-13,  4.4199545957345896e-13,
                                                         7.951818330761124e-14,   -3.983479855974919e-14,  1.520621696507556e-13,
                                                         3.1180651700181383e-13};
    static constexpr double kLogTerms[] = {0.09111330524587892,  -0.10022092728892039, 0.11111093037658308,
                                           -0.12499980496791027, 0.14285714291657278,  -0.16666666673041583,
                                           0.19999999999999463,  -0.24999999999999437, 0.3333333333333333};
    static constexpr double kExp2Terms[] = {4.455930741563682e-10,  7.074197066047615e-09, 1.0178056472371986e-07, 1.3215432520547035e-06,
                                            1.5252733842758916e-05, 0.0001540353046375614, 0.0013333558146405434,  0.009618129107587223,
                                            0.05550410866482163,    0.2402265069591016,    0.6931471805599453,     1.0};
#if RT_VECTOR_BYTES == 64
    static V fma(V a, V b, V c) { return (V)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); }
    static V pick(const double *table, Bits at)
    {
        return (V)_mm512_permutex2var_pd(_mm512_load_pd(table), (__m512i)at, _mm512_load_pd(table + 8));
    }
    static V truncate(V a) { return (V)_mm512_maskz_roundscale_pd(0xFF, (__m512d)a, 3); }
    static V absolute(V a) { return (V)_mm512_abs_pd((__m512d)a); }
    static V scale(V a, V k, V t)
    {
        const auto some = _mm512_cmp_pd_mask((__m512d)t, _mm512_set1_pd(kLowest), _CMP_NLT_UQ);
        return (V)_mm512_maskz_scalef_pd(some, (__m512d)a, (__m512d)k);
    }
    static bool anySpecial(V x, V y) { return _mm512_fpclass_pd_mask((__m512d)x, 0xFF) | _mm512_fpclass_pd_mask((__m512d)y, 0x99); }
#else
    static V fma(V a, V b, V c) { return (V)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
    static V pick(const double *table, Bits at) { return (V)_mm256_i64gather_pd(table, (__m256i)(at & 15), 8); }
    static V truncate(V a) { return (V)_mm256_round_pd((__m256d)a, 3); }
    static V absolute(V a) { return (V)_mm256_andnot_pd(_mm256_set1_pd(-0.0), (__m256d)a); }
    static V scale(V a, V k, V t) { return scaleInSteps<Double>(a, k, t); }
    static bool anySpecial(V x, V y)
    {
        const auto plain = (x >= kTiny) & (x < __builtin_inf()) & (absolute(y) < __builtin_inf());
        return _mm256_movemask_pd((__m256d)plain) != 0xF;
    }
#endif
};

template <class L>
using V = typename L::V;
template <class L>
using Bits = typename L::Bits;

template <class L>
inline V<L> all(decltype(L::kTiny) value)
{
    return V<L>{} + value;
}

template <class L, unsigned long count>
inline V<L> polynomial(const decltype(L::kTiny) (&terms)[count], V<L> x)
{
    V<L> sum = all<L>(terms[0]);
    for (unsigned long i = 1; i < count; ++i) sum = L::fma(sum, x, all<L>(terms[i]));
    return sum;
}

// x positive and normal. `bias` is what the bits of its exponent are too high by, read as an integer in the digits of kRounder.
template <class L>
inline V<L> powPositive(V<L> x, V<L> y, V<L> bias)
{
    constexpr auto kFrom = L::kOne - (decltype(L::kOne)(17) << (L::kMantissaBits - 5));
    const Bits<L> offset = (Bits<L>)x - (kFrom + L::kSign); // biased: the shift is one of unsigned numbers
    const V<L> exponent = (V<L>)((offset >> L::kMantissaBits) + L::kRounderBits) - bias;
    const V<L> m = (V<L>)((offset & ((decltype(L::kOne)(1) << L::kMantissaBits) - 1)) + kFrom);
    const Bits<L> part = offset >> (L::kMantissaBits - 4);
    const V<L> z = L::fma(m, L::pick(L::kReciprocals, part), all<L>(-1));

    // log(1 + z) = z - z^2/2 + z^3·Q(z)
    const V<L> minusHalf = all<L>(-0.5f);
    const V<L> square = z * z, squareRest = L::fma(z, z, -square);
    const V<L> main = L::fma(minusHalf, square, z);
    V<L> rest = L::fma(minusHalf, squareRest, L::fma(minusHalf, square, z - main));
    rest = L::fma(z * square, polynomial<L>(L::kLogTerms, z), rest);
    const V<L> log2e = all<L>(L::kLog2e), whole = exponent + L::pick(L::kLogs, part); // exact
    const V<L> high = L::fma(main, log2e, whole);
    V<L> low = L::fma(main, log2e, whole - high);
    low += L::fma(rest, log2e, L::fma(main, all<L>(L::kLog2eRest), L::pick(L::kLogRests, part)));

    const V<L> t = y * high, tRest = L::fma(y, low, L::fma(y, high, -t));
    // tRest may be as large as a quarter: kLogRests are small against exponents, not against logarithms near 0.
    const V<L> rounded = ((t + tRest) + L::kShift) - L::kShift;
    const V<L> p = L::scale(polynomial<L>(L::kExp2Terms, (t - rounded) + tRest), rounded, t);
    return t > L::kHighest ? all<L>(__builtin_inff()) : p;
}

// Whatever C's pow says of zeros, infinities, NaN and negative bases.
template <class L>
__attribute__((noinline)) V<L> powSpecial(V<L> x, V<L> y)
{
    const V<L> infinity = all<L>(__builtin_inff());
    const V<L> size = L::absolute(x), ySize = L::absolute(y);
    const auto isTiny = size < L::kTiny;
    V<L> extra = isTiny ? all<L>(L::kRaised) : all<L>(0);
    extra = size == 0 ? infinity : extra;
    extra = size == infinity ? -infinity : extra;
    extra = x != x ? x : extra;
    V<L> p = powPositive<L>(isTiny ? size * L::kRaise : size, y, L::kBias + extra);
    const V<L> half = y * 0.5f;
    const auto isWhole = L::truncate(y) == y;
    const auto isOdd = isWhole & (L::truncate(half) != half);
    p = (V<L>)((Bits<L>)p | ((Bits<L>)x & (Bits<L>)isOdd & L::kSign));
    p = (x < 0) & (x != -infinity) & ~isWhole ? all<L>(__builtin_nanf("")) : p;
    return (y == 0) | (x == 1) | ((size == 1) & (ySize == infinity)) ? all<L>(1) : p;
}

template <class L>
inline V<L> power(V<L> x, V<L> y)
{
    return __builtin_expect(L::anySpecial(x, y), 0) ? powSpecial<L>(x, y) : powPositive<L>(x, y, all<L>(L::kBias));
}

} // namespace
#endif

extern "C" void RT_NAME(rt_fill_math_pow)([[maybe_unused]] RtTable *table)
{
#if defined(__AVX2__) && defined(__FMA__)
    table->loops[RT_POW][RT_F32] = mapVector2<float, VecF32, power<Single>>;
    table->loops[RT_POW][RT_F64] = mapVector2<double, VecF64, power<Double>>;
#endif
}
