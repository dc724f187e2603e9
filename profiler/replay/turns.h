// Several functions on the same captured call, in turns, so that what disturbs one disturbs all; and what their times say.
#pragma once

#include "profiler/replay/replay.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace profiler {

/// Told now and then how far something is: what goes on, and how much of how much is done.
using Told = std::function<void(const std::string &what, double done, double total)>;

struct TurnOptions {
    double seconds = 1;  ///< for all of them together, about
    int leastRounds = 7; ///< fewer than five say nothing
    int mostRounds = 400;
};

/// Nanoseconds of each call, by function. Kernels are compiled and memory is laid out before the first one counts.
std::vector<std::vector<double>> timesInTurns(const LoadedCall &call, std::span<const std::shared_ptr<engine::Function>> functions,
                                              const TurnOptions &options = {});

/// What the times of a function say beside those of another one.
struct TimeDifference {
    double ns = 0;       ///< middle of its calls
    double otherNs = 0;  ///< of the other one's
    double p = 1;        ///< that chance alone makes this difference; corrected where several are made at once
    bool counts = false; ///< p is below 0.01 and the difference large enough to matter
};
/// One for each of `times`, beside `other`.
std::vector<TimeDifference> differencesOf(std::span<const std::vector<double>> times, const std::vector<double> &other);

} // namespace profiler
