// ψ and log Γ of float32 in vectors. They are computed in float64: what shifting an argument up costs near their zeros is less than a
// float shows.
#include "engine/rt/math_f64.h"

namespace {

// 1 / x, 1 / (x + 1) … 1 / (x + 7) are added, or multiplied, in pairs of equal sums: with z = x(x + 7) the product of all is
// z(z + 6)(z + 10)(z + 12).
inline double productOfEight(double z) { return z * (z + 6.0) * ((z + 10.0) * (z + 12.0)); }

// ψ of a positive number.
inline double psiOwn(double x)
{
    const bool isSmall = x < 8.0;
    const double z = x * (x + 7.0), y = isSmall ? x + 8.0 : x;
    const double slope = RT_FMA(RT_FMA(RT_FMA(4.0, z, 84.0), z, 504.0), z, 720.0);
    const double shift = (2.0 * x + 7.0) * slope / productOfEight(z);
    const double inverse = 1.0 / y, t = inverse * inverse;
    double p = -3617.0 / 8160.0; // Bernoulli's numbers over their indices
    p = RT_FMA(p, t, 1.0 / 12.0);
    p = RT_FMA(p, t, -691.0 / 32760.0);
    p = RT_FMA(p, t, 1.0 / 132.0);
    p = RT_FMA(p, t, -1.0 / 240.0);
    p = RT_FMA(p, t, 1.0 / 252.0);
    p = RT_FMA(p, t, -1.0 / 120.0);
    p = RT_FMA(p, t, 1.0 / 12.0);
    const double far = logWide(y) - RT_FMA(p, t, 0.5 * inverse);
    return isSmall ? far - shift : far;
}

// log Γ of a positive number: Stirling's series, beside its zeros at 1 and 2 their Taylor series.
inline double logGammaOwn(double x)
{
    const bool isSmall = x < 8.0;
    const double y = isSmall ? x + 8.0 : x;
    const double inverse = 1.0 / y, t = inverse * inverse;
    double p = -3617.0 / 122400.0;
    p = RT_FMA(p, t, 1.0 / 156.0);
    p = RT_FMA(p, t, -691.0 / 360360.0);
    p = RT_FMA(p, t, 1.0 / 1188.0);
    p = RT_FMA(p, t, -1.0 / 1680.0);
    p = RT_FMA(p, t, 1.0 / 1260.0);
    p = RT_FMA(p, t, -1.0 / 360.0);
    p = RT_FMA(p, t, 1.0 / 12.0);
    const double far = RT_FMA(y - 0.5, logWide(y) - 1.0, RT_FMA(p, inverse, 0.41893853320467274178)); // log(2π)/2 - 1/2
    const double shifted = isSmall ? far - logWide(productOfEight(x * (x + 7.0))) : far;
    const bool isOne = x < 1.5;
    const double e = x - (isOne ? 1.0 : 2.0);
    double near = isOne ? -0.20738555102867398527 : -0.0073855510286739852663; // ζ(5) and ζ(5) - 1 over -5
    near = RT_FMA(near, e, isOne ? 0.27058080842778454788 : 0.020580808427784547880);
    near = RT_FMA(near, e, isOne ? -0.40068563438653142847 : -0.067352301053198095133);
    near = RT_FMA(near, e, isOne ? 0.82246703342411321824 : 0.32246703342411321824);
    near = RT_FMA(near, e, isOne ? -0.57721566490153286061 : 0.42278433509846713939);
    const double result = __builtin_fabs(e) < 0.0078125 ? near * e : shifted;
    return x == __builtin_inf() ? x : result;
}

RtLoop psiOfAny, logGammaOfAny; // of one element: for those that are not positive

template <double (*F)(double), RtLoop &OfAny>
void mapPositive(void *out, const void *const *in, long n)
{
    constexpr long kBlock = 32;
    float *o = static_cast<float *>(out);
    const float *a = static_cast<const float *>(in[0]);
    for (long i = 0; i < n; i += kBlock) {
        const long count = n - i < kBlock ? n - i : kBlock;
        float x[kBlock], y[kBlock];
        for (long j = 0; j < kBlock; ++j) x[j] = 1.0f;
        __builtin_memcpy(x, a + i, static_cast<unsigned long>(count) * sizeof(float)); // `out` may be the same memory
        double wide[kBlock];
        for (long j = 0; j < kBlock; ++j) wide[j] = x[j];
        for (long j = 0; j < kBlock; ++j) wide[j] = F(wide[j]);
        for (long j = 0; j < kBlock; ++j) y[j] = static_cast<float>(wide[j]);
        int others = 0;
        for (long j = 0; j < kBlock; ++j) others |= x[j] <= 0.0f;
        for (long j = 0; others && j < count; ++j) {
            const void *one[] = {x + j};
            if (x[j] <= 0.0f) OfAny(y + j, one, 1);
        }
        __builtin_memcpy(o + i, y, static_cast<unsigned long>(count) * sizeof(float));
    }
}

} // namespace

extern "C" void RT_NAME(rt_fill_math_gamma)(RtTable *table)
{
    psiOfAny = table->loops[RT_PSI][RT_F32];
    table->loops[RT_PSI][RT_F32] = mapPositive<psiOwn, psiOfAny>;
    if constexpr (RT_VECTOR_BYTES < 32) return; // two doubles at a time are slower than the C library
    logGammaOfAny = table->loops[RT_GAMMALN][RT_F32];
    table->loops[RT_GAMMALN][RT_F32] = mapPositive<logGammaOwn, logGammaOfAny>;
}
