// Blocks of memory at places that an index names: from places to offsets, and from there or to there.
#include "engine/rt/level.h"

namespace {

constexpr long kLookAhead = 8; // blocks
constexpr long kCacheLine = 64;

template <class T, bool kAdds, long kStride>
bool offsetsOf(const T *wanted, long n, long size, long stride, i64 *offsets)
{
    if (kStride) stride = kStride;
    u64 outside = 0; // its highest bit
    for (long i = 0; i < n; ++i) {
        const i64 value = static_cast<i64>(wanted[i]);
        const u64 place = static_cast<u64>(value) + static_cast<u64>(value < 0 ? size : 0);
        outside |= place | (static_cast<u64>(size - 1) - place);
        const i64 offset = static_cast<i64>(place * static_cast<u64>(stride));
        offsets[i] = kAdds ? offsets[i] + offset : offset;
    }
    return !(outside >> 63);
}

template <class T>
int readOffsets(const void *from, long n, long size, long stride, int adds, i64 *offsets)
{
    const T *wanted = static_cast<const T *>(from);
    if (adds && stride == 4) return offsetsOf<T, true, 4>(wanted, n, size, stride, offsets);
    if (adds && stride == 8) return offsetsOf<T, true, 8>(wanted, n, size, stride, offsets);
    if (adds) return offsetsOf<T, true, 0>(wanted, n, size, stride, offsets);
    if (stride == 4) return offsetsOf<T, false, 4>(wanted, n, size, stride, offsets);
    if (stride == 8) return offsetsOf<T, false, 8>(wanted, n, size, stride, offsets);
    return offsetsOf<T, false, 0>(wanted, n, size, stride, offsets);
}

// The processor sees single items coming by itself; a block of several lines it does not.
inline void fetchLines(const char *block)
{
    __builtin_prefetch(block);
    __builtin_prefetch(block + kCacheLine);
}

// Blocks of one size, or of kHalf to twice that: their first and their last half.
template <long kHalf, bool kIsPair>
struct Block {
    static void copy(char *to, const char *from, long bytes)
    {
        char first[kHalf], last[kHalf];
        __builtin_memcpy(first, from, kHalf);
        if constexpr (kIsPair) __builtin_memcpy(last, from + bytes - kHalf, kHalf);
        __builtin_memcpy(to, first, kHalf);
        if constexpr (kIsPair) __builtin_memcpy(to + bytes - kHalf, last, kHalf);
    }
    static void fetch(const char *block)
    {
        if constexpr (kIsPair && kHalf >= kCacheLine) fetchLines(block);
    }
};

struct LongBlock {
    static void copy(char *to, const char *from, long bytes) { __builtin_memcpy(to, from, static_cast<unsigned long>(bytes)); }
    static void fetch(const char *block) { fetchLines(block); }
};

template <bool kGathers, class Kind>
void moveBlocks(const RtIndexed &blocks, long bytes)
{
    char *array = blocks.array, *other = blocks.other;
    const long step = blocks.step, n = blocks.count;
    const i64 *const offsets = blocks.offsets;
    for (long o = 0; o < blocks.outer; ++o, array += blocks.arrayStep, other += blocks.otherStep) {
        char *at = other;
        const auto move = [&](long i) {
            char *const place = array + offsets[i];
            if constexpr (kGathers) Kind::copy(at, place, bytes);
            else Kind::copy(place, at, bytes);
            at += step;
        };
        long i = 0;
        for (; i + kLookAhead < n; ++i) {
            Kind::fetch(array + offsets[i + kLookAhead]);
            move(i);
        }
        for (; i < n; ++i) move(i);
    }
}

template <bool kGathers>
void move(const RtIndexed *blocks, long bytes)
{
    switch (bytes) {
    case 1: return moveBlocks<kGathers, Block<1, false>>(*blocks, 1);
    case 2: return moveBlocks<kGathers, Block<2, false>>(*blocks, 2);
    case 4: return moveBlocks<kGathers, Block<4, false>>(*blocks, 4);
    case 8: return moveBlocks<kGathers, Block<8, false>>(*blocks, 8);
    case 16: return moveBlocks<kGathers, Block<16, false>>(*blocks, 16);
    case 32: return moveBlocks<kGathers, Block<32, false>>(*blocks, 32);
    case 64: return moveBlocks<kGathers, Block<64, false>>(*blocks, 64);
    default: break;
    }
    if (bytes == 3) moveBlocks<kGathers, Block<2, true>>(*blocks, bytes);
    else if (bytes < 8) moveBlocks<kGathers, Block<4, true>>(*blocks, bytes);
    else if (bytes < 16) moveBlocks<kGathers, Block<8, true>>(*blocks, bytes);
    else if (bytes < 32) moveBlocks<kGathers, Block<16, true>>(*blocks, bytes);
    else if (bytes < 64) moveBlocks<kGathers, Block<32, true>>(*blocks, bytes);
    else if (bytes < 128) moveBlocks<kGathers, Block<64, true>>(*blocks, bytes);
    else moveBlocks<kGathers, LongBlock>(*blocks, bytes);
}

template <class T>
inline T *itemAt(char *place)
{
    return reinterpret_cast<T *>(place);
}

// A sum stays in its register while the same place is named again.
template <class T>
void addRuns(char *array, const i64 *offsets, long n, const char *other, long step)
{
    if (n == 0) return;
    T *place = itemAt<T>(array + offsets[0]);
    T sum = *place;
    for (long i = 0; i < n; ++i, other += step) {
        T *const here = itemAt<T>(array + offsets[i]);
        if (here != place) {
            *place = sum;
            place = here;
            sum = *here;
        }
        sum += *reinterpret_cast<const T *>(other);
    }
    *place = sum;
}

inline bool hasRuns(const i64 *offsets, long n)
{
    long same = 0;
    for (long i = 1; i < n; ++i) same += offsets[i] == offsets[i - 1];
    return 4 * same > 3 * n;
}

template <class T, long kItems>
void addBlocks(const RtIndexed &blocks, long items)
{
    if (kItems) items = kItems;
    char *array = blocks.array, *other = blocks.other;
    const long step = blocks.step, n = blocks.count;
    const i64 *const offsets = blocks.offsets;
    const bool runs = kItems == 1 && hasRuns(offsets, n);
    for (long o = 0; o < blocks.outer; ++o, array += blocks.arrayStep, other += blocks.otherStep) {
        if (runs) {
            addRuns<T>(array, offsets, n, other, step);
            continue;
        }
        const char *at = other;
        for (long i = 0; i < n; ++i, at += step) {
            if (!kItems && i + kLookAhead < n) fetchLines(array + offsets[i + kLookAhead]);
            T *const sum = itemAt<T>(array + offsets[i]);
            const T *const term = reinterpret_cast<const T *>(at);
#pragma GCC ivdep
            for (long k = 0; k < items; ++k) sum[k] += term[k];
        }
    }
}

template <class T>
void add(const RtIndexed *blocks, long items)
{
    switch (items) {
    case 1: return addBlocks<T, 1>(*blocks, 1);
    case 2: return addBlocks<T, 2>(*blocks, 2);
    case 3: return addBlocks<T, 3>(*blocks, 3);
    case 4: return addBlocks<T, 4>(*blocks, 4);
    case 8: return addBlocks<T, 8>(*blocks, 8);
    default: return addBlocks<T, 0>(*blocks, items);
    }
}

} // namespace

extern "C" void RT_NAME(rt_fill_indexed)(RtTable *table)
{
    table->offsets[RT_D_I8] = readOffsets<signed char>;
    table->offsets[RT_D_I16] = readOffsets<short>;
    table->offsets[RT_D_I32] = readOffsets<int>;
    table->offsets[RT_D_I64] = readOffsets<i64>;
    table->offsets[RT_D_U8] = readOffsets<unsigned char>;
    table->offsets[RT_D_U16] = readOffsets<unsigned short>;
    table->offsets[RT_D_U32] = readOffsets<unsigned>;
    table->offsets[RT_D_U64] = readOffsets<u64>;
    table->gatherBlocks = move<true>;
    table->setBlocks = move<false>;
    // Sums of integers begin again at the least one: that is what unsigned ones do.
    table->addBlocks[RT_D_I32] = table->addBlocks[RT_D_U32] = add<unsigned>;
    table->addBlocks[RT_D_I64] = table->addBlocks[RT_D_U64] = add<u64>;
    table->addBlocks[RT_D_F32] = add<float>;
    table->addBlocks[RT_D_F64] = add<double>;
}
