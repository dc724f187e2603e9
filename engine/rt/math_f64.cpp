#include "engine/rt/math_f64.h"

#include "engine/rt/mvec.h"

#if defined(RT_HAVE_MVEC)
#define DECLARE(f) extern "C" VecF64 RT_MVEC_F64(f)(VecF64);
#define FILL(op, f) table->loops[op][RT_F64] = mapVector<double, VecF64, RT_MVEC_F64(f)>;
#define DECLARE2(f) extern "C" VecF64 RT_MVEC_F64_2(f)(VecF64, VecF64);
#define FILL2(op, f) table->loops[op][RT_F64] = mapVector2<double, VecF64, RT_MVEC_F64_2(f)>;
#else
#define DECLARE(f) extern "C" double f(double);
#define FILL(op, f) table->loops[op][RT_F64] = mapUnary<double, double, f>;
#define DECLARE2(f) extern "C" double f(double, double);
#define FILL2(op, f) table->loops[op][RT_F64] = mapBinary<double, double, double, f>;
#endif

#define DECLARE_ONE(op, f) DECLARE(f)

FUNCTIONS(DECLARE_ONE)
DECLARE2(pow)
DECLARE2(atan2)

#if defined(__AVX512F__)
namespace {

// expOwn with the instruction that scales by a power of two: the same bits in less time.
inline VecF64 expScaled(VecF64 x)
{
    const __mmask8 some = _mm512_cmp_pd_mask((__m512d)x, _mm512_set1_pd(-745.2), _CMP_NLT_UQ); // 0 below, without rounding to it
    const __m512d v = _mm512_maskz_min_pd(some, _mm512_set1_pd(709.8), (__m512d)x);            // a NaN is the second one
    const __m512d magic = _mm512_set1_pd(6755399441055744.0);
    const __m512d k = _mm512_sub_pd(_mm512_fmadd_pd(v, _mm512_set1_pd(1.4426950408889634074), magic), magic);
    __m512d r = _mm512_fmadd_pd(k, _mm512_set1_pd(-6.93147180369123816490e-01), v);
    r = _mm512_fmadd_pd(k, _mm512_set1_pd(-1.90821492927058770002e-10), r);
    __m512d p = _mm512_set1_pd(kExpTerms[0]);
    for (int i = 1; i < kExpCount; ++i) p = _mm512_fmadd_pd(p, r, _mm512_set1_pd(kExpTerms[i]));
    p = _mm512_add_pd(_mm512_fmadd_pd(p, _mm512_mul_pd(r, r), r), _mm512_set1_pd(1.0));
    return (VecF64)_mm512_maskz_scalef_pd(some, p, k);
}

inline VecF64 sigmoidScaled(VecF64 x)
{
    const VecF64 one = VecF64{} + 1.0;
    const VecF64 e = expScaled(-(VecF64)_mm512_abs_pd((__m512d)x));
    return (x < 0.0 ? e : one) / (one + e);
}

} // namespace
#endif

extern "C" void RT_NAME(rt_fill_math_f64)(RtTable *table)
{
#if defined(__AVX512F__)
    table->loops[RT_EXP][RT_F64] = mapVector<double, VecF64, expScaled>;
    table->loops[RT_SIGMOID][RT_F64] = mapVector<double, VecF64, sigmoidScaled>;
#else
    table->loops[RT_EXP][RT_F64] = mapOwn<double, expOwn>;
    table->loops[RT_SIGMOID][RT_F64] = mapOwn<double, sigmoidOwn>;
#endif
    table->loops[RT_LOG][RT_F64] = mapOwn<double, logWide>;
    table->loops[RT_LOG1P][RT_F64] = mapOwn<double, log1pOwn>;
    table->loops[RT_SOFTPLUS][RT_F64] = mapOwn<double, softplusOwn>;
    FUNCTIONS(FILL)
    FILL2(RT_POW, pow)
    FILL2(RT_ATAN2, atan2)
}
