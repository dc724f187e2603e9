// Where the largest element stands, the first of equal ones, of NaNs the first: a block at a time without a branch for its
// largest element, then one look through the first block that has it.
#include "engine/rt/short_rows.h"

namespace {

template <class T>
using Vector __attribute__((vector_size(RT_VECTOR_BYTES))) = T;
template <class T>
constexpr long kWidth = RT_VECTOR_BYTES / static_cast<long>(sizeof(T));
constexpr int kTogether = 4; // vectors: a comparison does not wait for the one before

template <class T>
inline Vector<T> load(const T *from)
{
    Vector<T> v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

template <class V>
inline bool isAnySet(V mask)
{
    u64 words[RT_VECTOR_BYTES / 8], any = 0;
    __builtin_memcpy(words, &mask, sizeof mask);
    for (const u64 word : words) any |= word;
    return any != 0;
}

template <class T>
inline T largestOf(const T *x, long n, bool &hasNan)
{
    using V = Vector<T>;
    using Mask = decltype(V{} != V{});
    constexpr long width = kWidth<T>, step = kTogether * width;
    V top[kTogether];
    Mask odd = {};
    for (V &v : top) v = V{} + x[0];
    long i = 0;
    for (; i + step <= n; i += step)
        for (int k = 0; k < kTogether; ++k) {
            const V value = load(x + i + k * width);
            odd |= value != value;
            top[k] = value > top[k] ? value : top[k];
        }
    for (; i + width <= n; i += width) {
        const V value = load(x + i);
        odd |= value != value;
        top[0] = value > top[0] ? value : top[0];
    }
    for (int k = 1; k < kTogether; ++k) top[0] = top[k] > top[0] ? top[k] : top[0];
    T result = x[0];
    for (int j = 0; j < width; ++j) result = top[0][j] > result ? top[0][j] : result;
    hasNan = isAnySet(odd) || x[0] != x[0];
    for (; i < n; ++i) {
        hasNan |= x[i] != x[i];
        result = x[i] > result ? x[i] : result;
    }
    return result;
}

// Of the first element that `wanted` holds for; there is one.
template <class T, class Wanted>
inline long firstOf(const T *x, long n, Wanted wanted)
{
    constexpr long width = kWidth<T>;
    long i = 0;
    while (i + width <= n && !isAnySet(wanted(load(x + i)))) i += width;
    while (i < n && !wanted(x[i])) ++i;
    return i;
}

template <class T>
long placeOfLargest(const void *data, long n)
{
    const T *x = static_cast<const T *>(data);
    constexpr long kBlock = 2048;
    T top = x[0];
    long at = 0;
    for (long i = 0; i < n; i += kBlock) {
        const long count = n - i < kBlock ? n - i : kBlock;
        bool hasNan = false;
        const T value = largestOf(x + i, count, hasNan);
        if (hasNan) return i + firstOf(x + i, count, [](auto v) { return v != v; });
        if (value > top) top = value, at = i;
    }
    return at + firstOf(x + at, n - at, [top](auto v) { return v == top; });
}

// The larger of the two, and its place; of equal ones the first, a NaN before all else.
template <class V, class Places, class Place>
inline void takeLarger(V &top, Places &at, V value, Place place)
{
    const Places isNext = ~(value <= top) & (top == top);
    top = isNext ? value : top;
    at = isNext ? Places{} + place : at;
}

// Of every column of rows `stride` elements apart.
template <class T>
void placesInColumns(const void *data, long rows, long stride, long columns, i64 *places)
{
    using V = Vector<T>;
    using Places = decltype(V{} != V{});
    using Place = __typeof__(Places{}[0]);
    constexpr long width = kWidth<T>, step = kTogether * width;
    const T *x = static_cast<const T *>(data);
    long c = 0;
    for (; c + step <= columns; c += step) {
        V top[kTogether];
        Places at[kTogether] = {};
        for (int k = 0; k < kTogether; ++k) top[k] = load(x + c + k * width);
        for (long r = 1; r < rows; ++r)
            for (int k = 0; k < kTogether; ++k) takeLarger(top[k], at[k], load(x + r * stride + c + k * width), static_cast<Place>(r));
        for (int k = 0; k < kTogether; ++k)
            for (int j = 0; j < width; ++j) places[c + k * width + j] = at[k][j];
    }
    for (; c < columns; ++c) {
        long at = 0;
        for (long r = 1; r < rows; ++r) {
            const T value = x[r * stride + c], top = x[at * stride + c];
            if (!(value <= top) & (top == top)) at = r;
        }
        places[c] = at;
    }
}

constexpr long kMostTurned = 63; // elements of a row that is turned: longer ones take longer so

// Of every row of n elements, one behind the other. Short ones are turned into columns.
template <class T>
void placesInRows(const void *data, long rows, long n, i64 *places)
{
    const T *x = static_cast<const T *>(data);
    long r = 0;
    if constexpr (sizeof(T) >= 4) {
        using V = Vector<T>;
        using Places = decltype(V{} != V{});
        using Place = __typeof__(Places{}[0]);
        constexpr long width = kWidth<T>;
        for (; n <= kMostTurned && r + width <= rows; r += width) {
            T columns[kMostTurned * width];
            turnRows<T>(reinterpret_cast<const char *>(x + r * n), n * static_cast<long>(sizeof(T)), n, columns);
            V top = load(columns);
            Places at = {};
            for (long j = 1; j < n; ++j) takeLarger(top, at, load(columns + j * width), static_cast<Place>(j));
            for (int w = 0; w < width; ++w) places[r + w] = at[w];
        }
    }
    for (; r < rows; ++r) places[r] = placeOfLargest<T>(x + r * n, n);
}

template <class T>
void fill(RtTable *table, RtDType dtype)
{
    table->placeOfLargest[dtype] = placeOfLargest<T>;
    table->placesInRows[dtype] = placesInRows<T>;
    // Places have to fit into the lanes.
    if constexpr (sizeof(T) >= 4) table->placesInColumns[dtype] = placesInColumns<T>;
}

} // namespace

extern "C" void RT_NAME(rt_fill_places)(RtTable *table)
{
    fill<unsigned char>(table, RT_D_BOOL);
    fill<signed char>(table, RT_D_I8);
    fill<short>(table, RT_D_I16);
    fill<int>(table, RT_D_I32);
    fill<i64>(table, RT_D_I64);
    fill<unsigned char>(table, RT_D_U8);
    fill<unsigned short>(table, RT_D_U16);
    fill<unsigned int>(table, RT_D_U32);
    fill<u64>(table, RT_D_U64);
    fill<float>(table, RT_D_F32);
    fill<double>(table, RT_D_F64);
}
