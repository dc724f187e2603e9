#pragma once
// Which kinds of ops make up the difference of a function between two sessions.

#include "profiler/compare/compare.h"

#include <string>
#include <vector>

namespace profiler {

// Of a call of the function: what its applies take by the statistic of the comparison, which one slow call does not move.
struct ExplainedPart {
    std::string name; // of a class of ops
    double a = 0;
    double b = 0;
    [[nodiscard]] double deltaNs() const { return b - a; }
};

struct Explanation {
    std::string function;
    double a = 0; // in applies, per call: the sum of the parts
    double b = 0;
    std::vector<ExplainedPart> parts; // what changed most first
};

// Of a function that is in both; without parts where it is not, or was never called.
[[nodiscard]] Explanation explain(const Comparison &comparison, const ProfileData &a, const ProfileData &b, const std::string &function);

} // namespace profiler
