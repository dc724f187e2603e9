#pragma once
// What a session answers when a lesson asks.

#include "profiler/session/model/ids.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

enum class ValueUnit { Count, Percent, Nanoseconds, Bytes };

struct Value {
    enum class Kind { Number, Text, Nodes, List };
    Kind kind = Kind::Number;
    double number = 0;
    ValueUnit unit = ValueUnit::Count;
    std::string text;
    std::set<ApplyId> nodes;
    std::vector<std::string> list;
    std::vector<std::string> sizes; // of a list, where it is known by what it is ordered: "12.3 % of the time"

    static Value of(double number, ValueUnit unit = ValueUnit::Count) { return {Kind::Number, number, unit, {}, {}, {}, {}}; }
    static Value of(std::string text) { return {Kind::Text, 0, ValueUnit::Count, std::move(text), {}, {}, {}}; }
    static Value of(std::set<ApplyId> nodes) { return {Kind::Nodes, 0, ValueUnit::Count, {}, std::move(nodes), {}, {}}; }
    static Value of(std::vector<std::string> list, std::vector<std::string> sizes = {})
    {
        return {Kind::List, 0, ValueUnit::Count, {}, {}, std::move(list), std::move(sizes)};
    }
    [[nodiscard]] bool isNumber() const { return kind == Kind::Number; }
};

// As it stands in a text: "67", "41.2 %", "1.74 ms", "2.51 MB"; of nodes how many there are.
[[nodiscard]] std::string textOf(const Value &value);
// In one unit of the kind ("ms"): what a question that asks in it is answered with.
[[nodiscard]] std::string textIn(const Value &value, const std::string &unit);
// The units of a kind, the usual one first; a count has none.
[[nodiscard]] std::vector<std::string> unitsOf(ValueUnit unit);
// What a person typed: "1.7 ms", "1,234", "41 %"; a number without a unit is in `in`. Nothing when it is no number or of another kind.
[[nodiscard]] std::optional<double> readNumber(std::string_view text, ValueUnit unit, const std::string &in = {});

} // namespace profiler
