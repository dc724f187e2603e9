// The conditions of rules in words. The README of this folder lists them.
#include "engine/rewrite/machine/rule_terms.h"

#include "engine/rewrite/machine/build.h"
#include "engine/rewrite/machine/predicates.h"
#include "engine/rewrite/stabilize/loggable.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace engine {
namespace {

/// Each reader multiplies it or divides it by something.
bool isOnlyScaled(VarHandle v)
{
    return std::all_of(v.clients().begin(), v.clients().end(), [&](const Client &client) {
        if (client.isGraphOutput()) return false;
        const Elemwise *reader = elemwiseOf(NodeHandle(v.graph(), client.apply));
        return reader && (reader->is(ScalarCode::Mul) || (reader->is(ScalarCode::TrueDiv) && client.port == 0));
    });
}

struct Property {
    std::string_view words;
    bool (*holds)(VarHandle);
    bool byDType = false;
};
constexpr Property kProperties[] = {
    {"float", [](VarHandle v) { return isFloatType(v); }, true},
    {"an integer", [](VarHandle v) { return isDiscrete(v.dtype()); }, true},
    {"bool", [](VarHandle v) { return v.dtype() == DType::Bool; }, true},
    {"complex", [](VarHandle v) { return isComplex(v.dtype()); }, true},
    {"unsigned", [](VarHandle v) { return isUnsignedInteger(v.dtype()); }, true},
    {"a scalar", [](VarHandle v) { return v.rank() == 0; }},
    {"a constant", [](VarHandle v) { return v.isConstant(); }},
    {"a number", [](VarHandle v) { return constantValue(v).has_value(); }},
    {"even",
     [](VarHandle v) {
         const auto value = constantValue(v);
         return value && *value != 0 && std::fmod(*value, 2) == 0;
     }},
    {"a size", [](VarHandle v) { return isSize(v); }},
    {"never negative", isNeverNegative},
    {"a logarithm", isLogarithm},
    {"only multiplied or divided", isOnlyScaled},
    {"of a safe logarithm", [](VarHandle v) { return isLoggable(v); }},
};

struct Comparison {
    std::string_view words;
    bool (*holds)(double, double);
};
constexpr Comparison kComparisons[] = {
    {"above ", [](double a, double b) { return a > b; }},    {"below ", [](double a, double b) { return a < b; }},
    {"at most ", [](double a, double b) { return a <= b; }}, {"at least ", [](double a, double b) { return a >= b; }},
    {"", [](double a, double b) { return a == b; }},
};

struct Likeness {
    std::string_view words;
    bool (*holds)(VarHandle, VarHandle);
};
constexpr Likeness kLikenesses[] = {
    {"type", [](VarHandle a, VarHandle b) { return a.type() == b.type(); }},
    {"dtype", [](VarHandle a, VarHandle b) { return a.dtype() == b.dtype(); }},
    {"value",
     [](VarHandle a, VarHandle b) {
         const auto value = constantValue(a);
         return value && value == constantValue(b);
     }},
    {"shape", [](VarHandle a, VarHandle b) { return a.type().withDType(b.dtype()) == b.type(); }},
};

bool take(std::string_view &words, std::string_view start)
{
    if (!words.starts_with(start)) return false;
    words.remove_prefix(start.size());
    return true;
}

/// What follows "made by": names with commas and "or".
std::vector<ScalarCode> functionsOf(std::string_view words)
{
    std::vector<ScalarCode> codes;
    while (!words.empty()) {
        const std::size_t end = words.find_first_of(" ,");
        const std::string_view name = words.substr(0, end);
        words.remove_prefix(end == std::string_view::npos ? words.size() : std::min(words.find_first_not_of(" ,", end), words.size()));
        if (name == "or") continue;
        const ScalarOpPtr function = findScalarOp(name);
        if (!function) return {};
        codes.push_back(function->code());
    }
    return codes;
}

/// What comes after "is"; `wanted` is false after "is not".
std::function<bool(VarHandle, VarHandle)> conditionOf(std::string_view words, bool wanted)
{
    for (const Property &property : kProperties)
        if (property.words == words) return [holds = property.holds, wanted](VarHandle v, VarHandle) { return holds(v) == wanted; };
    if (take(words, "made by "))
        if (const std::vector<ScalarCode> codes = functionsOf(words); !codes.empty())
            return [codes, wanted](VarHandle v, VarHandle) {
                return wanted == std::any_of(codes.begin(), codes.end(), [&](ScalarCode code) { return madeBy(v, code).has_value(); });
            };
    for (const Comparison &comparison : kComparisons) {
        std::string_view rest = words;
        double number = 0;
        if (!take(rest, comparison.words)) continue;
        const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        if (read.ec != std::errc() || read.ptr != rest.data() + rest.size()) continue;
        return [holds = comparison.holds, number, wanted](VarHandle v, VarHandle) {
            const auto value = constantValue(v);
            return value && holds(*value, number) == wanted;
        };
    }
    return {};
}

} // namespace

Guard readGuard(const std::string &text, const SlotOf &slotOf)
{
    std::string_view words = text;
    const std::string subject(words.substr(0, words.starts_with("the result ") ? 10 : words.find(' ')));
    words.remove_prefix(std::min(subject.size() + 1, words.size()));
    Guard guard;
    guard.subject = slotOf(subject);
    if (words == "has no other client") {
        guard.holds = [](VarHandle v, VarHandle) { return v.hasOneClient(); };
        guard.missing = subject + " has other readers";
        return guard;
    }
    if (take(words, "has the "))
        for (const Likeness &likeness : kLikenesses) {
            std::string_view rest = words;
            if (!take(rest, likeness.words) || !take(rest, " of ")) continue;
            guard.other = slotOf(std::string(rest));
            guard.holds = likeness.holds;
            guard.missing = subject + " has another " + std::string(likeness.words) + " than " + std::string(rest);
            return guard;
        }
    if (take(words, "is ")) {
        const bool isNot = take(words, "not ");
        if ((guard.holds = conditionOf(words, !isNot))) {
            const bool byDType = std::any_of(std::begin(kProperties), std::end(kProperties),
                                             [&](const Property &p) { return p.byDType && p.words == words; });
            guard.missing = subject + (isNot ? " is " : " is not ") + std::string(words);
            for (int dtype = 0; byDType && dtype < kDTypeCount; ++dtype)
                guard.missingOf.push_back(subject + " is " + std::string(nameOf(static_cast<DType>(dtype))) +
                                          (isNot ? "" : ", not " + std::string(words)));
            return guard;
        }
    }
    throw InternalError("the words \"" + text + "\" mean nothing to rules");
}

} // namespace engine
