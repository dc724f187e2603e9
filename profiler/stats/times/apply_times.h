#pragma once
// How the times of one apply spread over its calls: what an inspector draws.

#include "profiler/session/model/model.h"

#include <string>
#include <vector>

namespace profiler {

struct TimesBucket {
    double startNs = 0;
    double endNs = 0;
    std::uint64_t calls = 0;
    double ofFullest = 0; // 0..1
};

// Calls that ran the same way: interpreted or compiled, before or after the last change of that.
struct TimesOfTier {
    std::string tier;
    bool steady = true;
    std::int64_t calls = 0;
    double meanNs = 0;
    double medianNs = 0;
    double p95Ns = 0;
};

struct ApplyTimes {
    std::int64_t calls = 0;
    double minNs = 0;
    double p5Ns = 0;
    double medianNs = 0;
    double p95Ns = 0;
    double p99Ns = 0;
    double maxNs = 0;
    std::vector<TimesBucket> buckets; // side by side, also those without a call; of equal width on a logarithmic axis
    std::vector<TimesOfTier> tiers;   // the one with most calls first

    // Where a time stands between the ends of the buckets, 0..1.
    [[nodiscard]] double placeOf(double ns) const;
};

// All of one apply.
[[nodiscard]] ApplyTimes applyTimes(const std::vector<const ApplyStats *> &stats);

} // namespace profiler
