#include "profiler/compare/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace profiler {

namespace {

constexpr std::size_t kLeastSamples = 5; // below, nothing can be said
constexpr std::size_t kFewSamples = 30;  // up to here the exact distribution is counted

// How often each value of U comes in all orders of n1 and n2 different values.
double exactTwoSided(std::size_t n1, std::size_t n2, double u)
{
    const std::size_t most = n1 * n2;
    // counts[k][v]: subsets of k ranks with U = v, the ranks taken one by one.
    std::vector<std::vector<double>> counts(n1 + 1, std::vector<double>(most + 1));
    counts[0][0] = 1;
    for (std::size_t rank = 0; rank < n1 + n2; ++rank)
        for (std::size_t k = std::min(n1, rank + 1); k >= 1; --k) {
            const std::size_t below = rank + 1 - k; // values of the other side that this one exceeds
            if (below > n2) continue;
            for (std::size_t v = most + 1; v-- > below;) counts[k][v] += counts[k - 1][v - below];
        }
    const double low = std::min(u, static_cast<double>(most) - u);
    double all = 0;
    double tail = 0;
    for (std::size_t v = 0; v <= most; ++v) {
        all += counts[n1][v];
        tail += static_cast<double>(v) <= low ? counts[n1][v] : 0;
    }
    return std::min(1.0, 2 * tail / all);
}

} // namespace

double mannWhitney(std::span<const double> a, std::span<const double> b)
{
    if (a.size() < kLeastSamples || b.size() < kLeastSamples) return 1;
    std::vector<std::pair<double, bool>> all; // value, from a
    for (const double value : a) all.emplace_back(value, true);
    for (const double value : b) all.emplace_back(value, false);
    std::sort(all.begin(), all.end());
    double rankSum = 0; // of a
    double ties = 0;
    for (std::size_t i = 0; i < all.size();) {
        std::size_t end = i;
        while (end < all.size() && all[end].first == all[i].first) ++end;
        const double rank = 0.5 * static_cast<double>(i + 1 + end);
        for (std::size_t k = i; k < end; ++k) rankSum += all[k].second ? rank : 0;
        const auto tied = static_cast<double>(end - i);
        ties += tied * tied * tied - tied;
        i = end;
    }
    const auto n1 = static_cast<double>(a.size());
    const auto n2 = static_cast<double>(b.size());
    const double n = n1 + n2;
    const double u = rankSum - n1 * (n1 + 1) / 2;
    if (ties == 0 && a.size() <= kFewSamples && b.size() <= kFewSamples) return exactTwoSided(a.size(), b.size(), u);
    const double variance = n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1)));
    if (variance <= 0) return 1;
    const double distance = std::max(0.0, std::abs(u - n1 * n2 / 2) - 0.5);
    return std::erfc(distance / std::sqrt(2 * variance));
}

std::vector<double> holm(std::span<const double> p)
{
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

double medianOf(std::span<const double> values)
{
    if (values.empty()) return 0;
    std::vector<double> sorted(values.begin(), values.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    if (sorted.size() % 2 == 1) return *middle;
    return 0.5 * (*middle + *std::max_element(sorted.begin(), middle));
}

double middleOf(std::span<const double> values)
{
    if (values.empty()) return 0;
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const std::size_t cut = sorted.size() / 4;
    const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(cut);
    const auto end = sorted.end() - static_cast<std::ptrdiff_t>(cut);
    return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
}

std::vector<double> inBlocks(std::span<const double> values, std::size_t most)
{
    if (most == 0 || values.size() <= most) return {values.begin(), values.end()};
    const std::size_t size = (values.size() + most - 1) / most;
    std::vector<double> blocks;
    for (std::size_t i = 0; i + size <= values.size(); i += size) blocks.push_back(medianOf(values.subspan(i, size)));
    return blocks;
}

} // namespace profiler
