#pragma once
// What a comparison says in one sentence.

#include "profiler/compare/compare.h"

namespace profiler {

enum class Change : std::uint8_t { Same, Better, Worse };

// Of a row: what the test says, whatever the measured difference.
[[nodiscard]] Change changeOf(const ComparedRow &row);

struct Verdict {
    const ComparedRow *function = nullptr; // of those on both sides the one with most time; null: none is on both
    Change change = Change::Same;
    double factor = 1;    // the larger of B / A and A / B, per call
    double largestNs = 0; // the largest difference per call among the paired applies: what bars are scaled by
    int paired = 0;       // applies
    int onlyA = 0;
    int onlyB = 0;
};

[[nodiscard]] Verdict verdictOf(const Comparison &comparison);

} // namespace profiler
