#include "profiler/stats/times/apply_times.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace profiler {
namespace {

constexpr std::uint32_t kMostBuckets = 48; // a picture's worth

double clamped(double ns, double low, double high) { return std::clamp(ns, low, std::max(low, high)); }

std::vector<TimesBucket> bucketsOf(const Histogram &histogram)
{
    std::vector<TimesBucket> buckets;
    if (histogram.count() == 0) return buckets;
    const std::uint32_t first = histogram.buckets().begin()->first;
    const std::uint32_t count = histogram.buckets().rbegin()->first - first + 1;
    const std::uint32_t together = (count + kMostBuckets - 1) / kMostBuckets;
    for (std::uint32_t at = 0; at < count; at += together)
        buckets.push_back({static_cast<double>(Histogram::bucketStartNs(first + at)),
                           static_cast<double>(Histogram::bucketStartNs(std::min(first + at + together, Histogram::kBuckets))), 0, 0});
    std::uint64_t fullest = 1;
    for (const auto &[bucket, calls] : histogram.buckets()) {
        std::uint64_t &of = buckets[(bucket - first) / together].calls;
        of += calls;
        fullest = std::max(fullest, of);
    }
    for (TimesBucket &bucket : buckets) bucket.ofFullest = static_cast<double>(bucket.calls) / static_cast<double>(fullest);
    return buckets;
}

} // namespace

double ApplyTimes::placeOf(double ns) const
{
    if (buckets.empty() || ns <= 0) return 0;
    const double low = std::log(std::max(1.0, buckets.front().startNs)), high = std::log(buckets.back().endNs);
    return high > low ? std::clamp((std::log(ns) - low) / (high - low), 0.0, 1.0) : 0;
}

ApplyTimes applyTimes(const std::vector<const ApplyStats *> &stats)
{
    ApplyTimes times;
    Histogram all;
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const ApplyStats *each : stats) {
        if (each->calls == 0) continue;
        times.calls += each->calls;
        low = std::min(low, static_cast<double>(each->minNs));
        high = std::max(high, static_cast<double>(each->maxNs));
        all.merge(each->histogram);
        TimesOfTier tier{each->tier, each->steady, each->calls, 0, 0, 0};
        tier.meanNs = static_cast<double>(each->totalNs) / static_cast<double>(each->calls);
        const auto least = static_cast<double>(each->minNs), most = static_cast<double>(each->maxNs);
        if (each->histogram.count() > 0) {
            tier.medianNs = clamped(each->histogram.quantileNs(0.5), least, most);
            tier.p95Ns = clamped(each->histogram.quantileNs(0.95), least, most);
        }
        times.tiers.push_back(std::move(tier));
    }
    if (times.calls == 0) return times;
    std::stable_sort(times.tiers.begin(), times.tiers.end(), [](const auto &a, const auto &b) { return a.calls > b.calls; });
    times.minNs = low;
    times.maxNs = high;
    if (all.count() == 0) return times;
    // The middle of a bucket may lie outside of what was measured.
    const auto quantile = [&](double share) { return clamped(all.quantileNs(share), low, high); };
    times.p5Ns = quantile(0.05);
    times.medianNs = quantile(0.5);
    times.p95Ns = quantile(0.95);
    times.p99Ns = quantile(0.99);
    times.buckets = bucketsOf(all);
    return times;
}

} // namespace profiler
