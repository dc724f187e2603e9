// Several functions on the same captured call, in turns, so that what disturbs one disturbs all; and what their times say.
#pragma once

#include "profiler/replay/load.h"
#include "profiler/replay/replay.h"
#include "profiler/replay/watch.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace profiler {

struct TurnOptions {
    double seconds = 1;  ///< for all of them together, about
    int leastRounds = 7; ///< fewer than five say nothing
    int mostRounds = 400;
    bool judgesBusy = false; ///< gives a verdict on a busy machine, too
};

/// What is asked of many graphs of one function, each called on a captured call.
struct TrialRequest {
    std::string function;
    std::optional<std::int64_t> call;
    TurnOptions turns{.seconds = 5, .mostRounds = 20'000};
    double limit = 120; ///< seconds in all, about; what comes later is not tried
    Watch watch;
};

/// Nanoseconds of each call, by function. Kernels are compiled and memory is laid out before the first one counts, and of short calls each
/// second one counts, which follows one of the same function. Ended before that: none.
struct TurnTimes {
    std::vector<std::vector<double>> of;
    Load load; ///< while they took turns
};
TurnTimes timesInTurns(const LoadedCall &call, std::span<const std::shared_ptr<engine::Function>> functions,
                       const TurnOptions &options = {}, const Watch &watch = {});

inline constexpr double kSignificantP = 0.01; ///< of p, below which a difference is none of chance

/// What the times of a function say beside those of another one.
struct TimeDifference {
    double ns = 0;       ///< middle of its calls
    double otherNs = 0;  ///< of the other one's
    double p = 1;        ///< that chance alone makes this difference
    bool counts = false; ///< p is below kSignificantP and the difference large enough to matter
};
TimeDifference differenceOf(const std::vector<double> &times, const std::vector<double> &other);
/// A difference that was measured on a busy machine counts as nothing, unless `options` judge it all the same.
bool isJudged(const Load &load, const TurnOptions &options);
/// For the number of differences that are made at once.
void correct(std::vector<TimeDifference> &differences);

/// Functions of so many applies that are held and called in turns together: a large one takes much memory.
std::size_t mostInTurns(std::size_t applies);

} // namespace profiler
