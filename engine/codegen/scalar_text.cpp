#include "engine/codegen/scalar_text.h"

#include "engine/codegen/math_text.h"
#include "engine/scalar/registers.h"
#include "engine/tensor/convert.h"

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

const char *memoryType(DType dtype)
{
    const char *narrow = wrapType(dtype);
    return narrow ? narrow : cType(registerKind(dtype));
}

const char *floatText(RtOp op)
{
    switch (op) {
    case RT_ADD: return "$0 + $1";
    case RT_SUB: return "$0 - $1";
    case RT_MUL: return "$0 * $1";
    case RT_TRUE_DIV: return "$0 / $1";
    case RT_INT_DIV: return "__builtin_floor@($0 / $1)";
    case RT_NEG: return "-$0";
    case RT_ABS: return "__builtin_fabs@($0)";
    case RT_SGN: return "$0 > 0 ? 1 : ($0 < 0 ? -1 : $0 + 0)";
    case RT_INV: return "1 / $0";
    case RT_SQR: return "$0 * $0";
    case RT_SQRT: return "__builtin_sqrt@($0)";
    case RT_MAXIMUM: return "($0 > $1) | ($0 != $0) ? $0 : $1";
    case RT_MINIMUM: return "($0 < $1) | ($0 != $0) ? $0 : $1";
    case RT_CLIP: return "$0 < $1 ? $1 : ($0 > $2 ? $2 : $0)";
    case RT_COPY: return "$0";
    case RT_LT: return "$0 < $1";
    case RT_GT: return "$0 > $1";
    case RT_LE: return "$0 <= $1";
    case RT_GE: return "$0 >= $1";
    case RT_EQ: return "$0 == $1";
    case RT_NEQ: return "$0 != $1";
    case RT_ISNAN: return "$0 != $0";
    case RT_ISINF: return "__builtin_fabs@($0) == __builtin_inf@()";
    case RT_IN_RANGE: return "($0 >= $1) & ($0 <= $2)";
    case RT_CEIL: return "__builtin_ceil@($0)";
    case RT_FLOOR: return "__builtin_floor@($0)";
    case RT_TRUNC: return "__builtin_trunc@($0)";
    case RT_ROUND_EVEN: return "__builtin_rint@($0)";
    case RT_MUL_ADD: return rt_table()->fusesMultiplyAdd ? "__builtin_fma@($0, $1, $2)" : "$0 * $1 + $2";
    case RT_MUL_SUB: return rt_table()->fusesMultiplyAdd ? "__builtin_fma@($0, $1, -$2)" : "$0 * $1 - $2";
    case RT_SUB_MUL: return rt_table()->fusesMultiplyAdd ? "__builtin_fma@(-$0, $1, $2)" : "$2 - $0 * $1";
    default: return nullptr;
    }
}

const char *integerText(RtOp op)
{
    switch (op) {
    case RT_ADD: return "(unsigned long long)$0 + (unsigned long long)$1";
    case RT_SUB: return "(unsigned long long)$0 - (unsigned long long)$1";
    case RT_MUL: return "(unsigned long long)$0 * (unsigned long long)$1";
    case RT_MUL_ADD: return "(unsigned long long)$0 * (unsigned long long)$1 + (unsigned long long)$2";
    case RT_NEG: return "0 - (unsigned long long)$0";
    case RT_ABS: return "$0 < 0 ? 0 - (unsigned long long)$0 : (unsigned long long)$0";
    case RT_SGN: return "($0 > 0) - ($0 < 0)";
    case RT_SQR: return "(unsigned long long)$0 * (unsigned long long)$0";
    case RT_MAXIMUM: return "$0 > $1 ? $0 : $1";
    case RT_MINIMUM: return "$0 < $1 ? $0 : $1";
    case RT_CLIP: return "$0 < $1 ? $1 : ($0 > $2 ? $2 : $0)";
    case RT_COPY: return "$0";
    case RT_LT: return "$0 < $1";
    case RT_GT: return "$0 > $1";
    case RT_LE: return "$0 <= $1";
    case RT_GE: return "$0 >= $1";
    case RT_EQ: return "$0 == $1";
    case RT_NEQ: return "$0 != $1";
    case RT_AND: return "$0 & $1";
    case RT_OR: return "$0 | $1";
    case RT_XOR: return "$0 ^ $1";
    case RT_INVERT: return "~$0";
    default: return nullptr;
    }
}

const char *divisionText(RtOp op, RtKind kind, bool isShort)
{
    const bool isRest = op == RT_MOD;
    if (op != RT_INT_DIV && !isRest) return nullptr;
    if (kind == RT_UINT) return isRest ? "$0 % $1" : "$0 / $1";
    if (kind != RT_INT) return nullptr;
    if (isShort)
        return isRest ? "(int)$0 % (int)$1 + (((int)$0 % (int)$1 != 0) & (((int)$0 % (int)$1 < 0) != ($1 < 0)) ? (int)$1 : 0)"
                      : "(int)$0 / (int)$1 - (((int)$0 % (int)$1 != 0) & (((int)$0 < 0) != ((int)$1 < 0)))"; // one wide part makes all of
                                                                                                             // it wide
    return isRest ? "$0 % $1 + (($0 % $1 != 0) & (($0 % $1 < 0) != ($1 < 0)) ? $1 : 0)"
                  : "$0 / $1 - (($0 % $1 != 0) & (($0 < 0) != ($1 < 0)))";
}

const char *boolText(RtOp op)
{
    switch (op) {
    case RT_ADD:
    case RT_OR: return "$0 | $1";
    case RT_MUL:
    case RT_AND: return "$0 & $1";
    case RT_XOR: return "$0 ^ $1";
    case RT_INVERT: return "$0 ^ 1";
    case RT_COPY: return "$0";
    case RT_EQ: return "$0 == $1";
    case RT_NEQ: return "$0 != $1";
    default: return nullptr;
    }
}

// exp is left to its primitive, which has an instruction for the scaling by a power of two.
const char *writtenText(RtOp op)
{
    switch (op) {
    case RT_SIGMOID: return "sigmoidOwn($0)";
    case RT_SOFTPLUS: return "softplusOwn($0)";
    case RT_LOG: return "logOwn($0)";
    case RT_LOG1P: return "log1pOwn($0)";
    default: return nullptr;
    }
}

std::string writtenFunctions()
{
    return std::string(rt_table()->fusesMultiplyAdd ? "#define RT_FMAF(a, b, c) __builtin_fmaf((a), (b), (c))\n"
                                                    : "#define RT_FMAF(a, b, c) ((a) * (b) + (c))\n") +
           "static inline float bitsToFloat(int bits) { float value; __builtin_memcpy(&value, &bits, 4); return value; }\n"
           "static inline int floatToBits(float value) { int bits; __builtin_memcpy(&bits, &value, 4); return bits; }\n" +
           kMathF32Text;
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

std::string filled(const char *pattern, const std::vector<std::string> &arguments, bool single)
{
    std::string out;
    for (const char *p = pattern; *p; ++p) {
        if (*p == '$') out += arguments[static_cast<std::size_t>(*++p - '0')];
        else if (*p == '@') out += single ? "f" : "";
        else out += *p;
    }
    return out;
}

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
