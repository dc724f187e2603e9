#include "engine/codegen/kernel_unit.h"

#include "engine/codegen/math_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace engine {
namespace {

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

std::string filledIn(std::string pattern, const KernelParameter &parameter, std::size_t number)
{
    for (const auto &[word, meaning] : {std::pair("@type", parameter.type), {"@name", parameter.name}, {"@at", std::to_string(number)}})
        for (std::size_t at; (at = pattern.find(word)) != std::string::npos;) pattern.replace(at, std::string_view(word).size(), meaning);
    return pattern;
}

class Collector {
public:
    explicit Collector(const DialectWords &words) : m_words(words) {}

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
        // A function of the C library.
        define(name, m_words.builtin + (isSingle && m_words.oneNameForAllFloats ? wide : name).substr(3));
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

    const DialectWords &m_words;
    std::set<std::string> m_known;
    std::string m_text;
};

} // namespace

std::string libraryName(std::string_view name, bool single) { return "th_" + std::string(name) + (single ? "f" : ""); }

std::string libraryOf(Dialect dialect, std::string_view text)
{
    Collector collector(wordsOf(dialect));
    collector.addAll(text);
    return collector.text();
}

std::string kernelUnit(Dialect dialect, std::span<const KernelParameter> parameters, const std::string &body, const std::string &first)
{
    const DialectWords &words = wordsOf(dialect);
    std::string list, locals;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const bool isNumber = parameters[i].type.empty();
        list += filledIn(isNumber ? words.number : words.array, parameters[i], i);
        locals += filledIn(isNumber ? words.numberLocal : words.arrayLocal, parameters[i], i);
    }
    const std::string kernel = "\n" + words.kernel + " croton_kernel_0(" + list + words.lastParameters + ")\n{\n" + locals + first +
                               "    " + words.items + "\n" + body + "    }\n}\n";
    std::string functions = libraryOf(dialect, body);
    if (functions.find("REAL") != std::string::npos) functions = "#define REAL double\n#define INT32 i64\n" + functions;
    std::string prologue = words.prologue;
    if ((functions + kernel).find("double") != std::string::npos) prologue = words.doubles + prologue;
    if ((functions + body).find("Own") != std::string::npos) prologue += words.ownFloats;
    if (functions.find("FN ") != std::string::npos) prologue += "#define FN " + words.function + "\n";
    return prologue + functions + kernel;
}

} // namespace engine
