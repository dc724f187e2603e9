// Pooling along a row, and back: windows that lie beside each other, or over each other.
#include "engine/rt/level.h"

namespace {

template <class T>
struct Largest {
    static T join(T a, T b) { return b > a || b != b ? b : a; } // a nan stays
};
template <class T>
struct Sum {
    static T join(T a, T b) { return a + b; }
};

template <template <class> class Kind, long kStep, class T>
inline void eachWindow(const T *row, long places, long step, long window, T *out)
{
    if (kStep) step = kStep;
    for (long i = 0; i < places; ++i) out[i] = row[i * step];
    for (long k = 1; k < window; ++k) {
        const T *const from = row + k;
#pragma GCC ivdep
        for (long i = 0; i < places; ++i) out[i] = Kind<T>::join(out[i], from[i * step]);
    }
}

template <template <class> class Kind, class T>
void poolRow(const T *row, long places, long step, long window, T *out)
{
    switch (step) { // steps of a known length are read as vectors
    case 1: return eachWindow<Kind, 1>(row, places, step, window, out);
    case 2: return eachWindow<Kind, 2>(row, places, step, window, out);
    case 3: return eachWindow<Kind, 3>(row, places, step, window, out);
    case 4: return eachWindow<Kind, 4>(row, places, step, window, out);
    default: return eachWindow<Kind, 0>(row, places, step, window, out);
    }
}

/// Constants, as far as they are known: 0 reads the argument.
template <long kStep, long kWindow, class T>
inline void spread(const T *values, long places, long between, long step, long window, T *row)
{
    if (kStep) step = kStep;
    if (kWindow) window = kWindow;
#pragma GCC ivdep
    for (long i = 0; i < places; ++i)
        for (long k = 0; k < window; ++k) row[i * step + k] = values[i * between];
}

template <class T>
void spreadRow(const T *values, long places, long between, long step, long window, T *row)
{
    if (between == 1 && step == 2 && window == 2) return spread<2, 2>(values, places, 1, step, window, row);
    switch (window) {
    case 2: return spread<0, 2>(values, places, between, step, window, row);
    case 3: return spread<0, 3>(values, places, between, step, window, row);
    default: return spread<0, 0>(values, places, between, step, window, row);
    }
}

template <class T>
void giveToLargest(const T *row, const T *largest, const T *grad, T *result, long n)
{
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) result[i] += row[i] == largest[i] ? grad[i] : T(0);
}

} // namespace

extern "C" void RT_NAME(rt_fill_pool)(RtTable *table)
{
    table->poolLargestF32 = poolRow<Largest, float>;
    table->poolLargestF64 = poolRow<Largest, double>;
    table->poolSumF32 = poolRow<Sum, float>;
    table->poolSumF64 = poolRow<Sum, double>;
    table->spreadF32 = spreadRow<float>;
    table->spreadF64 = spreadRow<double>;
    table->giveToLargestF32 = giveToLargest<float>;
    table->giveToLargestF64 = giveToLargest<double>;
}
