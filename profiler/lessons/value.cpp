#include "profiler/lessons/value.h"

#include "profiler/export/format.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

namespace profiler {

namespace {

struct Unit {
    const char *name;
    double size;
};
constexpr Unit kTimes[] = {{"us", 1e3}, {"ns", 1}, {"ms", 1e6}, {"s", 1e9}};
constexpr Unit kBytes[] = {{"bytes", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1024}, {"MiB", 1048576}};
constexpr Unit kPercents[] = {{"%", 1}};

std::span<const Unit> unitsIn(ValueUnit unit)
{
    switch (unit) {
    case ValueUnit::Nanoseconds: return kTimes;
    case ValueUnit::Bytes: return kBytes;
    case ValueUnit::Percent: return kPercents;
    case ValueUnit::Count: break;
    }
    return {};
}

const Unit *find(ValueUnit unit, std::string_view name)
{
    for (const Unit &each : unitsIn(unit))
        if (name == each.name) return &each;
    return nullptr;
}

// Three digits that count, and no zeros behind a point.
std::string digits(double number)
{
    if (number == std::round(number) && std::abs(number) < 1e15) return format("%.0f", number);
    const double size = std::abs(number);
    std::string text = format(size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3g", number);
    if (text.find('.') != std::string::npos && text.find('e') == std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
    }
    return text;
}

} // namespace

std::string textIn(const Value &value, const std::string &unit)
{
    const Unit *in = find(value.unit, unit);
    return in ? digits(value.number / in->size) + " " + in->name : digits(value.number);
}

std::string textOf(const Value &value)
{
    switch (value.kind) {
    case Value::Kind::Text: return value.text;
    case Value::Kind::Nodes: return std::to_string(value.nodes.size());
    case Value::Kind::List: {
        std::string all;
        for (const std::string &each : value.list) all += (all.empty() ? "" : ", ") + each;
        return all;
    }
    case Value::Kind::Number: break;
    }
    const double size = std::abs(value.number);
    switch (value.unit) {
    case ValueUnit::Percent: return digits(std::round(value.number * 10) / 10) + " %";
    case ValueUnit::Nanoseconds: return textIn(value, size >= 1e9 ? "s" : size >= 1e6 ? "ms" : size >= 1e3 ? "us" : "ns");
    case ValueUnit::Bytes: return textIn(value, size >= 1e9 ? "GB" : size >= 1e6 ? "MB" : size >= 1e4 ? "kB" : "bytes");
    case ValueUnit::Count: break;
    }
    return digits(value.number);
}

std::vector<std::string> unitsOf(ValueUnit unit)
{
    std::vector<std::string> names;
    for (const Unit &each : unitsIn(unit)) names.emplace_back(each.name);
    return names;
}

std::optional<double> readNumber(std::string_view text, ValueUnit unit, const std::string &in)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool groups = text[i] == ',' && i + 3 < text.size() && i > 0 && std::isdigit(text[i + 1]) && std::isdigit(text[i + 2]) &&
                            std::isdigit(text[i + 3]) && (i + 4 == text.size() || !std::isdigit(text[i + 4]));
        if (groups) continue;
        plain += text[i] == ',' ? '.' : text[i]; // "1,5" as the French write it
    }
    const char *begin = plain.c_str();
    char *end = nullptr;
    const double number = std::strtod(begin, &end);
    if (end == begin || !std::isfinite(number)) return std::nullopt;
    std::string word = end;
    std::erase_if(word, [](char c) { return c == ' ' || c == '\t'; });
    if (word == "\xc2\xb5s") word = "us"; // the micro sign
    if (word == "percent") word = "%";
    if (word.empty()) {
        const Unit *assumed = find(unit, in);
        const std::span<const Unit> all = unitsIn(unit);
        return number * (assumed ? assumed->size : all.empty() ? 1 : all.front().size);
    }
    const Unit *named = find(unit, word);
    if (!named) return std::nullopt;
    return number * named->size;
}

} // namespace profiler
