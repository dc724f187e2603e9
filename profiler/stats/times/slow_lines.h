#pragma once
// The lines that cost most, with the ops that run there and the advice that is about them.

#include "profiler/stats/advice/advice.h"
#include "profiler/stats/times/tables.h"

#include <span>
#include <string>
#include <vector>

namespace profiler {

struct LineOp {
    std::string name;
    double share = 0; // of the line's time, 0..1
    bool isPython = false;
};

struct SlowLine {
    LineRow row;
    double nsPerCall = 0;           // the mean
    std::vector<LineOp> ops;        // the slowest first
    const Advice *reason = nullptr; // among those given: what says why it is slow
};

// At most so many lines with time of their own, the slowest first. What stems from no line, and what would read as 0.0%, is left out.
[[nodiscard]] std::vector<SlowLine> slowLines(const ProfileData &data, const TableScope &scope, std::span<const Advice> advice,
                                              std::size_t most);

} // namespace profiler
