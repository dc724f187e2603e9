#include "profiler/session/codec/histogram.h"

#include <algorithm>
#include <bit>

namespace profiler {

// Below 8 ns a bucket is one nanosecond; above, the top bit and the three after it choose it.
std::uint32_t Histogram::bucketOf(std::int64_t ns)
{
    if (ns < 8) return ns < 0 ? 0 : static_cast<std::uint32_t>(ns);
    const auto value = static_cast<std::uint64_t>(ns);
    const int top = 63 - std::countl_zero(value);
    return static_cast<std::uint32_t>((top - 2) * 8 + ((value >> (top - 3)) & 7));
}

std::int64_t Histogram::bucketStartNs(std::uint32_t bucket)
{
    if (bucket < 8) return bucket;
    const std::uint32_t top = bucket / 8 + 2;
    return static_cast<std::int64_t>(8 + bucket % 8) << (top - 3);
}

void Histogram::add(std::int64_t ns, std::uint64_t count) { m_counts[std::min(bucketOf(ns), kBuckets - 1)] += count; }

void Histogram::merge(const Histogram &other)
{
    for (const auto &[bucket, count] : other.m_counts) m_counts[bucket] += count;
}

std::uint64_t Histogram::count() const
{
    std::uint64_t sum = 0;
    for (const auto &entry : m_counts) sum += entry.second;
    return sum;
}

double Histogram::quantileNs(double quantile) const
{
    const std::uint64_t total = count();
    if (total == 0) return 0;
    const double wanted = std::clamp(quantile, 0.0, 1.0) * static_cast<double>(total);
    std::uint64_t seen = 0;
    for (const auto &[bucket, number] : m_counts) {
        seen += number;
        if (static_cast<double>(seen) >= wanted && seen > 0) {
            if (bucket < 8) return bucket;
            const double start = static_cast<double>(bucketStartNs(bucket));
            return 0.5 * (start + static_cast<double>(bucketStartNs(bucket + 1)));
        }
    }
    return static_cast<double>(bucketStartNs(m_counts.rbegin()->first));
}

} // namespace profiler
