#include "engine/rt/math_f32.h"

#include "engine/rt/mvec.h"

#if defined(RT_HAVE_MVEC)
#define DECLARE(f) extern "C" VecF32 RT_MVEC_F32(f)(VecF32);
#define FILL(op, f) table->loops[op][RT_F32] = mapVector<float, VecF32, RT_MVEC_F32(f)>;
#define DECLARE2(f) extern "C" VecF32 RT_MVEC_F32_2(f)(VecF32, VecF32);
#define FILL2(op, f) table->loops[op][RT_F32] = mapVector2<float, VecF32, RT_MVEC_F32_2(f)>;
#else
#define DECLARE(name) extern "C" float name##f(float);
#define FILL(op, name) table->loops[op][RT_F32] = mapUnary<float, float, name##f>;
#define DECLARE2(name) extern "C" float name##f(float, float);
#define FILL2(op, name) table->loops[op][RT_F32] = mapBinary<float, float, float, name##f>;
#endif

#define DECLARE_ONE(op, f) DECLARE(f)

FUNCTIONS(DECLARE_ONE)
DECLARE2(pow)
DECLARE2(atan2)

#if defined(__AVX512F__)
namespace {

// expOwn with the instruction that scales by a power of two: the same bits in half the time.
inline VecF32 expScaled(VecF32 x)
{
    const __mmask16 some = _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(-104.0f), _CMP_NLT_UQ); // 0 below, without rounding to it
    const __m512 v = _mm512_maskz_min_ps(some, _mm512_set1_ps(88.75f), (__m512)x);              // a NaN is the second one
    const __m512 magic = _mm512_set1_ps(12582912.0f);
    const __m512 k = _mm512_sub_ps(_mm512_fmadd_ps(v, _mm512_set1_ps(1.44269504088896341f), magic), magic);
    __m512 r = _mm512_fmadd_ps(k, _mm512_set1_ps(-0.693145751953125f), v);
    r = _mm512_fmadd_ps(k, _mm512_set1_ps(-1.42860682030941723212e-6f), r);
    __m512 p = _mm512_fmadd_ps(_mm512_set1_ps(1.9875691500e-4f), r, _mm512_set1_ps(1.3981999507e-3f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(8.3334519073e-3f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(4.1665795894e-2f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.6666665459e-1f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(5.0000001201e-1f));
    p = _mm512_add_ps(_mm512_fmadd_ps(p, _mm512_mul_ps(r, r), r), _mm512_set1_ps(1.0f));
    return (VecF32)_mm512_maskz_scalef_ps(some, p, k);
}

} // namespace
#endif

extern "C" void RT_NAME(rt_fill_math_f32)(RtTable *table)
{
#if defined(__AVX512F__)
    table->loops[RT_EXP][RT_F32] = mapVector<float, VecF32, expScaled>;
#else
    table->loops[RT_EXP][RT_F32] = mapOwn<float, expOwn>;
#endif
    table->loops[RT_LOG][RT_F32] = mapOwn<float, logOwn>;
    table->loops[RT_LOG1P][RT_F32] = mapOwn<float, log1pOwn>;
    table->loops[RT_SIGMOID][RT_F32] = mapOwn<float, sigmoidOwn>;
    table->loops[RT_SOFTPLUS][RT_F32] = mapOwn<float, softplusOwn>;
    FUNCTIONS(FILL)
    FILL2(RT_POW, pow)
    FILL2(RT_ATAN2, atan2)
}
