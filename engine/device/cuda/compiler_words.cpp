#include "engine/device/cuda/compiler_words.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace engine {
namespace {

/// An option of nvcc, as it is written with one dash or two.
struct Option {
    std::string_view name;
    enum class Value : std::uint8_t { None, Truth, Text } value = Value::None;
    std::string_view reason{}; ///< why it is left out; empty: it is taken
};

constexpr std::string_view kCard = "kernels are compiled for the card that is there";
constexpr std::string_view kHost = "NVRTC compiles kernels only, with no compiler of the host's";
using Value = Option::Value;
constexpr Option kOptions[] = {
    {"use_fast_math"},
    {"ftz", Value::Truth},
    {"prec-div", Value::Truth},
    {"prec-sqrt", Value::Truth},
    {"fmad", Value::Truth},
    {"lineinfo"},
    {"generate-line-info"},
    {"G"},
    {"device-debug"},
    {"w"},
    {"disable-warnings"},
    {"restrict"},
    {"extra-device-vectorization"},
    {"maxrregcount", Value::Text},
    {"std", Value::Text},
    {"dopt", Value::Text},
    {"define-macro", Value::Text},
    {"undefine-macro", Value::Text},
    {"include-path", Value::Text},
    {"Xptxas", Value::Text},
    {"ptxas-options", Value::Text},
    {"arch", Value::Text, kCard},
    {"gpu-architecture", Value::Text, kCard},
    {"gencode", Value::Text, kCard},
    {"generate-code", Value::Text, kCard},
    {"code", Value::Text, kCard},
    {"gpu-code", Value::Text, kCard},
    {"O0", Value::None, "NVRTC always optimizes; -G switches that off"},
    {"O1", Value::None, "NVRTC always optimizes"},
    {"O2", Value::None, "NVRTC always optimizes"},
    {"O3", Value::None, "NVRTC always optimizes"},
    {"optimize", Value::Text, "NVRTC always optimizes"},
    {"Xcompiler", Value::Text, kHost},
    {"compiler-options", Value::Text, kHost},
    {"ccbin", Value::Text, kHost},
    {"compiler-bindir", Value::Text, kHost},
    {"Xlinker", Value::Text, kHost},
    {"linker-options", Value::Text, kHost},
    {"m64", Value::None, kHost},
    {"m32", Value::None, kHost},
    {"shared", Value::None, kHost},
    {"keep", Value::None, "the text of each kernel is in the session"},
    {"v", Value::None, "nothing is printed"},
    {"verbose", Value::None, "nothing is printed"},
};

bool isTruth(std::string_view text) { return text == "true" || text == "false"; }

// -DNAME, -I folder: one letter with its value at once or behind it.
constexpr std::string_view kLetters = "DIU";

} // namespace

CompilerWords compilerWords(const std::vector<std::string> &words)
{
    CompilerWords result;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string &word = words[i];
        const auto next = [&]() -> std::string { return i + 1 < words.size() ? words[++i] : std::string(); };
        if (word.size() < 2 || word[0] != '-') {
            result.left.push_back(word + ": it is no option");
            continue;
        }
        const std::string_view plain = std::string_view(word).substr(word.starts_with("--") ? 2 : 1);
        if (!word.starts_with("--") && kLetters.find(word[1]) != std::string_view::npos) {
            result.taken.push_back(word.size() > 2 ? word : word + next());
            continue;
        }
        if (!word.starts_with("--") && (word[1] == 'l' || word[1] == 'L') && word != "-lineinfo") {
            result.left.push_back(word + ": " + std::string(kHost));
            continue;
        }
        const std::size_t equals = plain.find('=');
        const std::string_view name = plain.substr(0, equals);
        const auto known = std::find_if(std::begin(kOptions), std::end(kOptions), [&](const Option &one) { return one.name == name; });
        if (known == std::end(kOptions)) {
            result.left.push_back(word + ": NVRTC does not know it");
            continue;
        }
        const std::string dashed = word.substr(0, word.size() - plain.size()) + std::string(name);
        std::string value;
        if (known->value != Value::None) value = equals != std::string_view::npos ? std::string(plain.substr(equals + 1)) : next();
        const std::string whole = dashed + (value.empty() ? "" : "=" + value);
        if (!known->reason.empty()) result.left.push_back(whole + ": " + std::string(known->reason));
        else if (known->value == Value::Truth && !isTruth(value)) result.left.push_back(whole + ": it is true or false");
        else if (known->value == Value::Text && value.empty()) result.left.push_back(whole + ": it lacks its value");
        else result.taken.push_back(whole);
    }
    return result;
}

} // namespace engine
