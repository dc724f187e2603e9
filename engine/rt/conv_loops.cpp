// Convolution by own loops: a row of what comes out for several filters at a time, sums kept in registers.
#include "engine/rt/level.h"

namespace {

template <class T, int kBytes>
struct Lanes {
    typedef T Type __attribute__((vector_size(kBytes)));
    static constexpr int kCount = kBytes / static_cast<int>(sizeof(T));
};

// kVectors vectors of the row from place x on, of which the last begins at `last`, for all filters.
template <int kFilters, int kVectors, int kBytes, class T>
inline void sumPlaces(const T *image, const long *offsets, long window, const T *weights, long x, long last, T *out, long stride)
{
    using V = typename Lanes<T, kBytes>::Type;
    constexpr int kCount = Lanes<T, kBytes>::kCount;
    V sums[kFilters][kVectors] = {};
    image += x;
    last -= x;
    for (long k = 0; k < window; ++k, weights += kFilters) {
        const T *const from = image + offsets[k];
        V pixels[kVectors];
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) __builtin_memcpy(&pixels[v], from + (v + 1 < kVectors ? v * kCount : last), sizeof(V));
#pragma GCC unroll 6
        for (int f = 0; f < kFilters; ++f)
#pragma GCC unroll 4
            for (int v = 0; v < kVectors; ++v) sums[f][v] += weights[f] * pixels[v];
    }
#pragma GCC unroll 6
    for (int f = 0; f < kFilters; ++f)
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v)
            __builtin_memcpy(out + f * stride + x + (v + 1 < kVectors ? v * kCount : last), &sums[f][v], sizeof(V));
}

// The last vectors of a row reach back over places that are there already, and give them the same values again.
template <int kFilters, int kBytes, class T>
inline void sumRow(const T *image, const long *offsets, long window, const T *weights, long width, T *out, long stride)
{
    constexpr int kMost = RT_VECTOR_BYTES == 64 ? 4 : 2; // as many sums as there are registers
    constexpr long kCount = Lanes<T, kBytes>::kCount;
    long x = 0;
    for (; x + kMost * kCount <= width; x += kMost * kCount)
        sumPlaces<kFilters, kMost, kBytes>(image, offsets, window, weights, x, x + (kMost - 1) * kCount, out, stride);
    if (x == width) return;
    // Side by side, so that their sums do not wait for each other.
    const long last = width - kCount;
    switch ((width - x + kCount - 1) / kCount) {
    case 1: return sumPlaces<kFilters, 1, kBytes>(image, offsets, window, weights, last, last, out, stride);
    case 2: return sumPlaces<kFilters, 2, kBytes>(image, offsets, window, weights, x, last, out, stride);
    case 3: return sumPlaces<kFilters, 3, kBytes>(image, offsets, window, weights, x, last, out, stride);
    default: return sumPlaces<kFilters, 4, kBytes>(image, offsets, window, weights, x, last, out, stride);
    }
}

template <int kFilters, class T>
void anyRow(const T *image, const long *offsets, long window, const T *weights, long width, T *out, long stride)
{
    constexpr long kElement = sizeof(T);
    if (RT_VECTOR_BYTES >= 64 && width * kElement >= 64)
        return sumRow<kFilters, RT_VECTOR_BYTES>(image, offsets, window, weights, width, out, stride);
    if (RT_VECTOR_BYTES >= 32 && width * kElement >= 32)
        return sumRow < kFilters, RT_VECTOR_BYTES < 32 ? RT_VECTOR_BYTES : 32 > (image, offsets, window, weights, width, out, stride);
    if (width * kElement >= 16) return sumRow<kFilters, 16>(image, offsets, window, weights, width, out, stride);
    for (int f = 0; f < kFilters; ++f)
        for (long x = 0; x < width; ++x) {
            T sum = 0;
            for (long k = 0; k < window; ++k) sum += weights[k * kFilters + f] * image[offsets[k] + x];
            out[f * stride + x] = sum;
        }
}

template <class T>
void convolveRow(const T *image, const long *offsets, long window, const T *weights, int filters, long width, T *out, long stride)
{
    switch (filters) {
    case 1: return anyRow<1>(image, offsets, window, weights, width, out, stride);
    case 2: return anyRow<2>(image, offsets, window, weights, width, out, stride);
    case 3: return anyRow<3>(image, offsets, window, weights, width, out, stride);
    case 4: return anyRow<4>(image, offsets, window, weights, width, out, stride);
    case 5: return anyRow<5>(image, offsets, window, weights, width, out, stride);
    default: return anyRow<6>(image, offsets, window, weights, width, out, stride);
    }
}

void convolveRowF32(const float *image, const long *offsets, long window, const float *weights, int filters, long width, float *out,
                    long stride)
{
    convolveRow(image, offsets, window, weights, filters, width, out, stride);
}
void convolveRowF64(const double *image, const long *offsets, long window, const double *weights, int filters, long width, double *out,
                    long stride)
{
    convolveRow(image, offsets, window, weights, filters, width, out, stride);
}

} // namespace

extern "C" void RT_NAME(rt_fill_conv)(RtTable *table)
{
    table->convolveRowF32 = convolveRowF32;
    table->convolveRowF64 = convolveRowF64;
}
