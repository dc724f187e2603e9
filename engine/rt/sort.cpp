// Sorting of unsigned keys. Many short rows: as many at once as a vector has lanes, by a network of comparisons. Long ones, where a
// processor can gather the chosen lanes of a vector: quicksort, which ends in networks of comparisons of whole vectors.
#include "engine/rt/level.h"
#include "engine/rt/transpose.h"

#if defined(__AVX512F__)
#include <immintrin.h> // its functions are inlined always: no copy is left for the linker to keep

namespace {

using V = __m512i;

constexpr long kKeysBetweenLooks = 1 << 20; // a multiple of all widths

struct Keys32 {
    using Key = unsigned;
    using Mask = __mmask16;
    static constexpr int kWidth = 16;
    static V all(Key key) { return _mm512_set1_epi32(static_cast<int>(key)); }
    static V load(V others, Mask mask, const Key *from) { return _mm512_mask_loadu_epi32(others, mask, from); }
    static void store(Key *to, Mask mask, V v) { _mm512_mask_storeu_epi32(to, mask, v); }
    static V lanes() { return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0); }
    static V permute(V v, V at) { return _mm512_maskz_permutexvar_epi32(0xFFFF, at, v); }
    static V compress(Mask mask, V v) { return _mm512_maskz_compress_epi32(mask, v); }
    static V smaller(V a, V b) { return _mm512_maskz_min_epu32(0xFFFF, a, b); }
    static V larger(V others, Mask mask, V a, V b) { return _mm512_mask_max_epu32(others, mask, a, b); }
    static Mask below(V a, V b) { return _mm512_cmplt_epu32_mask(a, b); }
};

struct Keys64 {
    using Key = u64;
    using Mask = __mmask8;
    static constexpr int kWidth = 8;
    static V all(Key key) { return _mm512_set1_epi64(static_cast<i64>(key)); }
    static V load(V others, Mask mask, const Key *from) { return _mm512_mask_loadu_epi64(others, mask, from); }
    static void store(Key *to, Mask mask, V v) { _mm512_mask_storeu_epi64(to, mask, v); }
    static V lanes() { return _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0); }
    static V permute(V v, V at) { return _mm512_maskz_permutexvar_epi64(0xFF, at, v); }
    static V compress(Mask mask, V v) { return _mm512_maskz_compress_epi64(mask, v); }
    static V smaller(V a, V b) { return _mm512_maskz_min_epu64(0xFF, a, b); }
    static V larger(V others, Mask mask, V a, V b) { return _mm512_mask_max_epu64(others, mask, a, b); }
    static Mask below(V a, V b) { return _mm512_cmplt_epu64_mask(a, b); }
};

// Of two elements `distance` apart the later one takes the larger key where runs of `run` ascend, the smaller where they descend.
template <class L>
constexpr typename L::Mask takesLarger(int run, int distance, int first)
{
    unsigned mask = 0;
    for (int lane = 0; lane < L::kWidth; ++lane) {
        const bool isLater = lane & distance, ascends = !((first + lane) & run);
        mask |= static_cast<unsigned>(isLater == ascends) << lane;
    }
    return static_cast<typename L::Mask>(mask);
}

template <class L, int count, int run, int distance>
inline void mergeRuns(V (&v)[count])
{
    constexpr int apart = distance / L::kWidth;
    constexpr auto every = static_cast<typename L::Mask>(~0u);
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) {
        if constexpr (apart == 0) {
            const V others = L::permute(v[i], _mm512_xor_si512(L::lanes(), L::all(distance)));
            v[i] = L::larger(L::smaller(v[i], others), takesLarger<L>(run, distance, i * L::kWidth), v[i], others);
        } else if (!(i & apart)) {
            const V low = L::smaller(v[i], v[i + apart]), high = L::larger(low, every, v[i], v[i + apart]);
            const bool ascends = !(i * L::kWidth & run);
            v[i] = ascends ? low : high;
            v[i + apart] = ascends ? high : low;
        }
    }
    if constexpr (distance > 1) mergeRuns<L, count, run, distance / 2>(v);
}

// Batcher's bitonic network.
template <class L, int count, int run = 2>
inline void sortVectors(V (&v)[count])
{
    mergeRuns<L, count, run, run / 2>(v);
    if constexpr (run < count * L::kWidth) sortVectors<L, count, run * 2>(v);
}

template <class L>
inline typename L::Mask firstLanes(long n)
{
    return static_cast<typename L::Mask>(n >= L::kWidth ? ~0u : n > 0 ? (1u << n) - 1 : 0u);
}

template <class L, int count>
inline void sortBlock(typename L::Key *keys, long n)
{
    V v[count];
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) v[i] = L::load(L::all(~typename L::Key(0)), firstLanes<L>(n - i * L::kWidth), keys + i * L::kWidth);
    sortVectors<L, count>(v);
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) L::store(keys + i * L::kWidth, firstLanes<L>(n - i * L::kWidth), v[i]);
}

// The keys below the pivot to the front; those that are not wait in `spare`. How many are below.
template <class L>
inline long partition(typename L::Key *keys, typename L::Key *spare, long n, typename L::Key pivot, RtStop stop)
{
    constexpr auto every = static_cast<typename L::Mask>(~0u);
    const V bound = L::all(pivot);
    long below = 0, others = 0;
    long i = 0;
    for (; i + L::kWidth <= n; i += L::kWidth) {
        if (i % kKeysBetweenLooks == 0 && n > kKeysBetweenLooks && stop()) return -1;
        const V v = L::load(bound, every, keys + i);
        const auto isBelow = L::below(v, bound);
        // Whole vectors: what is too much is written over later, and in front never reaches what is still to be read.
        L::store(keys + below, every, L::compress(isBelow, v));
        L::store(spare + others, every, L::compress(static_cast<typename L::Mask>(~isBelow), v));
        below += __builtin_popcount(isBelow);
        others = i + L::kWidth - below;
    }
    if (i < n) {
        const typename L::Mask rest = firstLanes<L>(n - i);
        const V v = L::load(bound, rest, keys + i);
        const auto isBelow = L::below(v, bound); // none of the lanes that only fill up
        L::store(spare + others, every, L::compress(static_cast<typename L::Mask>(~isBelow & rest), v));
        const long count = __builtin_popcount(isBelow);
        L::store(keys + below, firstLanes<L>(count), L::compress(isBelow, v));
        below += count;
        others = n - below;
    }
    __builtin_memcpy(keys + below, spare, static_cast<unsigned long>(others) * sizeof(typename L::Key));
    return below;
}

// False: the pivots are bad again and again, or it was stopped; the keys are left in some order.
template <class L>
bool quicksort(typename L::Key *keys, typename L::Key *spare, long n, int depth, RtStop stop)
{
    using Key = typename L::Key;
    while (n > 8 * L::kWidth) {
        if (depth-- == 0) return false;
        Key sample[L::kWidth];
        for (int i = 0; i < L::kWidth; ++i) sample[i] = keys[n / L::kWidth * i + n / (2 * L::kWidth)];
        sortBlock<L, 1>(sample, L::kWidth);
        const Key pivot = sample[L::kWidth / 2];
        const long below = partition<L>(keys, spare, n, pivot, stop);
        if (below < 0) return false;
        if (below) {
            if (!quicksort<L>(keys, spare, below, depth, stop)) return false;
            keys += below;
            n -= below;
        } else { // none is smaller than the pivot: those like it are in place
            if (pivot == ~Key(0)) return true;
            const long equal = partition<L>(keys, spare, n, pivot + 1, stop);
            if (equal < 0) return false;
            keys += equal;
            n -= equal;
        }
    }
    if (n <= 1) return true;
    if (n <= L::kWidth) sortBlock<L, 1>(keys, n);
    else if (n <= 2 * L::kWidth) sortBlock<L, 2>(keys, n);
    else if (n <= 4 * L::kWidth) sortBlock<L, 4>(keys, n);
    else sortBlock<L, 8>(keys, n);
    return true;
}

template <class L>
int sortKeys(void *keys, void *spare, long n, RtStop stop)
{
    int depth = 8;
    for (long i = n; i > 1; i /= 2) depth += 2;
    return quicksort<L>(static_cast<typename L::Key *>(keys), static_cast<typename L::Key *>(spare), n, depth, stop);
}

} // namespace
#endif

namespace {

struct Exchange {
    u8 low, high;
};
constexpr int kMostExchanges = 2048; // 1,471 for 128 keys

// Batcher's merge exchange, for any number of keys (Knuth, volume 3, 5.2.2, algorithm M).
int exchangesFor(int n, Exchange *list)
{
    int most = 1, count = 0;
    while (2 * most < n) most *= 2;
    for (int p = most; p > 0; p /= 2)
        for (int q = most, r = 0, d = p;; d = q - p, q /= 2, r = p) {
            for (int i = 0; i + d < n; ++i)
                if ((i & p) == r) list[count++] = {static_cast<u8>(i), static_cast<u8>(i + d)};
            if (q == p) break;
        }
    return count;
}

/// to[c * width + r] = from[r * stride + c]
template <class Key>
inline void turn(const Key *from, long rows, long columns, long stride, Key *to, long width)
{
    constexpr long kTile = sizeof(Key) == 8 ? 4 : 8;
    const long wholeRows = rows - rows % kTile, wholeColumns = columns - columns % kTile;
    for (long r = 0; r < wholeRows; r += kTile)
        for (long c = 0; c < wholeColumns; c += kTile)
            transposeTile<sizeof(Key)>(reinterpret_cast<const char *>(from + r * stride + c), stride * static_cast<long>(sizeof(Key)),
                                       to + c * width + r, width);
    for (long r = 0; r < rows; ++r)
        for (long c = r < wholeRows ? wholeColumns : 0; c < columns; ++c) to[c * width + r] = from[r * stride + c];
}

template <class Key, class Number>
void sortRows(void *keys, long rows, long n)
{
    constexpr long kLanes = RT_VECTOR_BYTES / static_cast<long>(sizeof(Key));
    typedef Number Vector __attribute__((vector_size(RT_VECTOR_BYTES)));
    if (n < 2) return;
    Exchange exchanges[kMostExchanges];
    const int count = exchangesFor(static_cast<int>(n), exchanges);
    Vector columns[RT_SHORT_SORT] = {};
    const Vector top = Vector{} + static_cast<Number>(Key(1) << (8 * sizeof(Key) - 1)); // vectors compare numbers with a sign
    Key *const turned = reinterpret_cast<Key *>(columns);
    Key *row = static_cast<Key *>(keys);
    for (long r = 0; r < rows; r += kLanes, row += kLanes * n) {
        const long some = rows - r < kLanes ? rows - r : kLanes;
        turn(row, some, n, n, turned, kLanes);
        for (long c = 0; c < n; ++c) columns[c] ^= top;
        for (int e = 0; e < count; ++e) {
            Vector &low = columns[exchanges[e].low], &high = columns[exchanges[e].high];
            const Vector a = low, b = high;
            low = a < b ? a : b;
            high = a < b ? b : a;
        }
        for (long c = 0; c < n; ++c) columns[c] ^= top;
        turn(turned, n, some, kLanes, row, n);
    }
}

} // namespace

extern "C" void RT_NAME(rt_fill_sort)(RtTable *table)
{
    table->sortRows32 = sortRows<unsigned, int>;
    table->sortRows64 = sortRows<u64, i64>;
#if defined(__AVX512F__)
    table->sort32 = sortKeys<Keys32>;
    table->sort64 = sortKeys<Keys64>;
#endif
}
