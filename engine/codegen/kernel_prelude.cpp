#include "engine/codegen/kernel.h"
#include "engine/codegen/scalar_text.h"

namespace engine {

namespace {

// What only kernels that go by rows need: what is left over of a row behind whole lanes, and exponentials of some elements, as the
// primitive computes them (rt/math_f32.cpp).
constexpr const char *kRows = R"(#if defined(__AVX512BW__) && defined(__AVX512VL__) && !defined(__clang__)
#define REST(j, left, ...) \
    for (long first = 0; first < (left); first += 16) { \
        IVDEP UNROLL1 for (int k = 0; k < 16; ++k) { const long j = first + k; const int live = j < (left); __VA_ARGS__ } \
    }
typedef float Sixteen __attribute__((vector_size(64)));
#define ALL(x) ((Sixteen){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x})
#define MULTIPLY_ADD(a, b, c) ((Sixteen)__builtin_ia32_vfmaddps512_mask(a, b, c, (unsigned short)-1, 4))
static inline __attribute__((always_inline)) Sixteen powersOf(Sixteen x)
{
    const unsigned short some = __builtin_ia32_cmpps512_mask(x, ALL(-104.0f), 5, (unsigned short)-1, 4);
    const Sixteen v = (Sixteen)__builtin_ia32_minps512_mask(ALL(88.75f), x, ALL(0.0f), some, 4);
    const Sixteen k = MULTIPLY_ADD(v, ALL(1.44269504088896341f), ALL(12582912.0f)) - ALL(12582912.0f);
    Sixteen r = MULTIPLY_ADD(k, ALL(-0.693145751953125f), v);
    r = MULTIPLY_ADD(k, ALL(-1.42860682030941723212e-6f), r);
    Sixteen p = MULTIPLY_ADD(ALL(1.9875691500e-4f), r, ALL(1.3981999507e-3f));
    p = MULTIPLY_ADD(p, r, ALL(8.3334519073e-3f));
    p = MULTIPLY_ADD(p, r, ALL(4.1665795894e-2f));
    p = MULTIPLY_ADD(p, r, ALL(1.6666665459e-1f));
    p = MULTIPLY_ADD(p, r, ALL(5.0000001201e-1f));
    p = MULTIPLY_ADD(p, r * r, r) + ALL(1.0f);
    return (Sixteen)__builtin_ia32_scalefps512_mask(p, k, ALL(0.0f), some, 4);
}
#define POWERS(to, from, n) for (long j = 0; j < (n); j += 16) *(Sixteen *)((to) + j) = powersOf(*(const Sixteen *)((from) + j));
#else
#define REST(j, left, ...) IVDEP for (long j = 0; j < (left); ++j) { const int live = 1; __VA_ARGS__ }
#define POWERS(to, from, n) IVDEP for (long j = 0; j < (n); ++j) (to)[j] = expOwn((from)[j]);
#endif
)";

} // namespace

std::string kernelPrelude()
{
    return "typedef void (*Loop)(void *out, const void *const *in, long n);\n"
           "typedef struct { double re, im; } Complex;\n"
           "#define ALIGNED __attribute__((aligned(64)))\n"
           "#ifdef __clang__\n"
           "#define IVDEP _Pragma(\"clang loop vectorize(assume_safety)\")\n"
           "#define UNROLL1\n"
           "#else\n"
           "#define IVDEP _Pragma(\"GCC ivdep\")\n"
           "#define UNROLL1 _Pragma(\"GCC unroll 1\")\n"
           "#endif\n"
           // Whole vectors, then what is left over under a mask: sixteen elements at a time, as the compiler's vectors of floats,
           // 64 where there are bytes among them. Nothing beyond the inputs and outputs is touched; arrays of the kernel's own
           // are filled up to whole vectors.
           "#if defined(__AVX512BW__) && defined(__AVX512VL__) && !defined(__clang__)\n"
           "#define WHOLE(m) (((m) + 15) & -16)\n"
           "#define EACH(step, i, m, ...) { \\\n"
           "    const long whole = (m) & -(step); \\\n"
           "    IVDEP for (long i = 0; i < whole; ++i) { const int live = 1; __VA_ARGS__ } \\\n"
           "    for (long at = whole; at < (m); at += 16) { \\\n"
           "        const int left = (m) - at < 16 ? (m) - at : 16; \\\n"
           "        IVDEP UNROLL1 for (int j = 0; j < 16; ++j) { const long i = at + j; const int live = j < left; __VA_ARGS__ } \\\n"
           "    } \\\n"
           "}\n"
           "#else\n"
           "#define WHOLE(m) (m)\n"
           "#define EACH(step, i, m, ...) IVDEP for (long i = 0; i < (m); ++i) { const int live = 1; __VA_ARGS__ }\n"
           "#endif\n"
           // Eight at a time come out of passes over the rows of a matrix; vectors of their size need no mask.
           "#define EIGHT(i, ...) IVDEP UNROLL1 for (long i = 0; i < 8; ++i) { const int live = 1; __VA_ARGS__ }\n"
           "#define IN(x) (live ? (x)[i] : 0)\n"
           "#define OUT(y) if (live) (y)[i]\n"
           "#define EACH16(i, m, ...) EACH(16, i, m, __VA_ARGS__)\n"
           "#define EACH64(i, m, ...) EACH(64, i, m, __VA_ARGS__)\n" +
           writtenFunctions() + kRows;
}

} // namespace engine
