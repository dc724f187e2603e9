// Reductions of contiguous elements. The order of the operations is fixed by the length alone: 64 lanes from 1024
// elements on, 32 from 128 on, 16 from 16 on, else 4; leftovers go to the first lanes; lanes fold by halves. Generated kernels repeat it
// exactly.
#include "engine/rt/column_extremes.h"

namespace {

// The last elements of a row, into the first lanes: as one masked vector where the processor has that, and it pays.
template <int kLanes, bool kMasked, class Apply>
inline void forFirst(long left, Apply apply)
{
#if defined(__AVX512F__)
    if constexpr (kMasked) {
        if (left == 0) return;
        for (int j = 0; j < kLanes; ++j)
            if (j < left) apply(j);
        return;
    }
#endif
    for (long j = 0; j < left; ++j) apply(j);
}

// The lanes by halves; a loop of constant length each, which compilers make straight vector code of.
template <int kLanes, class Step, class Acc>
inline Acc byHalves(const Acc *lane)
{
    if constexpr (kLanes == 1) {
        return lane[0];
    } else {
        Acc half[kLanes / 2];
        for (int j = 0; j < kLanes / 2; ++j) half[j] = Step::template step<Acc>(lane[j], lane[j + kLanes / 2]);
        return byHalves<kLanes / 2, Step, Acc>(half);
    }
}

template <int kLanes, class Step, class Acc, class T>
inline Acc lanesOf(const T *x, long n, Acc start)
{
    Acc lane[kLanes];
    for (int j = 0; j < kLanes; ++j) lane[j] = start;
    long i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (int j = 0; j < kLanes; ++j) lane[j] = Step::template step<Acc>(lane[j], static_cast<Acc>(x[i + j]));
    forFirst<kLanes, (kLanes > 4)>(n - i, [&](long j) { lane[j] = Step::template step<Acc>(lane[j], static_cast<Acc>(x[i + j])); });
    return byHalves<kLanes, Step, Acc>(lane);
}

template <class Step, class Acc, class T>
void fold(const void *data, long n, void *result)
{
    const T *x = static_cast<const T *>(data);
    Acc *acc = static_cast<Acc *>(result);
    const Acc start = static_cast<Acc>(Step::start);
    const Acc value = n >= 1024  ? lanesOf<64, Step, Acc, T>(x, n, start)
                      : n >= 128 ? lanesOf<32, Step, Acc, T>(x, n, start)
                      : n >= 16  ? lanesOf<16, Step, Acc, T>(x, n, start)
                                 : lanesOf<4, Step, Acc, T>(x, n, start);
    *acc = Step::template step<Acc>(*acc, value);
}

template <class Step, class Acc, class T>
void foldPiece(const void *data, long n, void *lanes)
{
    const T *x = static_cast<const T *>(data);
    Acc lane[RT_LANES];
    __builtin_memcpy(lane, lanes, sizeof lane);
    long i = 0;
    for (; i + RT_LANES <= n; i += RT_LANES)
        for (int j = 0; j < RT_LANES; ++j) lane[j] = Step::template step<Acc>(lane[j], static_cast<Acc>(x[i + j]));
    const long left = n - i;
    for (long j = 0; j < left; ++j) lane[j] = Step::template step<Acc>(lane[j], static_cast<Acc>(x[i + j]));
    __builtin_memcpy(lanes, lane, sizeof lane);
}

template <int kLanes, class Step, class Acc>
void foldLanes(void *lanes, void *result)
{
    Acc lane[kLanes];
    __builtin_memcpy(lane, lanes, sizeof lane);
    Acc *acc = static_cast<Acc *>(result);
    *acc = Step::template step<Acc>(*acc, byHalves<kLanes, Step, Acc>(lane));
}

template <class T>
inline bool holdsNan(const T *x, long n)
{
    int found = 0;
    for (long i = 0; i < n; ++i) found |= x[i] != x[i];
    return found != 0;
}

// As lanesOf; `odd` tells that a NaN or an infinity may be there: only they do not vanish when multiplied by zero.
template <int kLanes, class Step, class T>
inline T extremeOf(const T *x, long n, T start, bool &odd)
{
    T lane[kLanes], rest[kLanes];
    for (int j = 0; j < kLanes; ++j) lane[j] = start, rest[j] = 0;
    long i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (int j = 0; j < kLanes; ++j) {
            lane[j] = Step::template step<T>(lane[j], x[i + j]);
            rest[j] = timesZero(x[i + j], rest[j]);
        }
    forFirst<kLanes, true>(n - i, [&](long j) {
        lane[j] = Step::template step<T>(lane[j], x[i + j]);
        rest[j] = timesZero(x[i + j], rest[j]);
    });
    int found = 0;
    for (int j = 0; j < kLanes; ++j) found |= rest[j] != 0;
    odd = found != 0;
    return byHalves<kLanes, Step, T>(lane);
}

// The largest or smallest; the accumulator holds an element already.
template <class Step, class T>
void foldExtreme(const void *data, long n, void *result)
{
    const T *x = static_cast<const T *>(data);
    T *acc = static_cast<T *>(result);
    constexpr long kBlock = 16384; // what is looked at again lies close by
    for (long i = 0; i < n && *acc == *acc; i += kBlock) {
        const long count = n - i < kBlock ? n - i : kBlock;
        bool odd = false;
        const T value = count >= 1024  ? extremeOf<64, Step, T>(x + i, count, *acc, odd)
                        : count >= 128 ? extremeOf<32, Step, T>(x + i, count, *acc, odd)
                        : count >= 16  ? extremeOf<16, Step, T>(x + i, count, *acc, odd)
                                       : extremeOf<4, Step, T>(x + i, count, *acc, odd);
        if (odd && holdsNan(x + i, count)) {
            *acc = *acc - *acc;
            for (long j = 0; j < count; ++j)
                if (x[i + j] != x[i + j]) *acc = x[i + j];
            return;
        }
        *acc = Step::template step<T>(*acc, value);
    }
}

// Few columns stay in registers.
template <int kColumns, class Step, class Acc, class T>
void foldNarrow(const char *data, long rows, long stride, Acc *acc)
{
    Acc column[kColumns];
    for (int j = 0; j < kColumns; ++j) column[j] = acc[j];
    for (long r = 0; r < rows; ++r) {
        const T *x = reinterpret_cast<const T *>(data + r * stride);
        for (int j = 0; j < kColumns; ++j) column[j] = Step::template step<Acc>(column[j], static_cast<Acc>(x[j]));
    }
    for (int j = 0; j < kColumns; ++j) acc[j] = column[j];
}

template <class Step, class Acc, class T>
void foldRows(const char *data, long rows, long stride, long columns, void *result)
{
    Acc *acc = static_cast<Acc *>(result);
    switch (columns) {
    case 1: return foldNarrow<1, Step, Acc, T>(data, rows, stride, acc);
    case 2: return foldNarrow<2, Step, Acc, T>(data, rows, stride, acc);
    case 3: return foldNarrow<3, Step, Acc, T>(data, rows, stride, acc);
    case 4: return foldNarrow<4, Step, Acc, T>(data, rows, stride, acc);
    case 5: return foldNarrow<5, Step, Acc, T>(data, rows, stride, acc);
    case 6: return foldNarrow<6, Step, Acc, T>(data, rows, stride, acc);
    case 8: return foldNarrow<8, Step, Acc, T>(data, rows, stride, acc);
    case 10: return foldNarrow<10, Step, Acc, T>(data, rows, stride, acc);
    default: break;
    }
    long r = 0;
    for (; r + 4 <= rows; r += 4) {
        const T *a = reinterpret_cast<const T *>(data + r * stride);
        const T *b = reinterpret_cast<const T *>(data + (r + 1) * stride);
        const T *c = reinterpret_cast<const T *>(data + (r + 2) * stride);
        const T *d = reinterpret_cast<const T *>(data + (r + 3) * stride);
#pragma GCC ivdep
        for (long j = 0; j < columns; ++j) {
            Acc v = Step::template step<Acc>(acc[j], static_cast<Acc>(a[j]));
            v = Step::template step<Acc>(v, static_cast<Acc>(b[j]));
            v = Step::template step<Acc>(v, static_cast<Acc>(c[j]));
            acc[j] = Step::template step<Acc>(v, static_cast<Acc>(d[j]));
        }
    }
    for (; r < rows; ++r) {
        const T *x = reinterpret_cast<const T *>(data + r * stride);
#pragma GCC ivdep
        for (long j = 0; j < columns; ++j) acc[j] = Step::template step<Acc>(acc[j], static_cast<Acc>(x[j]));
    }
}

template <class Step, class Exact, class T>
void extremeRows(const char *data, long rows, long stride, long columns, void *result)
{
    if constexpr (static_cast<T>(0.5) != 0) { // of floating-point numbers
        for (long c = 0; c < columns; c += kTopsAtOnce) {
            const long count = columns - c < kTopsAtOnce ? columns - c : kTopsAtOnce, offset = c * static_cast<long>(sizeof(T));
            T *acc = static_cast<T *>(result) + c;
            if (!extremesOfColumns<Step, T>(data + offset, rows, stride, count, acc))
                foldRows<Exact, T, T>(data + offset, rows, stride, count, acc);
        }
    } else {
        foldRows<Exact, T, T>(data, rows, stride, columns, result);
    }
}

template <class Step, class Acc, class T>
void foldEach(const char *data, long rows, long stride, long n, void *result)
{
    Acc *acc = static_cast<Acc *>(result);
    if (foldShortRows<Step, Acc, T>(data, rows, stride, n, acc)) return;
    for (long r = 0; r < rows; ++r) fold<Step, Acc, T>(data + r * stride, n, acc + r);
}

template <class Step, class T>
void extremesEach(const char *data, long rows, long stride, long n, void *result)
{
    T *acc = static_cast<T *>(result);
    if (extremesOfShortRows<Step, T>(data, rows, stride, n, acc, foldExtreme<Step, T>)) return;
    for (long r = 0; r < rows; ++r) foldExtreme<Step, T>(data + r * stride, n, acc + r);
}

template <class Step, class T>
void fillPieces(RtTable *t, RtReduce reduce, RtKind k)
{
    t->foldPieces[reduce][k] = foldPiece<Step, T, T>;
    t->foldLanes[reduce][k][0] = foldLanes<64, Step, T>;
    t->foldLanes[reduce][k][1] = foldLanes<32, Step, T>;
    t->foldLanes[reduce][k][2] = foldLanes<16, Step, T>;
    t->foldLanes[reduce][k][3] = foldLanes<4, Step, T>;
}

template <class T>
void fillKind(RtTable *t, RtKind k)
{
    fillPieces<Sum, T>(t, RT_SUM, k);
    fillPieces<Prod, T>(t, RT_PROD, k);
    t->folds[RT_SUM][k] = fold<Sum, T, T>;
    t->folds[RT_PROD][k] = fold<Prod, T, T>;
    t->folds[RT_MAX][k] = foldExtreme<Max, T>;
    t->folds[RT_MIN][k] = foldExtreme<Min, T>;
    t->foldEach[RT_SUM][k] = foldEach<Sum, T, T>;
    t->foldEach[RT_PROD][k] = foldEach<Prod, T, T>;
    t->foldEach[RT_MAX][k] = extremesEach<Max, T>;
    t->foldEach[RT_MIN][k] = extremesEach<Min, T>;
    t->foldRows[RT_SUM][k] = foldRows<Sum, T, T>;
    t->foldRows[RT_PROD][k] = foldRows<Prod, T, T>;
    t->foldRows[RT_MAX][k] = extremeRows<MaxLater, MaxNan, T>;
    t->foldRows[RT_MIN][k] = extremeRows<MinLater, MinNan, T>;
}

template <class T>
void fillBits(RtTable *t, RtKind k)
{
    t->folds[RT_ANY][k] = fold<Any, T, T>;
    t->folds[RT_ALL][k] = fold<All, T, T>;
    t->foldEach[RT_ANY][k] = foldEach<Any, T, T>;
    t->foldEach[RT_ALL][k] = foldEach<All, T, T>;
    t->foldRows[RT_ANY][k] = foldRows<Any, T, T>;
    t->foldRows[RT_ALL][k] = foldRows<All, T, T>;
}

} // namespace

extern "C" void RT_NAME(rt_fill_folds)(RtTable *t)
{
    fillKind<u64>(t, RT_INT);                         // sums and products wrap, so signs do not matter …
    t->folds[RT_MAX][RT_INT] = foldExtreme<Max, i64>; // … but they do for the order
    t->folds[RT_MIN][RT_INT] = foldExtreme<Min, i64>;
    t->foldEach[RT_MAX][RT_INT] = extremesEach<Max, i64>;
    t->foldEach[RT_MIN][RT_INT] = extremesEach<Min, i64>;
    t->foldRows[RT_MAX][RT_INT] = foldRows<MaxNan, i64, i64>;
    t->foldRows[RT_MIN][RT_INT] = foldRows<MinNan, i64, i64>;
    fillKind<u64>(t, RT_UINT);
    fillKind<float>(t, RT_F32);
    fillKind<double>(t, RT_F64);
    fillKind<u8>(t, RT_BOOL);
    fillBits<u8>(t, RT_BOOL);
    fillBits<i64>(t, RT_INT);
    fillBits<u64>(t, RT_UINT);
    t->wideFolds[RT_SUM] = fold<Sum, double, float>;
    t->wideFolds[RT_PROD] = fold<Prod, double, float>;
    t->wideFoldEach[RT_SUM] = foldEach<Sum, double, float>;
    t->wideFoldEach[RT_PROD] = foldEach<Prod, double, float>;
    t->wideFoldPieces[RT_SUM] = foldPiece<Sum, double, float>;
    t->wideFoldPieces[RT_PROD] = foldPiece<Prod, double, float>;
    t->wideFoldRows[RT_SUM] = foldRows<Sum, double, float>;
    t->wideFoldRows[RT_PROD] = foldRows<Prod, double, float>;
}
