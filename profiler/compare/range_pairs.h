#pragma once
// What took how long in a stretch of each of two sessions, set side by side by what it is.

#include "profiler/session/model/model.h"
#include "profiler/stats/times/timeline.h"

#include <string>
#include <vector>

namespace profiler {

struct RangeSide {
    const Timeline &timeline;
    const RangeSum &sum;
    const std::vector<FunctionInfo> &functions;
};

// Of one kind of track: everything with the same name in the function of the same name.
struct RangePair {
    TrackKind kind = TrackKind::Calls;
    std::string name;
    std::string function; // its name; empty: of none
    ZoneLabel label;      // of the first of them, in A where A has it
    std::int64_t countA = 0;
    std::int64_t countB = 0;
    std::int64_t nsA = 0;
    std::int64_t nsB = 0;
    [[nodiscard]] std::int64_t deltaNs() const { return nsB - nsA; }
};

// By track, then by what differs most.
[[nodiscard]] std::vector<RangePair> pairRanges(const RangeSide &a, const RangeSide &b);

} // namespace profiler
