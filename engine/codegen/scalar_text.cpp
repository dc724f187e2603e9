#include "engine/codegen/scalar_text.h"

#include "engine/codegen/math_text.h"
#include "engine/scalar/registers.h"
#include "engine/tensor/convert.h"

#include <cctype>
#include <cmath>
#include <cstdio>

namespace engine {

const char *cType(RtKind kind)
{
    switch (kind) {
    case RT_BOOL: return "unsigned char";
    case RT_INT: return "long long";
    case RT_UINT: return "unsigned long long";
    case RT_F32: return "float";
    case RT_F64: return "double";
    default: return "Complex";
    }
}

const char *valueType(RtKind kind) { return kind == RT_BOOL ? "int" : cType(kind); }

const char *memoryType(DType dtype)
{
    const char *narrow = wrapType(dtype);
    return narrow ? narrow : cType(registerKind(dtype));
}

namespace {

struct Values {
    const char *cheap[RT_OP_COUNT][RT_KIND_COUNT] = {};
    const char *expensive[RT_OP_COUNT][RT_KIND_COUNT] = {};
};

constexpr RtKind Real[] = {RT_F32, RT_F64}, Double[] = {RT_F64}, Int[] = {RT_INT}, Unsigned[] = {RT_UINT}, Bool[] = {RT_BOOL};
constexpr RtKind Whole[] = {RT_INT, RT_UINT}, Discrete[] = {RT_INT, RT_UINT, RT_BOOL};
constexpr RtKind Numbers[] = {RT_F32, RT_F64, RT_INT, RT_UINT}, All[] = {RT_F32, RT_F64, RT_INT, RT_UINT, RT_BOOL};

constexpr Values kValues = [] {
    Values values;
#define TEXT(op, arity, kinds, result, ...)                                                                                                \
    for (RtKind kind : kinds) values.cheap[RT_##op][kind] = #__VA_ARGS__;
#define EXPENSIVE(op, arity, kinds, ...)                                                                                                   \
    for (RtKind kind : kinds) values.expensive[RT_##op][kind] = #__VA_ARGS__;
#include "engine/rt/functions/all.def"
    for (RtKind kind : All) values.cheap[RT_SWITCH][kind] = "x ? y : z";
    for (RtKind kind : Real) {
        values.expensive[RT_MUL_ADD][kind] = "th_fma(x, y, z)";
        values.expensive[RT_MUL_SUB][kind] = "th_fma(x, y, -z)";
        values.expensive[RT_SUB_MUL][kind] = "th_fma(-x, y, z)";
    }
    for (RtKind kind : Whole) values.cheap[RT_MUL_ADD][kind] = "bits(x) * bits(y) + bits(z)";
    return values;
}();

bool isPartOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

} // namespace

const char *cheapText(RtOp op, RtKind kind)
{
    if (kind == RT_F32 || kind == RT_F64) {
        // One rounding where the primitives have one.
        if (rt_table()->fusesMultiplyAdd && (op == RT_MUL_ADD || op == RT_MUL_SUB || op == RT_SUB_MUL)) return kValues.expensive[op][kind];
        if (op == RT_MUL_ADD) return "x * y + z";
        if (op == RT_MUL_SUB) return "x * y - z";
        if (op == RT_SUB_MUL) return "z - x * y";
    }
    return kValues.cheap[op][kind];
}

const char *expensiveText(RtOp op, RtKind kind) { return kValues.expensive[op][kind]; }

// Long ones are left to the primitive, which divides doubles.
const char *divisionText(RtOp op, RtKind kind, bool isShort)
{
    if ((op != RT_INT_DIV && op != RT_MOD) || kind != RT_INT || !isShort) return nullptr;
    return op == RT_MOD
               ? "(int)x % (int)y + (((int)x % (int)y != 0) & (((int)x % (int)y < 0) != (y < 0)) ? (int)y : 0)"
               : "(int)x / (int)y - (((int)x % (int)y != 0) & (((int)x < 0) != ((int)y < 0)))"; // one wide part makes all of it wide
}

// exp is left to its primitive, which has an instruction for the scaling by a power of two.
const char *writtenText(RtOp op)
{
    switch (op) {
    case RT_SIGMOID: return "sigmoidOwn(x)";
    case RT_SOFTPLUS: return "softplusOwn(x)";
    case RT_LOG: return "logOwn(x)";
    case RT_LOG1P: return "log1pOwn(x)";
    default: return nullptr;
    }
}

std::string writtenFunctions()
{
    return std::string(rt_table()->fusesMultiplyAdd ? "#define RT_FMAF(a, b, c) __builtin_fmaf((a), (b), (c))\n"
                                                    : "#define RT_FMAF(a, b, c) ((a) * (b) + (c))\n") +
           "static inline float bitsToFloat(int bits) { float value; __builtin_memcpy(&value, &bits, 4); return value; }\n"
           "static inline int floatToBits(float value) { int bits; __builtin_memcpy(&bits, &value, 4); return bits; }\n" +
           kMathF32Text +
           (rt_table()->fusesMultiplyAdd ? "#define RT_FMA(a, b, c) __builtin_fma((a), (b), (c))\n"
                                         : "#define RT_FMA(a, b, c) ((a) * (b) + (c))\n") +
           "static inline double bitsToDouble(long long bits) { double value; __builtin_memcpy(&value, &bits, 8); return value; }\n"
           "static inline long long doubleToBits(double value) { long long bits; __builtin_memcpy(&bits, &value, 8); return bits; }\n" +
           kMathF64Text;
}

const char *wrapType(DType dtype)
{
    switch (dtype) {
    case DType::Int8: return "signed char";
    case DType::Int16: return "short";
    case DType::Int32: return "int";
    case DType::UInt8: return "unsigned char";
    case DType::UInt16: return "unsigned short";
    case DType::UInt32: return "unsigned";
    default: return nullptr;
    }
}

std::string filled(std::string_view pattern, std::span<const std::string> arguments, RtKind kind,
                   std::string (*math)(std::string_view name, bool single), const char *bitsType)
{
    std::string out;
    for (std::size_t i = 0; i < pattern.size();) {
        std::size_t end = i;
        const bool isNumber = std::isdigit(static_cast<unsigned char>(pattern[i]));
        while (end < pattern.size() && (isPartOfName(pattern[end]) || (isNumber && pattern[end] == '.'))) ++end;
        if (end == i) {
            out += pattern[i++];
            continue;
        }
        const std::string_view word = pattern.substr(i, end - i);
        if (word.size() == 1 && word[0] >= 'x' && word[0] <= 'z') out += arguments[word[0] - 'x'];
        else if (word == "real") out += kind == RT_F32 ? "(float)" : "(double)";
        else if (word == "bits") out += "(" + std::string(bitsType) + ")";
        else if (word.starts_with("th_")) out += math(word.substr(3), kind == RT_F32);
        else out += word;
        i = end;
    }
    return out;
}

std::string combinedText(RtReduce reduce, RtKind kind, const std::string &target, const std::string &element, const char *bitsType)
{
    const std::string bits = kind == RT_INT || kind == RT_UINT ? "(" + std::string(bitsType) + ")" : "";
    switch (reduce) {
    case RT_SUM: return bits + target + " + " + bits + element;
    case RT_PROD: return bits + target + " * " + bits + element;
    case RT_MAX: return "(" + target + " > " + element + ") | (" + target + " != " + target + ") ? " + target + " : " + element;
    case RT_MIN: return "(" + target + " < " + element + ") | (" + target + " != " + target + ") ? " + target + " : " + element;
    case RT_ANY: return target + " | " + element;
    default: return target + " & " + element;
    }
}

std::string builtinName(std::string_view name, bool single) { return "__builtin_" + std::string(name) + (single ? "f" : ""); }

std::string literalText(const ScalarProgram::Literal &literal)
{
    return withStorageType(literal.dtype, [&]<class T>() -> std::string {
        if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
            return {};
        } else {
            const T value = convertElement<T>(literal.value);
            char buffer[64];
            if constexpr (std::is_integral_v<T>) {
                const auto wide = static_cast<long long>(value);
                if (std::is_same_v<T, std::uint64_t>)
                    std::snprintf(buffer, sizeof buffer, "%lluULL", static_cast<unsigned long long>(value));
                else if (wide == INT64_MIN) return "(-9223372036854775807LL - 1)";
                else std::snprintf(buffer, sizeof buffer, "%lld%s", wide, sizeof(T) == 1 ? "" : "LL");
            } else {
                const double wide = convertElement<double>(value);
                const bool isFloat = registerKind(literal.dtype) == RT_F32;
                if (std::isnan(wide)) return isFloat ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")";
                if (std::isinf(wide)) return std::string(wide < 0 ? "-" : "") + (isFloat ? "__builtin_inff()" : "__builtin_inf()");
                std::snprintf(buffer, sizeof buffer, "%a%s", wide, isFloat ? "f" : "");
            }
            return buffer[0] == '-' ? std::string("(") + buffer + ")" : buffer;
        }
    });
}

} // namespace engine
