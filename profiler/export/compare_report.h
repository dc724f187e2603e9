#pragma once
// A comparison as text and as JSON.

#include "profiler/compare/compare.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace profiler {

struct CompareReportOptions {
    int rows = 20;
    std::size_t width = 80; // of names
};

[[nodiscard]] std::string compareReport(const Comparison &comparison, const CompareReportOptions &options = {});
[[nodiscard]] nlohmann::json compareJson(const Comparison &comparison);

} // namespace profiler
