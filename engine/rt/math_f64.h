// float64 exp, log and their kin in branch-free form: at most 2 ulp, NaN, infinities and denormals right.
#pragma once

#include "engine/rt/level.h"

namespace {

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2, interpolated at Chebyshev's points: exp(r) is right to a seventh of an ulp.
constexpr int kExpCount = 10;
constexpr double kExpTerms[kExpCount] = {2.51003758422237e-08,   2.7620075892548164e-07, 2.7557268480289716e-06, 2.480152132234228e-05,
                                         0.00019841269863040559, 0.0013888888917196736,  0.008333333333330065,   0.041666666666624164,
                                         0.16666666666666669,    0.5000000000000001};

inline double expOwn(double x)
{
    double c = x > 709.8 ? 709.8 : x;
    c = c < -745.2 ? -745.2 : c;                  // a NaN passes every comparison
    constexpr double kShift = 6755399441055744.0; // 1.5*2^52: rounds, and leaves the integer in the low bits
    const double shifted = RT_FMA(c, 1.4426950408889634074, kShift);
    const i64 n = doubleToBits(shifted) - 0x4338000000000000LL;
    const double k = shifted - kShift;
    double r = RT_FMA(k, -6.93147180369123816490e-01, c);
    r = RT_FMA(k, -1.90821492927058770002e-10, r);
    double p = RT_FMA(kExpTerms[0], r, kExpTerms[1]); // written out: compilers make no vectors of loops in loops
    p = RT_FMA(p, r, kExpTerms[2]);
    p = RT_FMA(p, r, kExpTerms[3]);
    p = RT_FMA(p, r, kExpTerms[4]);
    p = RT_FMA(p, r, kExpTerms[5]);
    p = RT_FMA(p, r, kExpTerms[6]);
    p = RT_FMA(p, r, kExpTerms[7]);
    p = RT_FMA(p, r, kExpTerms[8]);
    p = RT_FMA(p, r, kExpTerms[9]);
    p = RT_FMA(p, r * r, r) + 1.0;
    // In two steps for denormal results; a logical shift of a biased value, since arithmetic ones of 64 bits are slow.
    const i64 half = static_cast<i64>(static_cast<u64>(n + 4096) >> 1) - 2048;
    const double last = x < -745.2 ? 0.0 : bitsToDouble((n - half + 1023) << 52); // 0 times, not rounded to 0: that is slow
    p = p * bitsToDouble((half + 1023) << 52) * last;
    return x != x ? x : p;
}

inline double logOwn(double x)
{
    const bool tiny = x < 2.2250738585072014e-308;
    const double scaled = tiny ? x * 18014398509481984.0 : x; // 2^54
    const i64 bits = doubleToBits(scaled);
    const i64 offset = bits - 0x3FE6A09E667F3BCDLL; // mantissa between sqrt(1/2) and sqrt(2)
    // k + 2048 by a logical shift (see expOwn), turned into a double through the bits of 2^52.
    const i64 biased = static_cast<i64>(static_cast<u64>(offset + (2048LL << 52)) >> 52);
    const double m = bitsToDouble(bits - static_cast<i64>(static_cast<u64>(biased - 2048) << 52));
    const double k = bitsToDouble(biased + 0x4330000000000000LL) - (4503599627370496.0 + 2048.0) - (tiny ? 54.0 : 0.0);
    const double f = m - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s;
    double p = 1.479819860511658591e-01;
    p = RT_FMA(p, z, 1.531383769920937332e-01);
    p = RT_FMA(p, z, 1.818357216161805012e-01);
    p = RT_FMA(p, z, 2.222219843214978396e-01);
    p = RT_FMA(p, z, 2.857142874366239149e-01);
    p = RT_FMA(p, z, 3.999999999940941908e-01);
    p = RT_FMA(p, z, 6.666666666666735130e-01);
    const double series = p * z;
    const double halfSquare = 0.5 * f * f;
    const double low = RT_FMA(k, 1.90821492927058770002e-10, s * (halfSquare + series));
    double result = RT_FMA(k, 6.93147180369123816490e-01, -((halfSquare - low) - f));
    result = x == __builtin_inf() ? x : result;
    result = x == 0.0 ? -__builtin_inf() : result;
    result = x < 0.0 ? __builtin_nan("") : result;
    return x != x ? x : result;
}

inline double log1pOwn(double x)
{
    const double u = 1.0 + x;
    const double rest = (x - (u - 1.0)) / u; // what 1 + x lost by rounding
    const double corrected = logOwn(u) + rest;
    const double result = u == 1.0 ? x : corrected;
    // 1/0 and inf - inf would make the correction NaN.
    return (u == 0.0) | (u == __builtin_inf()) ? logOwn(u) : result;
}

inline double sigmoidOwn(double x)
{
    const double e = expOwn(-__builtin_fabs(x));
    const double numerator = x < 0.0 ? e : 1.0;
    return numerator / (1.0 + e);
}

inline double softplusOwn(double x)
{
    const double e = expOwn(-__builtin_fabs(x));
    const double positive = x < 0.0 ? 0.0 : x; // keeps NaN
    const double u = 1.0 + e;
    const double tail = u == 1.0 ? e : logOwn(u) + (e - (u - 1.0)) / u;
    return positive + tail;
}

} // namespace
