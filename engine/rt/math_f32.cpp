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

// x times a polynomial of x² up to 0.92, from there 1 - exp of a polynomial. Where vectors are this wide, it is faster than libmvec's.
inline float erfOwn(float x)
{
    const float size = __builtin_fabsf(x);
    const float z = x * x;
    float near = 8.365006092e-5f;
    near = RT_FMAF(near, z, -8.141391987e-4f);
    near = RT_FMAF(near, z, 5.20090522e-3f);
    near = RT_FMAF(near, z, -2.685934136e-2f);
    near = RT_FMAF(near, z, 1.128369434e-1f);
    near = RT_FMAF(near, z, -3.761263365e-1f);
    near = RT_FMAF(near, z, 1.28379167e-1f);
    near = RT_FMAF(near, x, x);
    const float t = size > 3.95f ? 3.95f : size; // 1 from there; a NaN passes
    float power = -1.9844847e-4f;
    power = RT_FMAF(power, t, 3.067251919e-3f);
    power = RT_FMAF(power, t, -2.232023513e-2f);
    power = RT_FMAF(power, t, 1.041205598e-1f);
    power = RT_FMAF(power, t, 6.369716316e-1f);
    power = RT_FMAF(power, t, 1.27798218e-1f);
    power = RT_FMAF(power, t, t);
    // exp(-power) without the care for denormals and zeros that it needs elsewhere.
    power = power + 1.665412247e-4f;
    const float shifted = RT_FMAF(-power, 1.44269504088896341f, 12582912.0f);
    const float k = shifted - 12582912.0f;
    float r = RT_FMAF(k, -0.693145751953125f, -power);
    r = RT_FMAF(k, -1.42860682030941723212e-6f, r);
    float p = 1.374684041e-3f;
    p = RT_FMAF(p, r, 8.369126357e-3f);
    p = RT_FMAF(p, r, 4.166963696e-2f);
    p = RT_FMAF(p, r, 1.666651666e-1f);
    p = RT_FMAF(p, r, 4.999998808e-1f);
    p = RT_FMAF(p, r * r, r);
    const float scale = bitsToFloat((int)((unsigned)floatToBits(shifted) << 23) + 0x3F800000);
    const float far = (1.0f - scale) - p * scale;
    return size < 0.921875f ? near : __builtin_copysignf(far, x);
}

#if defined(RT_HAVE_MVEC)
// libmvec's erfc of half a vector takes less than half of what its erfc of a whole one does.
typedef float HalfF32 __attribute__((vector_size(RT_VECTOR_BYTES / 2)));
extern "C" HalfF32 _ZGVdN8v_erfcf(HalfF32);
#endif

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
#if defined(__AVX512F__)
    table->loops[RT_ERF][RT_F32] = mapOwn<float, erfOwn>;
#if defined(RT_HAVE_MVEC)
    table->loops[RT_ERFC][RT_F32] = mapVector<float, HalfF32, _ZGVdN8v_erfcf>;
#endif
#endif
    FILL2(RT_POW, pow)
    FILL2(RT_ATAN2, atan2)
}
