#pragma once
// A session as one page that needs nothing else: report, graph pictures, steps.

#include "profiler/session/model/model.h"
#include "profiler/stats/times/profile_data.h"

#include <string>
#include <vector>

namespace profiler {

// What the page shows of one function's graph.
struct HtmlGraph {
    FunctionId function = kNoFunction;
    std::string originalSvg; // empty: the text stands in its place
    std::string optimizedSvg;
    std::string originalText;
    std::string optimizedText;
    std::vector<StepInfo> steps;
};

[[nodiscard]] std::string htmlPage(const ProfileData &data, const ScriptInfo &script, const std::vector<HtmlGraph> &graphs);

} // namespace profiler
