#include "engine/codegen/kernel.h"
#include "engine/codegen/scalar_text.h"

namespace engine {

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
           writtenFunctions();
}

} // namespace engine
