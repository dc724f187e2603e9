#include "profiler/stats/machine/headroom_parts.h"

#include <algorithm>

namespace profiler {

std::vector<HeadroomShare> headroomShares(const Headroom &headroom, std::size_t most)
{
    std::vector<HeadroomShare> shares;
    HeadroomShare others{HeadroomPart::Others, nullptr, 0, 0, 0}, unknown{HeadroomPart::Unknown, nullptr, 0, 0, 0};
    for (const ApplyRoof &row : headroom.applies) { // by what the roof would save
        if (row.bound != Bound::Unknown && shares.size() < most && row.gainNs() > 0) {
            shares.push_back({HeadroomPart::Apply, &row, 1, row.nowNs, row.leastNs});
            continue;
        }
        HeadroomShare &sum = row.bound == Bound::Unknown ? unknown : others;
        ++sum.applies;
        sum.nowNs += row.nowNs;
        sum.leastNs += row.leastNs;
    }
    for (const HeadroomShare &rest : {others, unknown, {HeadroomPart::Around, nullptr, 0, headroom.aroundNs, headroom.aroundNs}})
        if (rest.nowNs > 0) shares.push_back(rest);
    return shares;
}

} // namespace profiler
