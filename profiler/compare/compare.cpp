#include "profiler/compare/compare.h"

#include "profiler/compare/compare_side.h"
#include "profiler/compare/pairing.h"
#include "profiler/compare/significance.h"
#include "profiler/session/model/function_title.h"
#include "profiler/session/store/reader.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace profiler {

namespace {

constexpr std::size_t kLeastForShift = 4; // applies that must agree on a shift
constexpr double kAgreement = 0.03;       // how far from a shift one that agrees may be
constexpr double kMostAgree = 0.7;        // of the applies
constexpr double kShiftNs = 200;          // shorter ones say little about the machine

struct Tested {
    ComparedRow row;
    std::vector<double> a;
    std::vector<double> b;
    double least = 0; // relative change that may count
    double level = 0; // of p
};

// The value below which half of the weight lies.
double weightedMedian(std::vector<std::pair<double, double>> values)
{
    std::sort(values.begin(), values.end());
    double whole = 0;
    for (const auto &[value, weight] : values) whole += weight;
    double below = 0;
    for (const auto &[value, weight] : values)
        if ((below += weight) >= whole / 2) return value;
    return 0;
}

// Time that all applies lost or won alike, as a factor: the many small ones and the few large ones have to agree.
double shiftOf(const std::vector<Tested> &rows, const CompareOptions &options)
{
    std::vector<double> ratios;
    std::vector<std::pair<double, double>> weighted;
    for (const Tested &one : rows)
        if (one.a.size() >= 8 && one.b.size() >= 8 && one.row.a.nsPerCall >= kShiftNs && one.row.b.nsPerCall >= kShiftNs) {
            ratios.push_back(std::log(one.row.b.nsPerCall / one.row.a.nsPerCall));
            weighted.emplace_back(ratios.back(), one.row.a.nsPerCall);
        }
    if (ratios.size() < kLeastForShift) return 1;
    const double byCount = medianOf(ratios);
    const double byTime = weightedMedian(std::move(weighted));
    if (byCount * byTime <= 0) return 1;
    const double shift = std::exp(std::abs(byCount) < std::abs(byTime) ? byCount : byTime);
    const auto agreeing =
        std::count_if(ratios.begin(), ratios.end(), [&](double one) { return std::abs(one - std::log(shift)) < kAgreement; });
    if (static_cast<double>(agreeing) < kMostAgree * static_cast<double>(ratios.size())) return 1;
    const double size = std::abs(shift - 1);
    return size >= options.leastShift && size <= options.mostShift ? shift : 1;
}

void test(std::vector<Tested> &rows, double shift, const CompareOptions &options)
{
    std::vector<double> p;
    std::vector<Tested *> tested;
    for (Tested &one : rows) {
        ComparedRow &row = one.row;
        if (!row.isPaired()) continue;
        row.deltaNs = row.b.nsPerCall - row.a.nsPerCall;
        row.rawRelative = row.a.nsPerCall > 0 ? row.deltaNs / row.a.nsPerCall : 0;
        row.relative = row.a.nsPerCall > 0 ? row.b.nsPerCall / shift / row.a.nsPerCall - 1 : 0;
        if (row.a.bytes >= 0 && row.b.bytes >= 0) row.deltaBytes = row.b.bytes - row.a.bytes;
        for (double &value : one.b) value /= shift;
        // What could never count is not tested: each test more makes the others weaker.
        if (row.share < options.leastOfFunction) continue;
        p.push_back(mannWhitney(one.a, one.b));
        tested.push_back(&one);
    }
    const std::vector<double> adjusted = holm(p);
    for (std::size_t i = 0; i < tested.size(); ++i) {
        ComparedRow &row = tested[i]->row;
        const double least = tested[i]->least;
        row.p = adjusted[i];
        row.significant = row.p < tested[i]->level && std::abs(row.relative) >= least &&
                          std::abs(row.relative) * row.share >= options.leastOfFunction &&
                          std::abs(row.relative * row.a.nsPerCall) >= options.leastNs;
    }
}

std::vector<Difference> differences(const ProfileData &a, const ProfileData &b)
{
    std::map<std::string, Difference> all;
    for (const Flag &flag : a.flags) all[flag.name].a = flag.value;
    for (const Flag &flag : b.flags) all[flag.name].b = flag.value;
    for (const NameValue &fact : a.machine.facts) all["machine: " + fact.name].a = fact.value;
    for (const NameValue &fact : b.machine.facts) all["machine: " + fact.name].b = fact.value;
    std::vector<Difference> result;
    for (auto &[name, one] : all)
        if (one.a != one.b) result.push_back({name, one.a, one.b});
    return result;
}

} // namespace

Comparison compareSessions(const ProfileData &a, const std::vector<Event> &samplesA, const ProfileData &b,
                           const std::vector<Event> &samplesB, const CompareOptions &options)
{
    const CompareSide left(a, samplesA);
    const CompareSide right(b, samplesB);
    Comparison result;
    result.options = options;
    std::vector<Tested> functions;
    std::vector<Tested> applies;
    for (const FunctionPair &pair : pairFunctions(a, b)) {
        const FunctionInfo *fa = pair.a < 0 ? nullptr : &a.functions[static_cast<std::size_t>(pair.a)];
        const FunctionInfo *fb = pair.b < 0 ? nullptr : &b.functions[static_cast<std::size_t>(pair.b)];
        Tested whole;
        whole.row.function = shortTitle(fa ? *fa : *fb);
        whole.row.neverRanA = fa && !left.wasCalled(pair.a);
        whole.row.neverRanB = fb && !right.wasCalled(pair.b);
        const bool neverRanA = whole.row.neverRanA, neverRanB = whole.row.neverRanB;
        const int runs = std::min(left.runs(pair.a), right.runs(pair.b));
        const bool byRun = runs >= options.leastRuns;
        if (pair.a >= 0 && pair.b >= 0) result.runs = result.runs ? std::min(result.runs, runs) : runs;
        const double level = byRun ? options.levelOfRuns : options.level;
        whole.level = level;
        whole.least = byRun ? options.leastRelative : options.leastOfOneRun;
        whole.row.a = left.function(pair.a, byRun, whole.a);
        whole.row.b = right.function(pair.b, byRun, whole.b);
        whole.row.share = 1;
        const std::string name = whole.row.function;
        functions.push_back(std::move(whole));
        for (const ApplyPair &one : pairApplies(a, fa ? fa->graph : kNoGraph, b, fb ? fb->graph : kNoGraph)) {
            Tested apply;
            apply.row.function = name;
            apply.row.neverRanA = neverRanA;
            apply.row.neverRanB = neverRanB;
            const bool jumps = left.dependsOnPlace(one.a) || right.dependsOnPlace(one.b);
            apply.level = level;
            apply.least = jumps ? options.leastOfPlace : (byRun ? options.leastRelative : options.leastOfOneRun);
            apply.row.a = left.apply(one.a, byRun, apply.a);
            apply.row.b = right.apply(one.b, byRun, apply.b);
            const auto keyOf = [](const ProfileData &data, int index) {
                const ApplyRow &row = data.applies[static_cast<std::size_t>(index)];
                return ApplyKey{row.graph, row.apply};
            };
            if (one.a >= 0) {
                apply.row.applyA = keyOf(a, one.a);
                apply.row.share = left.shareOf(fa->id, apply.row.a);
            }
            if (one.b >= 0) {
                apply.row.applyB = keyOf(b, one.b);
                apply.row.share = std::max(apply.row.share, right.shareOf(fb->id, apply.row.b));
            }
            applies.push_back(std::move(apply));
        }
    }
    result.commonShift = shiftOf(applies, options);
    test(functions, 1, options);
    result.byRun = result.runs >= options.leastRuns;
    test(applies, result.byRun ? 1 : result.commonShift, options);
    for (Tested &one : functions) result.functions.push_back(std::move(one.row));
    for (Tested &one : applies) result.applies.push_back(std::move(one.row));
    std::stable_sort(result.applies.begin(), result.applies.end(), [](const ComparedRow &x, const ComparedRow &y) {
        const bool both = x.isPaired();
        if (both != y.isPaired()) return both;
        if (!both) return x.a.ns + x.b.ns > y.a.ns + y.b.ns;
        return std::abs(x.deltaNs) > std::abs(y.deltaNs);
    });
    for (const ComparedRow &row : result.applies) result.alarms += row.significant ? 1 : 0;
    result.settings = differences(a, b);
    result.warningA = sessionWarning(a.info);
    result.warningB = sessionWarning(b.info);
    return result;
}

bool hasCommonFunction(const Comparison &comparison)
{
    return std::any_of(comparison.functions.begin(), comparison.functions.end(),
                       [](const ComparedRow &row) { return row.a.present && row.b.present; });
}

bool hasPairedFunction(const Comparison &comparison) { return std::ranges::any_of(comparison.functions, &ComparedRow::isPaired); }

double worstRegression(const Comparison &comparison, double leastShare)
{
    double worst = 0;
    for (const auto *rows : {&comparison.functions, &comparison.applies})
        for (const ComparedRow &row : *rows) {
            if (row.significant && row.share >= leastShare) worst = std::max(worst, row.relative);
            if (rows == &comparison.functions && row.a.bytes > 0)
                worst = std::max(worst, static_cast<double>(row.deltaBytes) / static_cast<double>(row.a.bytes));
        }
    return worst;
}

} // namespace profiler
