#include "profiler/stats/times/slow_lines.h"

#include "profiler/session/model/function_title.h"
#include "profiler/stats/times/ground.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace profiler {

namespace {

constexpr std::size_t kLongestOp = 40;
constexpr double kLeastPercent = 0.05; // less is 0.0% in a table

// The exact name where it is short, else one that says less.
std::string shortOpName(const ApplyRow &apply)
{
    if (apply.op.size() <= kLongestOp) return apply.op;
    return apply.friendly.empty() || apply.friendly.size() > kLongestOp ? classNameOf(apply.opClass) : apply.friendly.str();
}

std::vector<LineOp> opsOf(const LineRow &line, const std::unordered_map<ApplyKey, const ApplyRow *, ApplyKeyHash> &applies)
{
    struct Part {
        std::int64_t ns = 0;
        bool isPython = false;
    };
    std::map<std::string, Part> parts;
    for (std::size_t i = 0; i < line.nodes.size(); ++i) {
        const auto found = applies.find(line.nodes[i]);
        if (found == applies.end()) continue;
        Part &part = parts[shortOpName(*found->second)];
        part.ns += line.nodeNs[i];
        part.isPython = part.isPython || found->second->implementation == "Py";
    }
    std::vector<LineOp> ops;
    for (const auto &[name, part] : parts) ops.push_back({name, ratio(part.ns, line.ns), part.isPython});
    std::ranges::stable_sort(ops, std::ranges::greater(), &LineOp::share);
    return ops;
}

// What names the line comes before what names an apply of it, and then what saves more.
const Advice *reasonOf(const LineRow &line, std::span<const Advice> advice)
{
    const std::set<ApplyKey> nodes(line.nodes.begin(), line.nodes.end());
    const auto fit = [&](const Advice &one) {
        if (one.place.line > 0 && one.place == line.source) return 2;
        return std::ranges::any_of(one.nodes, [&](const ApplyKey &node) { return nodes.contains(node); }) ? 1 : 0;
    };
    const Advice *best = nullptr;
    int bestFit = 0;
    for (const Advice &one : advice) {
        const int fits = one.of.ends_with("peak") ? 0 : fit(one); // memory is no reason for time
        if (fits > bestFit || (fits > 0 && fits == bestFit && one.gain > best->gain)) {
            best = &one;
            bestFit = fits;
        }
    }
    return best;
}

} // namespace

std::vector<SlowLine> slowLines(const ProfileData &data, const TableScope &scope, std::span<const Advice> advice, std::size_t most)
{
    std::unordered_map<ApplyKey, const ApplyRow *, ApplyKeyHash> applies;
    for (const ApplyRow &apply : data.applies) applies.emplace(ApplyKey{apply.graph, apply.apply}, &apply);
    std::vector<SlowLine> slowest;
    for (LineRow &row : lineTable(data, scope)) {
        if (slowest.size() == most) break;
        if (row.source.line <= 0 || row.isPassed() || row.percent < kLeastPercent) continue;
        SlowLine line;
        line.nsPerCall = ratio(row.ns, row.calls);
        line.ops = opsOf(row, applies);
        line.reason = reasonOf(row, advice);
        line.row = std::move(row);
        slowest.push_back(std::move(line));
    }
    return slowest;
}

} // namespace profiler
