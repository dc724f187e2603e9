#pragma once
// The memory of one call of a function, as its plan lays it out: every piece of memory with its life, and what holds the peak.

#include "profiler/memory/memory.h"
#include "profiler/stats/times/profile_data.h"

#include <map>
#include <string>
#include <vector>

namespace profiler {

// One piece of memory: what is made there first, and all that views it or is written over it.
struct Lifetime {
    VariableId variable = kNoVariable; // made there first
    ApplyKey maker;                    // kNoApply: an input, a shared variable or a constant
    int from = 0;                      // first and last position in the order of execution
    int to = 0;
    std::int64_t bytes = 0;
    std::int64_t offset = -1; // in the arena; -1: outside of it
    BufferKind kind = BufferKind::Created;
    std::string device;
    std::string shape;
    bool counted = true; // in the peak: memory that the call itself takes
    bool atPeak = false; // lives when most is held
    double shareOfPeak = 0;
    std::vector<int> overwritten;    // positions at which something is written over it
    std::vector<VariableId> sharers; // views and what was written over it
};

struct CallMemory {
    PlanInfo plan; // of no function: no call was planned
    int plans = 0; // of the function: one per set of shapes
    MemoryReport report;
    std::map<std::string, std::int64_t> devicePeaks; // each by itself, the host's as "cpu"; the report has all of them together
    std::vector<Lifetime> lifetimes;                 // counted ones first, then by bytes
    std::vector<ApplyKey> order;                     // by position
    std::int64_t arenaUsed = 0;                      // end of the highest piece in the arena
    std::int64_t scaleBytes = 1;                     // what a picture reaches to: so far that what is held fills a third of it at least
};

[[nodiscard]] CallMemory callMemory(const ProfileData &data, FunctionId function);

} // namespace profiler
