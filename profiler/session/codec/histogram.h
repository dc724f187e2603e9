#pragma once
// Durations counted in logarithmic buckets: 8 per octave, so a percentile is right to about 9%.

#include <cstdint>
#include <map>

namespace profiler {

class Histogram {
public:
    static constexpr std::uint32_t kBuckets = 8 * 62;

    void add(std::int64_t ns, std::uint64_t count = 1);
    void merge(const Histogram &other);
    [[nodiscard]] std::uint64_t count() const;
    // The middle of the bucket that holds the given quantile (0..1); 0 when empty.
    [[nodiscard]] double quantileNs(double quantile) const;
    [[nodiscard]] const std::map<std::uint32_t, std::uint64_t> &buckets() const { return m_counts; }

    [[nodiscard]] static std::uint32_t bucketOf(std::int64_t ns);
    [[nodiscard]] static std::int64_t bucketStartNs(std::uint32_t bucket);

private:
    std::map<std::uint32_t, std::uint64_t> m_counts;
};

} // namespace profiler
