// The functions of math_f32 that can be written into a loop: branch-free, at most 2 ulp, NaN, infinities and denormals right.
// In C and C++ alike, since compiled kernels begin with this very text; RT_FMAF and the two conversions of bits come before it.

static inline float expOwn(float x)
{
    float c = x > 88.75f ? 88.75f : x;
    c = c < -104.0f ? -104.0f : c; // a NaN passes both comparisons
    // Adding 1.5*2^23 rounds to the nearest integer, which then stands in the low bits.
    const float shifted = RT_FMAF(c, 1.44269504088896341f, 12582912.0f);
    const int n = floatToBits(shifted) - 0x4B400000;
    const float k = shifted - 12582912.0f;
    float r = RT_FMAF(k, -0.693145751953125f, c);
    r = RT_FMAF(k, -1.42860682030941723212e-6f, r);
    float p = 1.9875691500e-4f;
    p = RT_FMAF(p, r, 1.3981999507e-3f);
    p = RT_FMAF(p, r, 8.3334519073e-3f);
    p = RT_FMAF(p, r, 4.1665795894e-2f);
    p = RT_FMAF(p, r, 1.6666665459e-1f);
    p = RT_FMAF(p, r, 5.0000001201e-1f);
    p = RT_FMAF(p, r * r, r) + 1.0f;
    // In two steps, so that denormal results and those above 2^127 come out right.
    const int half = n >> 1;
    p = p * bitsToFloat((half + 127) << 23) * bitsToFloat((n - half + 127) << 23);
    return p; // a NaN came all the way
}

// log(1 + f) for f between sqrt(1/2) - 1 and sqrt(2) - 1, plus k·log(2).
static inline float logOf(float f, float k)
{
    const float z = f * f;
    float p = 7.0376836292e-2f;
    p = RT_FMAF(p, f, -1.1514610310e-1f);
    p = RT_FMAF(p, f, 1.1676998740e-1f);
    p = RT_FMAF(p, f, -1.2420140846e-1f);
    p = RT_FMAF(p, f, 1.4249322787e-1f);
    p = RT_FMAF(p, f, -1.6668057665e-1f);
    p = RT_FMAF(p, f, 2.0000714765e-1f);
    p = RT_FMAF(p, f, -2.4999993993e-1f);
    p = RT_FMAF(p, f, 3.3333331174e-1f);
    float y = f * z * p;
    y = RT_FMAF(k, -2.12194440e-4f, y);
    y = RT_FMAF(z, -0.5f, y);
    return RT_FMAF(k, 0.693359375f, f + y);
}

static inline float logOwn(float x)
{
    const int tiny = x < 1.17549435e-38f;
    const float scaled = tiny ? x * 8388608.0f : x;
    const int bits = floatToBits(scaled);
    int k = (bits - 0x3F3504F3) >> 23; // mantissa between sqrt(1/2) and sqrt(2)
    const float m = bitsToFloat(bits - (int)((unsigned)k << 23));
    k -= tiny ? 23 : 0;
    const float f = m - 1.0f;
    float result = logOf(f, (float)k);
    result = x == __builtin_inff() ? x : result;
    result = x == 0.0f ? -__builtin_inff() : result;
    result = x < 0.0f ? __builtin_nanf("") : result;
    return x != x ? x : result;
}

static inline float log1pOwn(float x)
{
    const float u = 1.0f + x;
    const float rest = (x - (u - 1.0f)) / u; // what 1 + x lost by rounding
    const float corrected = logOwn(u) + rest;
    const float result = u == 1.0f ? x : corrected;
    // 1/0 and inf - inf would make the correction NaN.
    return (u == 0.0f) | (u == __builtin_inff()) ? logOwn(u) : result;
}

static inline float sigmoidOwn(float x)
{
    const float e = expOwn(-__builtin_fabsf(x));
    const float numerator = x < 0.0f ? e : 1.0f;
    return numerator / (1.0f + e);
}

static inline float softplusOwn(float x)
{
    const float e = expOwn(-__builtin_fabsf(x));
    const float positive = x < 0.0f ? 0.0f : x; // keeps NaN
    // log(1 + e) for e up to 1: its argument is halved where that brings it nearer to 1, so nothing is lost by adding 1.
    const int upper = e > 0.41421356f;
    return positive + logOf(upper ? RT_FMAF(e, 0.5f, -0.5f) : e, upper ? 1.0f : 0.0f);
}
