#include "profiler/compare/blocking_pairs.h"

#include <algorithm>
#include <cmath>

namespace profiler {

std::vector<BlockingPair> blockingPairs(const std::vector<FunctionInfo> &functions, const Costs &costs)
{
    std::vector<BlockingPair> pairs;
    for (const FunctionInfo &function : functions) {
        const FunctionCosts *of = costs.of(function.id);
        if (!of) continue;
        for (const TableRow &row : of->applies.rows) {
            if (!row.blockingNs || row.calls == 0 || row.nodes.empty()) continue;
            const auto perCall = [&row](std::int64_t ns) { return static_cast<double>(ns) / static_cast<double>(row.calls); };
            pairs.push_back({row.nodes.front(), function.id, row.name, row.calls, perCall(row.ns), perCall(*row.blockingNs),
                             row.deviceNs ? perCall(*row.deviceNs) : -1});
        }
    }
    // A run of which all launches waited has the same time as both.
    if (std::all_of(pairs.begin(), pairs.end(), [](const BlockingPair &pair) { return pair.deltaNs() == 0; })) return {};
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const BlockingPair &a, const BlockingPair &b) { return std::abs(a.deltaNs()) > std::abs(b.deltaNs()); });
    return pairs;
}

} // namespace profiler
