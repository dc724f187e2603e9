#include "engine/codegen/dialect.h"

#include "engine/codegen/math_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace engine {
namespace {

// Vectors of twice what platforms take by themselves: long chains of steps overlap.
const std::string kBeside = "#pragma clang loop vectorize(assume_safety) vectorize_width(16)";

struct DialectWords {
    const char *prologue;
    const char *kernel;                                  // before the name of a kernel
    const char *function;                                // before any other function
    std::string loop;                                    // over i
    std::map<std::string, std::string, std::less<>> own; // what it knows under another name, or better than the library
};

const std::string kIsFirst = "FN int th_isFirst(__global i64 *found) { return atomic_cmpxchg((volatile __global int *)found, 0, 1) == 0; }";

// Both ways are computed, so that vectors need not part; at most 2 ulp.
const std::string kTanh =
    "FN float th_tanhf(float x)\n{\n"
    "    const float size = fabs(x), z = x * x;\n"
    "    float p = fma(-5.70498872745e-3f, z, 2.06390887954e-2f);\n"
    "    p = fma(p, z, -5.37397155531e-2f);\n    p = fma(p, z, 1.33314422036e-1f);\n    p = fma(p, z, -3.33332819422e-1f);\n"
    "    const float far = 1.0f - 2.0f / (expOwn(2.0f * size) + 1.0f);\n"
    "    return size < 0.625f ? fma(p * z, x, x) : copysign(far, x);\n}\n";

const DialectWords &wordsOf(Dialect dialect)
{
    static const DialectWords c{
        "typedef void (*Loop)(void *out, const void *const *in, long n);\ntypedef long long i64;\ntypedef unsigned long long u64;\n",
        "void",
        "static inline",
        "for (i64 i = 0; i < n; ++i) {",
        {{"th_inf()", "__builtin_inf()"},
         {"th_inff()", "__builtin_inff()"},
         {"th_nan()", "__builtin_nan(\"\")"},
         {"th_nanf()", "__builtin_nanf(\"\")"},
         {"th_asFloat", "FN float th_asFloat(int bits) { float value; __builtin_memcpy(&value, &bits, 4); return value; }"},
         {"th_asDouble", "FN double th_asDouble(i64 bits) { double value; __builtin_memcpy(&value, &bits, 8); return value; }"},
         {"th_asBits", "FN int th_asBits(float value) { int bits; __builtin_memcpy(&bits, &value, 4); return bits; }"},
         {"th_isFirst", "FN int th_isFirst(i64 *found) { return *found ? 0 : (int)(*found = 1); }"}}};
    static const DialectWords cuda{"typedef long long i64;\ntypedef unsigned long long u64;\n",
                                   "extern \"C\" __global__ void",
                                   "static __device__",
                                   "for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {",
                                   {{"th_inf()", "__longlong_as_double(0x7ff0000000000000LL)"},
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
                                    {"th_erfcinvf", "erfcinvf"}}};
    static const DialectWords openCl{"#pragma OPENCL FP_CONTRACT OFF\ntypedef long i64;\ntypedef ulong u64;\n",
                                     "__kernel void",
                                     "static inline",
                                     "for (i64 i = get_global_id(0); i < n; i += get_global_size(0)) {",
                                     {{"th_inf()", "((double)INFINITY)"},
                                      {"th_inff()", "INFINITY"},
                                      {"th_nan()", "((double)NAN)"},
                                      {"th_nanf()", "NAN"},
                                      {"th_asFloat", "as_float"},
                                      {"th_asDouble", "as_double"},
                                      {"th_asBits", "as_int"},
                                      {"th_isFirst", kIsFirst}}};
    // A processor's vectors hold what is written as plain arithmetic; the platform's own functions may be calls.
    static const DialectWords strips = [] {
        DialectWords words = openCl;
        words.loop =
            std::string("const i64 strip = (n + get_global_size(0) - 1) / get_global_size(0), firstOfStrip = get_global_id(0) * strip,\n"
                        "              endOfStrip = firstOfStrip + strip < n ? firstOfStrip + strip : n;\n") +
            kBeside +
            "\n"
            "    for (i64 i = firstOfStrip; i < endOfStrip; ++i) {";
        words.own["th_expf"] = "expOwn";
        words.own["th_logf"] = "logOwn";
        words.own["th_log1pf"] = "log1pOwn";
        words.own["th_tanhf"] = kTanh;
        return words;
    }();
    switch (dialect) {
    case Dialect::C: return c;
    case Dialect::CudaC: return cuda;
    case Dialect::OpenClC: return openCl;
    default: return strips;
    }
}

// What the text of math_f32 stands on, where the compiler has no such builtins or none for the memory of literals.
constexpr const char *kMathWords = "#define RT_FMAF(a, b, c) fma((float)(a), (float)(b), (float)(c))\n"
                                   "#define bitsToFloat(bits) as_float((int)(bits))\n#define floatToBits(value) as_int((float)(value))\n"
                                   "#define __builtin_fabsf fabs\n#define __builtin_inff() INFINITY\n#define __builtin_nanf(text) NAN\n";

bool isWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::vector<std::string> namesIn(std::string_view text)
{
    std::vector<std::string> names;
    for (std::size_t at = text.find("th_"); at != std::string_view::npos; at = text.find("th_", at)) {
        const bool begins = at == 0 || !isWord(text[at - 1]);
        std::size_t end = at;
        while (end < text.size() && isWord(text[end])) ++end;
        if (begins) names.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return names;
}

std::string generatorText()
{
    std::string text = "#define MRG_INT int\n#define MRG_WORD unsigned int\n" + std::string(kGeneratorText);
    for (const auto &[word, own] : {std::pair<std::string_view, std::string_view>("static inline", "FN"), {"mrgNext", "th_mrgNext"}})
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + own.size()))
            text.replace(at, word.size(), own);
    return text;
}

/// The functions of the library by their names: a blank line begins each.
const std::map<std::string, std::string, std::less<>> &library()
{
    static const auto *const functions = [] {
        auto *result = new std::map<std::string, std::string, std::less<>>;
        for (std::string_view rest : {std::string_view(kIntegersText), std::string_view(kHalfText), std::string_view(kConversionsText),
                                      std::string_view(kLibraryText)})
            while (!rest.empty()) {
                const std::size_t end = std::min(rest.find("\n\n"), rest.size());
                const std::string_view part = rest.substr(0, end);
                rest.remove_prefix(std::min(end + 2, rest.size()));
                const std::size_t begin = part.find("FN ");
                if (begin == std::string_view::npos || (begin > 0 && part[begin - 1] != '\n')) continue;
                result->emplace(namesIn(part.substr(begin)).at(0), part.substr(begin));
            }
        result->emplace("th_mrgNext", generatorText());
        return result;
    }();
    return *functions;
}

class Collector {
public:
    explicit Collector(Dialect dialect) : m_dialect(dialect), m_words(wordsOf(dialect)) {}

    void addAll(std::string_view text)
    {
        for (const std::string &name : namesIn(text))
            if (m_known.insert(name).second) add(name);
    }
    const std::string &text() const { return m_text; }

private:
    void add(const std::string &name)
    {
        if (const auto own = m_words.own.find(name + "()"); own != m_words.own.end()) return define(name + "()", own->second);
        if (const auto own = m_words.own.find(name); own != m_words.own.end())
            return own->second.starts_with("FN ") ? function(own->second) : define(name, own->second);
        const auto written = library().find(name);
        if (written != library().end()) return function(written->second);
        const std::string wide = name.substr(0, name.size() - 1);
        const bool isSingle = name.back() == 'f' && name != "th_erf";
        if (isSingle && (library().count(wide) || isOwnFunction(wide))) return single(name, wide);
        // A function of the C library; OpenCL has one name for all types, and the host's kernels link to nothing.
        const std::string own = (isSingle && isOpenCl(m_dialect) ? wide : name).substr(3);
        define(name, m_dialect == Dialect::C ? "__builtin_" + own : own);
    }
    bool isOwnFunction(const std::string &name) const
    {
        const auto own = m_words.own.find(name);
        return own != m_words.own.end() && own->second.starts_with("FN ");
    }
    // Few of them would be right in floats all along.
    void single(const std::string &name, const std::string &wide)
    {
        addAll(wide);
        const auto written = library().find(wide);
        const std::string &text = written != library().end() ? written->second : m_words.own.find(wide)->second;
        const auto commas = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(')')), ',');
        m_text += commas ? "FN float " + name + "(float x, float y) { return (float)" + wide + "((double)x, (double)y); }\n"
                         : "FN float " + name + "(float x) { return (float)" + wide + "((double)x); }\n";
    }
    void function(const std::string &text)
    {
        addAll(text);
        m_text += text + (text.ends_with('\n') ? "" : "\n");
    }
    void define(const std::string &name, const std::string &meaning) { m_text += "#define " + name + " " + meaning + "\n"; }

    Dialect m_dialect;
    const DialectWords &m_words;
    std::set<std::string> m_known;
    std::string m_text;
};

} // namespace

std::string loopWords(Dialect dialect, ir::LoopKind kind)
{
    std::string word;
    if (kind == ir::LoopKind::Beside && dialect == Dialect::OpenClStrips) word = kBeside;
    if (kind == ir::LoopKind::Unrolled) word = "#pragma unroll";
    if (kind == ir::LoopKind::Reading && dialect != Dialect::C) word = "#pragma unroll 8";
    return word.empty() ? word : word + "\n";
}

std::string libraryName(std::string_view name, bool single) { return "th_" + std::string(name) + (single ? "f" : ""); }

std::string libraryOf(Dialect dialect, std::string_view text)
{
    Collector collector(dialect);
    collector.addAll(text);
    return collector.text();
}

std::string kernelUnit(Dialect dialect, std::span<const KernelParameter> parameters, const std::string &body)
{
    const DialectWords &words = wordsOf(dialect);
    std::string list, locals;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto &[name, type] = parameters[i];
        const std::string number = std::to_string(i);
        switch (dialect) {
        case Dialect::C:
            locals += type.empty() ? "    const i64 " + name + " = *(const i64 *)operands[" + number + "];\n"
                                   : "    " + type + " *" + name + " = operands[" + number + "];\n";
            break;
        case Dialect::CudaC: list += (type.empty() ? "i64 " : type + " *") + name + ", "; break;
        case Dialect::OpenClC:
        case Dialect::OpenClStrips:
            list += type.empty() ? "i64 " + name + ", " : "__global char *b" + number + ", i64 o" + number + ", ";
            if (!type.empty()) {
                const std::string pointer = "__global " + type + " *";
                locals += "    " + pointer + name + " = (" + pointer + ")(b" + number + " + o" + number + ");\n";
            }
            break;
        }
    }
    list = dialect == Dialect::C ? "void *const *operands, const Loop *math, long n" : list + "i64 n";
    const std::string kernel = "\n" + std::string(words.kernel) + " croton_kernel_0(" + list + ")\n{\n" + locals + "    " + words.loop +
                               "\n" + body + "    }\n}\n";
    std::string functions = libraryOf(dialect, body);
    if (functions.find("REAL") != std::string::npos) functions = "#define REAL double\n#define INT32 i64\n" + functions;
    std::string prologue = words.prologue;
    if (isOpenCl(dialect) && (functions + kernel).find("double") != std::string::npos)
        prologue = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" + prologue;
    if (dialect == Dialect::OpenClStrips && (functions + body).find("Own") != std::string::npos)
        prologue += std::string(kMathWords) + kMathF32Text;
    if (functions.find("FN ") != std::string::npos) prologue += "#define FN " + std::string(words.function) + "\n";
    return prologue + functions + kernel;
}

} // namespace engine
