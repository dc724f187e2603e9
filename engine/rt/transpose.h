// Small squares of elements, transposed in vector registers.
#pragma once

namespace {

template <class A, class B>
inline constexpr bool kIsSame = false;
template <class A>
inline constexpr bool kIsSame<A, A> = true;

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define RT_SHUFFLES 1
#endif
#endif

/// Are elements of the register the bits of memory, in a width that there are squares for?
template <class Memory, class Register>
inline constexpr bool kIsMoved = kIsSame<Memory, Register> && (sizeof(Memory) == 4 || sizeof(Memory) == 8);

/// Elements along one side of the squares that work is cut into.
template <class Memory, class Register>
constexpr long transposedTile()
{
    return sizeof(Memory) == 8 && kIsMoved<Memory, Register> ? 4 : 8;
}

#ifdef RT_SHUFFLES

typedef float Vector8 __attribute__((vector_size(32)));
typedef double Vector4 __attribute__((vector_size(32)));

template <class Vector>
inline Vector loadVector(const void *from)
{
    Vector value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

template <int size>
inline void transposeTile(const char *from, long stride, void *to, long width);

template <>
inline void transposeTile<4>(const char *from, long stride, void *to, long width)
{
    float *out = static_cast<float *>(to);
    Vector8 in[8], pairs[8], quads[8];
    for (int i = 0; i < 8; ++i) in[i] = loadVector<Vector8>(from + i * stride);
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = __builtin_shufflevector(in[i], in[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[i + 1] = __builtin_shufflevector(in[i], in[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; ++k) {
            quads[i + 2 * k] = __builtin_shufflevector(pairs[i + k], pairs[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            quads[i + 2 * k + 1] = __builtin_shufflevector(pairs[i + k], pairs[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; ++i) {
        const Vector8 low = __builtin_shufflevector(quads[i], quads[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        const Vector8 high = __builtin_shufflevector(quads[i], quads[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        __builtin_memcpy(out + i * width, &low, sizeof low);
        __builtin_memcpy(out + (i + 4) * width, &high, sizeof high);
    }
}

template <>
inline void transposeTile<8>(const char *from, long stride, void *to, long width)
{
    double *out = static_cast<double *>(to);
    Vector4 in[4];
    for (int i = 0; i < 4; ++i) in[i] = loadVector<Vector4>(from + i * stride);
    const Vector4 a = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6), b = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7);
    const Vector4 c = __builtin_shufflevector(in[2], in[3], 0, 4, 2, 6), d = __builtin_shufflevector(in[2], in[3], 1, 5, 3, 7);
    const Vector4 rows[4] = {__builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(b, d, 0, 1, 4, 5),
                             __builtin_shufflevector(a, c, 2, 3, 6, 7), __builtin_shufflevector(b, d, 2, 3, 6, 7)};
    for (int i = 0; i < 4; ++i) __builtin_memcpy(out + i * width, &rows[i], sizeof rows[i]);
}

#else

template <int size>
struct Bits;
template <>
struct Bits<4> {
    typedef unsigned Type;
};
template <>
struct Bits<8> {
    typedef unsigned long long Type;
};

template <int size>
inline void transposeTile(const char *from, long stride, void *to, long width)
{
    typedef typename Bits<size>::Type Element;
    constexpr int kSide = size == 8 ? 4 : 8;
    for (int r = 0; r < kSide; ++r)
        for (int c = 0; c < kSide; ++c) __builtin_memcpy(static_cast<Element *>(to) + r * width + c, from + c * stride + r * size, size);
}

#endif

} // namespace
