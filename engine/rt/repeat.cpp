// Rows that are repeated: how a broadcast operand becomes a block as long as the others'.
#include "engine/rt/level.h"

namespace {

constexpr long kVector = RT_VECTOR_BYTES;

template <int kBytes>
struct Bytes {
    typedef u8 Vector __attribute__((vector_size(kBytes), aligned(1), may_alias));
};

template <int kBytes>
inline typename Bytes<kBytes>::Vector loadBytes(const char *from)
{
    return *reinterpret_cast<const typename Bytes<kBytes>::Vector *>(from);
}

template <int kBytes>
inline void storeBytes(char *to, typename Bytes<kBytes>::Vector value)
{
    *reinterpret_cast<typename Bytes<kBytes>::Vector *>(to) = value;
}

// A whole vector of one row after the other. Through registers: what was stored in parts cannot be loaded at once for a while.
template <int kRow>
inline typename Bytes<kVector>::Vector spread(const char *row)
{
    if constexpr (kRow == 1) {
        return static_cast<u8>(*row) + typename Bytes<kVector>::Vector{};
    } else if constexpr (kRow == 4) {
        typedef int Vector __attribute__((vector_size(kVector)));
        int value;
        __builtin_memcpy(&value, row, 4);
        return reinterpret_cast<typename Bytes<kVector>::Vector>(value + Vector{});
    } else if constexpr (kRow == 8) {
        typedef i64 Vector __attribute__((vector_size(kVector)));
        i64 value;
        __builtin_memcpy(&value, row, 8);
        return reinterpret_cast<typename Bytes<kVector>::Vector>(value + Vector{});
    } else {
        typedef i64 Vector __attribute__((vector_size(kVector)));
        constexpr int kWords = kRow / 8;
        i64 word[kWords];
        __builtin_memcpy(word, row, kRow);
        Vector once{}, places{};
        for (int i = 0; i < kWords; ++i) once[i] = word[i];
        for (int i = 0; i < static_cast<int>(kVector / 8); ++i) places[i] = i % kWords;
        return reinterpret_cast<typename Bytes<kVector>::Vector>(__builtin_shuffle(once, places));
    }
}

// Rows that fill a vector several times over.
template <int kRow>
void repeatPattern(const char *from, long rows, long times, char *to)
{
    const long bytes = times * kRow;
    if (bytes <= kVector) {
        for (long r = 0; r < rows; ++r, to += bytes) storeBytes<kVector>(to, spread<kRow>(from + r * kRow));
        return;
    }
    for (long r = 0; r < rows; ++r, to += bytes) {
        const auto pattern = spread<kRow>(from + r * kRow);
        for (long at = 0; at < bytes; at += kVector) storeBytes<kVector>(to + at, pattern);
    }
}

// Rows of at most kBytes: whole vectors are written, the next one covers what is too much. Nothing behind the last row is read.
template <int kBytes>
void repeatShort(const char *from, long rows, long rowBytes, long times, char *to)
{
    const char *const end = from + rows * rowBytes;
    char last[kBytes];
    for (long r = 0; r < rows; ++r, from += rowBytes) {
        const char *row = from;
        if (end - from < kBytes) {
            for (long at = 0; at < rowBytes; ++at) last[at] = from[at];
            row = last;
        }
        const auto value = loadBytes<kBytes>(row);
        for (long t = 0; t < times; ++t, to += rowBytes) storeBytes<kBytes>(to, value);
    }
}

void repeatLong(const char *from, long rows, long rowBytes, long times, char *to)
{
    for (long r = 0; r < rows; ++r, from += rowBytes) {
        const char *const first = to;
        __builtin_memcpy(to, from, static_cast<unsigned long>(rowBytes));
        to += rowBytes;
        for (long t = 1; t < times; ++t, to += rowBytes)
            for (long at = 0; at < rowBytes; at += kVector) storeBytes<kVector>(to + at, loadBytes<kVector>(first + at));
    }
}

void repeatRows(const void *source, long rows, long rowBytes, long times, void *target)
{
    const char *from = static_cast<const char *>(source);
    char *to = static_cast<char *>(target);
    if (times > 1) {
        switch (rowBytes) {
        case 1: return repeatPattern<1>(from, rows, times, to);
        case 4: return repeatPattern<4>(from, rows, times, to);
        case 8: return repeatPattern<8>(from, rows, times, to);
        case 16: return repeatPattern<16>(from, rows, times, to);
        case 32:
            if constexpr (kVector >= 32) return repeatPattern<32>(from, rows, times, to);
            break;
        default: break;
        }
    }
    if (rowBytes <= 16) repeatShort<16>(from, rows, rowBytes, times, to);
    else if (rowBytes <= 32) repeatShort<32>(from, rows, rowBytes, times, to);
    else if (rowBytes <= 64) repeatShort<64>(from, rows, rowBytes, times, to);
    else repeatLong(from, rows, rowBytes, times, to);
}

// As many items as a vector has become `times` vectors: each takes its lanes from that one vector.
template <class Lane>
void repeatItemsOf(const char *source, long items, long times, char *target)
{
    constexpr long kLanes = kVector / static_cast<long>(sizeof(Lane));
    typedef Lane Vector __attribute__((vector_size(kVector)));
    typedef Lane Loose __attribute__((aligned(1), may_alias)); // two items of half the size, maybe
    const Loose *from = reinterpret_cast<const Loose *>(source);
    Loose *to = reinterpret_cast<Loose *>(target);
    long i = 0;
    if (times <= kLanes) {
        Vector places[kLanes];
        for (long v = 0; v < times; ++v)
            for (long lane = 0; lane < kLanes; ++lane) places[v][lane] = static_cast<Lane>((v * kLanes + lane) / times);
        for (; i + kLanes <= items; i += kLanes) {
            Vector some;
            __builtin_memcpy(&some, from + i, kVector);
            for (long v = 0; v < times; ++v, to += kLanes) {
                const Vector repeated = __builtin_shuffle(some, places[v]);
                __builtin_memcpy(to, &repeated, kVector);
            }
        }
    }
    for (; i < items; ++i, to += times) {
        const Lane item = from[i];
        for (long t = 0; t < times; ++t) to[t] = item;
    }
}

void repeatItems(const void *source, long items, long itemBytes, long times, void *target)
{
    const char *from = static_cast<const char *>(source);
    char *to = static_cast<char *>(target);
    if (itemBytes == 4) repeatItemsOf<int>(from, items, times, to);
    else repeatItemsOf<i64>(from, items, times, to);
}

} // namespace

extern "C" void RT_NAME(rt_fill_repeats)(RtTable *t)
{
    t->repeatRows = repeatRows;
    t->repeatItems = repeatItems;
}
