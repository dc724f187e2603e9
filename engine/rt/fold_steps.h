// What the reductions share: how two values become one, and the lanes of short rows.
#pragma once

#include "engine/rt/level.h"

namespace {

struct Sum {
    static constexpr double start = 0;
    // clang-format off
    template <class T> static T step(T a, T b) { return a + b; }
};
struct Prod {
    static constexpr double start = 1;
    template <class T> static T step(T a, T b) { return a * b; }
};
// Ordered comparisons below keep `a` when b is NaN; the folds look for NaN separately, which is twice as fast.
struct Max {
    template <class T> static T step(T a, T b) { return b > a ? b : a; }
};
struct Min {
    template <class T> static T step(T a, T b) { return b < a ? b : a; }
};
struct Any {
    static constexpr double start = 0;
    template <class T> static T step(T a, T b) { return a | b; }
};
struct All {
    static constexpr double start = 1;
    template <class T> static T step(T a, T b) { return a & b; }
    // clang-format on
};
// Of equal elements the later one, as rows of columns are combined.
struct MaxLater {
    // clang-format off
    template <class T> static T step(T a, T b) { return a > b ? a : b; }
};
struct MinLater {
    template <class T> static T step(T a, T b) { return a < b ? a : b; }
    // clang-format on
};
struct MaxNan {
    template <class T>
    static T step(T a, T b)
    {
        const T larger = MaxLater::step(a, b);
        return a != a ? a : larger;
    }
};
struct MinNan {
    template <class T>
    static T step(T a, T b)
    {
        const T smaller = MinLater::step(a, b);
        return a != a ? a : smaller;
    }
};

inline float timesZero(float x, float sum) { return RT_FMAF(x, 0.0f, sum); }
inline double timesZero(double x, double sum) { return RT_FMA(x, 0.0, sum); }
template <class T>
inline T timesZero(T, T sum)
{
    return sum;
}

} // namespace
