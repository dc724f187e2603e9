// Reductions of contiguous integers of 8 to 32 bits and bools in registers of their own width: whole numbers give the same
// result in any order, so sums are widened only now and then.
#include "engine/rt/level.h"

namespace {

template <bool kLargest, class T>
void narrowExtreme(const void *data, long n, void *result)
{
    constexpr long kLanes = 128 / sizeof(T);
    const auto step = [](T a, T b) { return kLargest ? (b > a ? b : a) : (b < a ? b : a); };
    const T *x = static_cast<const T *>(data);
    i64 *acc = static_cast<i64 *>(result);
    if (n == 0) return;
    T best = x[0];
    long i = 0;
    if (n >= kLanes) {
        T lane[kLanes];
        for (int j = 0; j < kLanes; ++j) lane[j] = x[j];
        for (i = kLanes; i + kLanes <= n; i += kLanes)
            for (int j = 0; j < kLanes; ++j) lane[j] = step(lane[j], x[i + j]);
        // What is left over, together with elements that were there already.
        for (int j = 0; j < kLanes; ++j) lane[j] = step(lane[j], x[n - kLanes + j]);
        for (int j = 0; j < kLanes; ++j) best = step(best, lane[j]);
        i = n;
    }
    for (; i < n; ++i) best = step(best, x[i]);
    const i64 value = best;
    *acc = (kLargest ? value > *acc : value < *acc) ? value : *acc;
}

// Into 32 bits as long as nothing overflows.
template <class T, class Short>
void narrowSum(const void *data, long n, void *result)
{
    constexpr long kBlock = sizeof(T) == 1 ? 65536 : 4096;
    const T *x = static_cast<const T *>(data);
    u64 sum = 0;
    for (long start = 0; start < n; start += kBlock) {
        const long end = n - start < kBlock ? n : start + kBlock;
        Short part = 0;
        for (long i = start; i < end; ++i) part += x[i];
        sum += static_cast<u64>(static_cast<i64>(part));
    }
    *static_cast<u64 *>(result) += sum;
}

template <class T, class Short>
void fill(RtTable *t, RtDType d)
{
    t->narrowFolds[RT_SUM][d] = narrowSum<T, Short>;
    t->narrowFolds[RT_MAX][d] = narrowExtreme<true, T>;
    t->narrowFolds[RT_MIN][d] = narrowExtreme<false, T>;
}

} // namespace

extern "C" void RT_NAME(rt_fill_narrow_folds)(RtTable *t)
{
    fill<signed char, int>(t, RT_D_I8);
    fill<short, int>(t, RT_D_I16);
    fill<int, i64>(t, RT_D_I32);
    fill<u8, unsigned>(t, RT_D_U8);
    fill<unsigned short, unsigned>(t, RT_D_U16);
    fill<unsigned, u64>(t, RT_D_U32);
    t->narrowFolds[RT_SUM][RT_D_BOOL] = narrowSum<u8, unsigned>;
}
