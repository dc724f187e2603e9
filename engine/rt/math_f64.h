// float64 exp, log and their kin in branch-free form: at most 2 ulp, NaN, infinities and denormals right.
#pragma once

#include "engine/rt/level.h"

namespace {

#include "engine/rt/math_f64_text.inc"

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

inline double log1pOwn(double x)
{
    const double u = 1.0 + x;
    const double rest = (x - (u - 1.0)) / u; // what 1 + x lost by rounding
    const double corrected = logWide(u) + rest;
    const double result = u == 1.0 ? x : corrected;
    // 1/0 and inf - inf would make the correction NaN.
    return (u == 0.0) | (u == __builtin_inf()) ? logWide(u) : result;
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
    // log(1 + e) as in float32: what is above sqrt(2) is halved, and nothing is lost by adding 1.
    const bool isUpper = e > 0.41421356237309503, isTiny = e < 1.1102230246251565e-16;
    const double small = isTiny ? 0.0 : e;
    const double tail = logOfWide(isUpper ? RT_FMA(e, 0.5, -0.5) : small, isUpper ? 1.0 : 0.0);
    return positive + (isTiny ? e : tail);
}

} // namespace
