#include "profiler/compare/range_pairs.h"

#include "profiler/session/model/function_title.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

namespace profiler {
namespace {

// Gaps have no name: which of the two they are tells them apart.
using RangeKey = std::tuple<TrackKind, bool, bool, std::string, std::string>;

void add(const RangeSide &side, bool isA, std::map<RangeKey, RangePair> &pairs)
{
    std::map<FunctionId, std::string> names;
    for (const FunctionInfo &function : side.functions) names.emplace(function.id, shortTitle(function));
    for (const RangeRow &row : side.sum.rows) {
        const ZoneLabel &label = side.timeline.labels[row.label];
        const std::string &name = names[label.function];
        RangePair &pair = pairs[{row.kind, label.gap, label.notKept, label.name, name}];
        if (pair.countA + pair.countB == 0) {
            pair.kind = row.kind;
            pair.name = label.name;
            pair.function = name;
            pair.label = label;
        }
        (isA ? pair.countA : pair.countB) += row.count;
        (isA ? pair.nsA : pair.nsB) += row.totalNs;
    }
}

} // namespace

std::vector<RangePair> pairRanges(const RangeSide &a, const RangeSide &b)
{
    std::map<RangeKey, RangePair> found;
    add(a, true, found);
    add(b, false, found);
    std::vector<RangePair> pairs;
    pairs.reserve(found.size());
    for (auto &[key, pair] : found) pairs.push_back(std::move(pair));
    std::stable_sort(pairs.begin(), pairs.end(), [](const RangePair &x, const RangePair &y) {
        return x.kind != y.kind ? x.kind < y.kind : std::abs(x.deltaNs()) > std::abs(y.deltaNs());
    });
    return pairs;
}

} // namespace profiler
