// The largest or smallest of columns, several rows at once. A nan, and which of two zeros it is where columns are so narrow that rows are
// taken together, is left to the plain loop.
#pragma once

#include "engine/rt/short_rows.h"

namespace {

constexpr long kTopsAtOnce = 1024; // that stay in the first cache
constexpr long kRowsAtOnce = 4;

template <class T>
inline typename Wide<T>::Vector wideAt(const T *x)
{
    typename Wide<T>::Vector value;
    __builtin_memcpy(&value, x, sizeof value);
    return value;
}

// Of `width` columns into top. False: there may be a nan.
template <class Step, class T>
inline bool extremesInto(T *top, const char *data, long rows, long stride, long width)
{
    using Vector = typename Wide<T>::Vector;
    constexpr int kCount = Wide<T>::kCount;
    Vector sums[kRowsAtOnce] = {}; // an infinity may make a nan of them, too
    for (long r = 0; r + kRowsAtOnce <= rows; r += kRowsAtOnce) {
        const T *x[kRowsAtOnce];
        for (int k = 0; k < kRowsAtOnce; ++k) x[k] = reinterpret_cast<const T *>(data + (r + k) * stride);
        for (long next = 0; next < width; next += kCount) {
            const long j = next + kCount <= width ? next : width - kCount; // the last ones take part twice
            Vector largest = wideAt(top + j);
#pragma GCC unroll 4
            for (int k = 0; k < kRowsAtOnce; ++k) {
                const Vector value = wideAt(x[k] + j);
                sums[k] += value;
                largest = Step::template step<Vector>(largest, value);
            }
            __builtin_memcpy(top + j, &largest, sizeof largest);
        }
    }
    const Vector sum = sums[0] + sums[1] + sums[2] + sums[3];
    int found = 0;
    for (int w = 0; w < kCount; ++w) found |= sum[w] != sum[w];
    return found == 0;
}

// False: nothing was done.
template <class Step, class T>
inline bool extremesOfColumns(const char *data, long rows, long stride, long columns, T *acc)
{
    // Narrow columns without gaps: some rows are taken for a long one.
    const bool isDense = stride == columns * static_cast<long>(sizeof(T));
    const long together = columns < 64 && isDense ? 128 / columns : 1, width = columns * together;
    if (rows < 4 * kRowsAtOnce * together || width < Wide<T>::kCount || width > kTopsAtOnce) return false;
    T top[kTopsAtOnce];
    for (long j = 0; j < width; ++j) top[j] = acc[j % columns];
    const long step = kRowsAtOnce * together, whole = rows / step * step;
    if (!extremesInto<Step>(top, data, whole / together, stride * together, width)) return false;
    for (long r = whole; r < rows; ++r)
        for (long j = 0; j < columns; ++j) {
            const T value = reinterpret_cast<const T *>(data + r * stride)[j];
            if (value != value) return false;
            top[j] = Step::template step<T>(top[j], value);
        }
    for (long j = columns; j < width; ++j) top[j % columns] = Step::template step<T>(top[j % columns], top[j]);
    for (long j = 0; j < columns; ++j)
        if ((together > 1 && top[j] == 0) || top[j] != top[j]) return false;
    __builtin_memcpy(acc, top, static_cast<unsigned long>(columns) * sizeof(T));
    return true;
}

} // namespace
