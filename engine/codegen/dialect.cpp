// The dialects that kernels are printed in, a record each: all that tells them apart.
#include "engine/codegen/dialect.h"

#include "engine/codegen/math_text.h"

namespace engine {
namespace {

// Vectors of twice what platforms take by themselves: long chains of steps overlap.
constexpr const char *kBeside = "#pragma clang loop vectorize(assume_safety) vectorize_width(16)\n";

// The host's compiler, whose kernels link to nothing: functions of the library come through a table.
const DialectWords kC{
    .prologue = "typedef void (*Loop)(void *out, const void *const *in, long n);\n"
                "typedef long long i64;\ntypedef unsigned long long u64;\n",
    .kernel = "void",
    .lastParameters = "void *const *operands, const Loop *math, long n",
    .arrayLocal = "    @type *@name = operands[@at];\n",
    .numberLocal = "    const i64 @name = *(const i64 *)operands[@at];\n",
    .items = "for (i64 i = 0; i < n; ++i) {",
    .runs = ItemsRun::InTurn,
    .builtin = "__builtin_",
    .callsPrimitives = true,
    .own = {{"th_inf()", "__builtin_inf()"},
            {"th_inff()", "__builtin_inff()"},
            {"th_nan()", "__builtin_nan(\"\")"},
            {"th_nanf()", "__builtin_nanf(\"\")"},
            {"th_asFloat", "FN float th_asFloat(int bits) { float value; __builtin_memcpy(&value, &bits, 4); return value; }"},
            {"th_asDouble", "FN double th_asDouble(i64 bits) { double value; __builtin_memcpy(&value, &bits, 8); return value; }"},
            {"th_asBits", "FN int th_asBits(float value) { int bits; __builtin_memcpy(&bits, &value, 4); return bits; }"},
            {"th_isFirst", "FN int th_isFirst(i64 *found) { return *found ? 0 : (int)(*found = 1); }"}},
};

const DialectWords kCuda{
    .prologue = "typedef long long i64;\ntypedef unsigned long long u64;\n",
    .kernel = "extern \"C\" __global__ void",
    .function = "static __device__",
    .array = "@type *@name, ",
    .number = "i64 @name, ",
    .items = "for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {",
    .reading = "#pragma unroll 8\n",
    .runs = ItemsRun::AtOnce,
    .lane = "    const i64 lane = threadIdx.x;\n",
    .shared = "__shared__ ",
    .barrier = "__syncthreads();",
    .own = {{"th_inf()", "__longlong_as_double(0x7ff0000000000000LL)"},
            {"th_inff()", "__int_as_float(0x7f800000)"},
            {"th_nan()", "__longlong_as_double(0x7ff8000000000000LL)"},
            {"th_nanf()", "__int_as_float(0x7fc00000)"},
            {"th_asFloat", "__int_as_float"},
            {"th_asDouble", "__longlong_as_double"},
            {"th_asBits", "__float_as_int"},
            {"th_isFirst", "FN int th_isFirst(i64 *found) { return atomicCAS((int *)found, 0, 1) == 0; }"},
            {"th_erfcx", "erfcx"},
            {"th_erfcxf", "erfcxf"},
            {"th_erfinv", "erfinv"},
            {"th_erfinvf", "erfinvf"},
            {"th_erfcinv", "erfcinv"},
            {"th_erfcinvf", "erfcinvf"}},
};

const DialectWords kOpenCl{
    .prologue = "#pragma OPENCL FP_CONTRACT OFF\ntypedef long i64;\ntypedef ulong u64;\n",
    .doubles = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
    .kernel = "__kernel void",
    .array = "__global char *b@at, i64 o@at, ",
    .number = "i64 @name, ",
    .arrayLocal = "    __global @type *@name = (__global @type *)(b@at + o@at);\n",
    .items = "for (i64 i = get_global_id(0); i < n; i += get_global_size(0)) {",
    .reading = "#pragma unroll 8\n",
    .runs = ItemsRun::AtOnce,
    .lane = "    const i64 lane = get_local_id(0);\n",
    .shared = "__local ",
    .barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    .oneNameForAllFloats = true,
    .own = {{"th_inf()", "((double)INFINITY)"},
            {"th_inff()", "INFINITY"},
            {"th_nan()", "((double)NAN)"},
            {"th_nanf()", "NAN"},
            {"th_asFloat", "as_float"},
            {"th_asDouble", "as_double"},
            {"th_asBits", "as_int"},
            {"th_isFirst", "FN int th_isFirst(__global i64 *found) { return atomic_cmpxchg((volatile __global int *)found, 0, 1) == 0; }"}},
};

// A processor's vectors hold what is written as plain arithmetic. The platform's own functions may be calls.
const DialectWords kStrips = [] {
    DialectWords words = kOpenCl;
    words.beside = kBeside;
    words.items = "const i64 strip = (n + get_global_size(0) - 1) / get_global_size(0), firstOfStrip = get_global_id(0) * strip,\n"
                  "              endOfStrip = firstOfStrip + strip < n ? firstOfStrip + strip : n;\n" +
                  words.beside + "    for (i64 i = firstOfStrip; i < endOfStrip; ++i) {";
    words.runs = ItemsRun::InStrips;
    words.barrier.clear(); // an item runs to its end
    // The compiler has no such builtins, or none for the memory of literals.
    words.ownFloats = std::string("#define RT_FMAF(a, b, c) fma((float)(a), (float)(b), (float)(c))\n"
                                  "#define bitsToFloat(bits) as_float((int)(bits))\n#define floatToBits(value) as_int((float)(value))\n"
                                  "#define __builtin_fabsf fabs\n#define __builtin_inff() INFINITY\n"
                                  "#define __builtin_nanf(text) NAN\n") +
                      kMathF32Text;
    words.own["th_expf"] = "expOwn";
    words.own["th_logf"] = "logOwn";
    words.own["th_log1pf"] = "log1pOwn";
    // Both ways are computed, so that vectors need not part; at most 2 ulp.
    words.own["th_tanhf"] =
        "FN float th_tanhf(float x)\n{\n"
        "    const float size = fabs(x), z = x * x;\n"
        "    float p = fma(-5.70498872745e-3f, z, 2.06390887954e-2f);\n"
        "    p = fma(p, z, -5.37397155531e-2f);\n    p = fma(p, z, 1.33314422036e-1f);\n    p = fma(p, z, -3.33332819422e-1f);\n"
        "    const float far = 1.0f - 2.0f / (expOwn(2.0f * size) + 1.0f);\n"
        "    return size < 0.625f ? fma(p * z, x, x) : copysign(far, x);\n}\n";
    return words;
}();

} // namespace

const DialectWords &wordsOf(Dialect dialect)
{
    switch (dialect) {
    case Dialect::C: return kC;
    case Dialect::CudaC: return kCuda;
    case Dialect::OpenClC: return kOpenCl;
    default: return kStrips;
    }
}

} // namespace engine
