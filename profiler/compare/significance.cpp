#include "profiler/compare/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace profiler {

namespace {

constexpr std::size_t kLeastSamples = 8; // below, the normal approximation says nothing

} // namespace

double mannWhitney(std::span<const double> a, std::span<const double> b) {
    if (a.size() < kLeastSamples || b.size() < kLeastSamples)
        return 1;
    std::vector<std::pair<double, bool>> all; // value, from a
    for (const double value : a)
        all.emplace_back(value, true);
    for (const double value : b)
        all.emplace_back(value, false);
    std::sort(all.begin(), all.end());
    double rankSum = 0; // of a
    double ties = 0;
    for (std::size_t i = 0; i < all.size();) {
        std::size_t end = i;
        while (end < all.size() && all[end].first == all[i].first)
            ++end;
        const double rank = 0.5 * static_cast<double>(i + 1 + end);
        for (std::size_t k = i; k < end; ++k)
            rankSum += all[k].second ? rank : 0;
        const auto tied = static_cast<double>(end - i);
        ties += tied * tied * tied - tied;
        i = end;
    }
    const auto n1 = static_cast<double>(a.size());
    const auto n2 = static_cast<double>(b.size());
    const double n = n1 + n2;
    const double u = rankSum - n1 * (n1 + 1) / 2;
    const double variance = n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1)));
    if (variance <= 0)
        return 1;
    const double distance = std::max(0.0, std::abs(u - n1 * n2 / 2) - 0.5);
    return std::erfc(distance / std::sqrt(2 * variance));
}

std::vector<double> holm(std::span<const double> p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
    std::vector<double> adjusted(p.size(), 1);
    double least = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        least = std::max(least, p[order[i]] * static_cast<double>(p.size() - i));
        adjusted[order[i]] = std::min(1.0, least);
    }
    return adjusted;
}

double medianOf(std::span<const double> values) {
    if (values.empty())
        return 0;
    std::vector<double> sorted(values.begin(), values.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    if (sorted.size() % 2 == 1)
        return *middle;
    return 0.5 * (*middle + *std::max_element(sorted.begin(), middle));
}

std::vector<double> inBlocks(std::span<const double> values, std::size_t most) {
    if (most == 0 || values.size() <= most)
        return {values.begin(), values.end()};
    const std::size_t size = (values.size() + most - 1) / most;
    std::vector<double> blocks;
    for (std::size_t i = 0; i + size <= values.size(); i += size)
        blocks.push_back(medianOf(values.subspan(i, size)));
    return blocks;
}

} // namespace profiler
