#pragma once
// Where the digits went, as text and as JSON.

#include "profiler/stats/advice/digits.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace profiler {

struct ValuesReport {
    std::string function; // its name; empty: an expression
    std::string inputs;   // "x: float64 (4,)"; empty: not said
    std::vector<ValuesOfSide> sides;
    ValueLines lines;
};

[[nodiscard]] std::string valuesReport(const ValuesReport &report);
[[nodiscard]] nlohmann::ordered_json valuesJson(const ValuesReport &report);

} // namespace profiler
