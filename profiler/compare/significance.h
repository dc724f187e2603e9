#pragma once
// Is one set of durations longer than another, or is it chance?

#include <span>
#include <vector>

namespace profiler {

// Two-sided p of the Mann-Whitney test: exact for few values without ties, else the normal approximation with ties and
// continuity; 1 when either side has fewer than five values.
[[nodiscard]] double mannWhitney(std::span<const double> a, std::span<const double> b);

// Holm's step-down: p values that may be compared with the wanted level although several tests were made.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

[[nodiscard]] double medianOf(std::span<const double> values); // 0 when empty

// The mean of the middle half: as steady as a mean where values jump between levels, and blind to what disturbs a few.
[[nodiscard]] double middleOf(std::span<const double> values); // 0 when empty

// At most `most` values: medians of neighbours, so that what disturbs several calls in a row counts once.
[[nodiscard]] std::vector<double> inBlocks(std::span<const double> values, std::size_t most);

} // namespace profiler
