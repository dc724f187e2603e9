#include "profiler/compare/compare.h"

#include "profiler/compare/pairing.h"
#include "profiler/compare/significance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace profiler {

namespace {

constexpr std::size_t kBlocks = 200;        // samples of one apply that a test sees
constexpr std::size_t kLeastForShift = 4;   // applies that must agree on a shift
constexpr double kShiftNs = 200;            // shorter ones say little about the machine

// What one session knows of single calls and sums.
struct Side {
    const ProfileData &data;
    std::unordered_map<ApplyKey, std::vector<double>, ApplyKeyHash> applySamples;
    std::map<FunctionId, std::vector<double>> callSamples;
    std::unordered_map<ApplyKey, std::pair<std::int64_t, std::int64_t>, ApplyKeyHash> sums; // calls, ns
    std::unordered_map<ApplyKey, std::int64_t, ApplyKeyHash> bytes;
    std::map<FunctionId, std::int64_t> thunks;

    Side(const ProfileData &from, const std::vector<Event> &events) : data(from) {
        for (const Event &event : events) {
            const auto ns = static_cast<double>(event.durationNs);
            if (event.kind == EventKind::Apply)
                applySamples[{event.graph, event.apply}].push_back(ns);
            else if (event.kind == EventKind::Call)
                callSamples[event.function].push_back(ns);
        }
        std::unordered_map<ApplyKey, bool, ApplyKeyHash> steady;
        for (const ApplyStats &stats : data.stats)
            if (stats.steady && stats.calls > 0)
                steady[{stats.graph, stats.apply}] = true;
        for (const ApplyStats &stats : data.stats) {
            const ApplyKey key{stats.graph, stats.apply};
            if (!stats.steady && steady.contains(key))
                continue;
            sums[key].first += stats.calls;
            sums[key].second += stats.totalNs;
            thunks[stats.function] += stats.totalNs;
        }
        for (const FunctionInfo &function : data.functions)
            for (const BufferRow &row : mainPlanBuffers(data, function.id))
                if (row.apply != kNoApply)
                    bytes[{row.graph, row.apply}] += row.bytes;
    }

    [[nodiscard]] ComparedSide apply(int index, std::vector<double> &samples) const {
        if (index < 0)
            return {};
        const ApplyRow &row = data.applies[static_cast<std::size_t>(index)];
        const ApplyKey key{row.graph, row.apply};
        ComparedSide side;
        side.present = true;
        side.name = row.label.empty() ? row.op : row.label;
        if (const auto found = sums.find(key); found != sums.end())
            std::tie(side.calls, side.ns) = found->second;
        if (const auto found = bytes.find(key); found != bytes.end())
            side.bytes = found->second;
        if (const auto found = applySamples.find(key); found != applySamples.end())
            samples = inBlocks(found->second, kBlocks);
        finish(side, samples);
        return side;
    }
    [[nodiscard]] ComparedSide function(int index, std::vector<double> &samples) const {
        if (index < 0)
            return {};
        const FunctionInfo &function = data.functions[static_cast<std::size_t>(index)];
        ComparedSide side;
        side.present = true;
        side.name = function.name;
        side.calls = function.run.calls;
        side.ns = function.run.totalNs;
        const PlanInfo plan = mainPlan(data, function.id);
        side.bytes = plan.measuredPeakBytes >= 0    ? plan.measuredPeakBytes
                     : plan.function == function.id ? plan.peakBytes
                                                    : -1;
        if (const auto found = callSamples.find(function.id); found != callSamples.end())
            samples = inBlocks(found->second, kBlocks);
        finish(side, samples);
        return side;
    }

private:
    static void finish(ComparedSide &side, const std::vector<double> &samples) {
        side.samples = samples.size();
        if (!samples.empty())
            side.nsPerCall = medianOf(samples);
        else if (side.calls > 0)
            side.nsPerCall = static_cast<double>(side.ns) / static_cast<double>(side.calls);
    }
};

struct Tested {
    ComparedRow row;
    std::vector<double> a;
    std::vector<double> b;
};

// The value below which half of the weight lies.
double weightedMedian(std::vector<std::pair<double, double>> values) {
    std::sort(values.begin(), values.end());
    double whole = 0;
    for (const auto &[value, weight] : values)
        whole += weight;
    double below = 0;
    for (const auto &[value, weight] : values)
        if ((below += weight) >= whole / 2)
            return value;
    return 0;
}

// Time that all applies lost or won alike, as a factor: the many small ones and the few large ones have to agree.
double shiftOf(const std::vector<Tested> &rows, const CompareOptions &options) {
    std::vector<double> ratios;
    std::vector<std::pair<double, double>> weighted;
    for (const Tested &one : rows)
        if (one.a.size() >= 8 && one.b.size() >= 8 && one.row.a.nsPerCall >= kShiftNs &&
            one.row.b.nsPerCall >= kShiftNs) {
            ratios.push_back(std::log(one.row.b.nsPerCall / one.row.a.nsPerCall));
            weighted.emplace_back(ratios.back(), one.row.a.nsPerCall);
        }
    if (ratios.size() < kLeastForShift)
        return 1;
    const double byCount = medianOf(ratios);
    const double byTime = weightedMedian(std::move(weighted));
    if (byCount * byTime <= 0)
        return 1;
    const double shift = std::exp(std::abs(byCount) < std::abs(byTime) ? byCount : byTime);
    const double size = std::abs(shift - 1);
    return size >= options.leastShift && size <= options.machineShift ? shift : 1;
}

void test(std::vector<Tested> &rows, double shift, const CompareOptions &options) {
    std::vector<double> p;
    std::vector<Tested *> tested;
    for (Tested &one : rows) {
        ComparedRow &row = one.row;
        if (!row.a.present || !row.b.present)
            continue;
        row.deltaNs = row.b.nsPerCall / shift - row.a.nsPerCall;
        row.relative = row.a.nsPerCall > 0 ? row.deltaNs / row.a.nsPerCall : 0;
        if (row.a.bytes >= 0 && row.b.bytes >= 0)
            row.deltaBytes = row.b.bytes - row.a.bytes;
        for (double &value : one.b)
            value /= shift;
        p.push_back(mannWhitney(one.a, one.b));
        tested.push_back(&one);
    }
    const std::vector<double> adjusted = holm(p);
    for (std::size_t i = 0; i < tested.size(); ++i) {
        ComparedRow &row = tested[i]->row;
        row.p = adjusted[i];
        row.significant = row.p < options.level && std::abs(row.relative) >= options.leastRelative &&
                          std::abs(row.relative) * row.share >= options.leastOfFunction &&
                          std::abs(row.deltaNs) >= options.leastNs;
    }
}

std::vector<Difference> differences(const ProfileData &a, const ProfileData &b) {
    std::map<std::string, Difference> all;
    for (const Flag &flag : a.flags)
        all[flag.name].a = flag.value;
    for (const Flag &flag : b.flags)
        all[flag.name].b = flag.value;
    for (const NameValue &fact : a.machine)
        all["machine: " + fact.name].a = fact.value;
    for (const NameValue &fact : b.machine)
        all["machine: " + fact.name].b = fact.value;
    std::vector<Difference> result;
    for (auto &[name, one] : all)
        if (one.a != one.b)
            result.push_back({name, one.a, one.b});
    return result;
}

double shareOf(const Side &side, FunctionId function, const ComparedSide &apply) {
    const auto found = side.thunks.find(function);
    if (found == side.thunks.end() || found->second == 0)
        return 0;
    return static_cast<double>(apply.ns) / static_cast<double>(found->second);
}

} // namespace

Comparison compareSessions(const ProfileData &a, const std::vector<Event> &samplesA,
                           const ProfileData &b, const std::vector<Event> &samplesB,
                           const CompareOptions &options) {
    const Side left(a, samplesA);
    const Side right(b, samplesB);
    std::vector<Tested> functions;
    std::vector<Tested> applies;
    for (const FunctionPair &pair : pairFunctions(a, b)) {
        const FunctionInfo *fa = pair.a < 0 ? nullptr : &a.functions[static_cast<std::size_t>(pair.a)];
        const FunctionInfo *fb = pair.b < 0 ? nullptr : &b.functions[static_cast<std::size_t>(pair.b)];
        Tested whole;
        whole.row.function = fa ? fa->name : fb->name;
        whole.row.a = left.function(pair.a, whole.a);
        whole.row.b = right.function(pair.b, whole.b);
        whole.row.share = 1;
        const std::string name = whole.row.function;
        functions.push_back(std::move(whole));
        for (const ApplyPair &one : pairApplies(a, fa ? fa->graph : kNoGraph, b, fb ? fb->graph : kNoGraph)) {
            Tested apply;
            apply.row.function = name;
            apply.row.a = left.apply(one.a, apply.a);
            apply.row.b = right.apply(one.b, apply.b);
            const auto keyOf = [](const ProfileData &data, int index) {
                const ApplyRow &row = data.applies[static_cast<std::size_t>(index)];
                return ApplyKey{row.graph, row.apply};
            };
            if (one.a >= 0) {
                apply.row.applyA = keyOf(a, one.a);
                apply.row.share = shareOf(left, fa->id, apply.row.a);
            }
            if (one.b >= 0) {
                apply.row.applyB = keyOf(b, one.b);
                apply.row.share = std::max(apply.row.share, shareOf(right, fb->id, apply.row.b));
            }
            applies.push_back(std::move(apply));
        }
    }
    Comparison result;
    result.machineShift = shiftOf(applies, options);
    test(functions, result.machineShift, options);
    test(applies, result.machineShift, options);
    for (Tested &one : functions)
        result.functions.push_back(std::move(one.row));
    for (Tested &one : applies)
        result.applies.push_back(std::move(one.row));
    std::stable_sort(result.applies.begin(), result.applies.end(),
                     [](const ComparedRow &x, const ComparedRow &y) {
                         const bool both = x.a.present && x.b.present;
                         if (both != (y.a.present && y.b.present))
                             return both;
                         if (!both)
                             return x.a.ns + x.b.ns > y.a.ns + y.b.ns;
                         return std::abs(x.deltaNs) > std::abs(y.deltaNs);
                     });
    for (const ComparedRow &row : result.applies)
        result.alarms += row.significant ? 1 : 0;
    result.settings = differences(a, b);
    return result;
}

double worstRegression(const Comparison &comparison, double leastShare) {
    double worst = 0;
    for (const auto *rows : {&comparison.functions, &comparison.applies})
        for (const ComparedRow &row : *rows) {
            if (row.significant && row.share >= leastShare)
                worst = std::max(worst, row.relative);
            if (rows == &comparison.functions && row.a.bytes > 0)
                worst = std::max(worst, static_cast<double>(row.deltaBytes) / static_cast<double>(row.a.bytes));
        }
    return worst;
}

} // namespace profiler
