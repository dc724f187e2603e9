#include "profiler/compare/range_pairs.h"

#include "profiler/session/function_title.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

namespace profiler {
namespace {

// Gaps have no name: which of the two they are tells them apart.
using RangeKey = std::tuple<TrackKind, bool, bool, std::string, std::string>;

std::string nameIn(const std::vector<FunctionInfo> &functions, FunctionId id)
{
    const auto found = std::find_if(functions.begin(), functions.end(), [id](const FunctionInfo &one) { return one.id == id; });
    return id == kNoFunction || found == functions.end() ? std::string() : shortTitle(*found);
}

void add(const RangeSide &side, bool isA, std::map<RangeKey, RangePair> &pairs)
{
    std::map<FunctionId, std::string> names;
    for (const RangeRow &row : side.sum.rows) {
        const ZoneLabel &label = side.timeline.labels[row.label];
        const auto [name, isNew] = names.try_emplace(label.function);
        if (isNew) name->second = nameIn(side.functions, label.function);
        RangePair &pair = pairs[{row.kind, label.gap, label.notKept, label.name, name->second}];
        if (pair.countA + pair.countB == 0) {
            pair.kind = row.kind;
            pair.name = label.name;
            pair.function = name->second;
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
