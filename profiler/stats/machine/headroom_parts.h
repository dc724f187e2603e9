#pragma once
// Of what the time of a call is made, so that one sees where it differs from that at the roofs.

#include "profiler/stats/machine/headroom.h"

#include <vector>

namespace profiler {

enum class HeadroomPart : std::uint8_t { Apply, Others, Unknown, Around };

struct HeadroomShare {
    HeadroomPart part = HeadroomPart::Apply;
    const ApplyRoof *apply = nullptr; // of Apply
    std::int64_t applies = 0;         // that it stands for
    double nowNs = 0, leastNs = 0;
    [[nodiscard]] double gainNs() const { return nowNs - leastNs; }
};

// Applies that could save most, at most so many of them; the others with a bound together; those without; what is around the applies.
// They add up to the call, now and at the roofs. Parts without time are left out.
[[nodiscard]] std::vector<HeadroomShare> headroomShares(const Headroom &headroom, std::size_t most);

} // namespace profiler
