// What a replay found: values and times beside the record.
#pragma once

#include "profiler/replay/turns.h"

#include <optional>
#include <string>
#include <vector>

namespace profiler {

struct ReplayResult {
    CallView view;
    std::string recorded, asked; ///< how it was compiled, in words; `asked` is empty where nothing was asked for
    std::vector<std::string> notes;
    struct Output {
        std::string name;
        std::optional<ValueDifference> asRecorded, asAsked; ///< from the record; none: the record does not have it
        bool isLeftOut = false;
    };
    std::vector<Output> outputs;
    std::int64_t recordedNs = 0;            ///< of the captured call
    std::optional<double> recordedSteadyNs; ///< of the calls in the steady state
    std::vector<double> recordedTimes, askedTimes;
    std::string busy;                         ///< what else the machine did; empty: nothing to speak of
    bool isJudged = true;                     ///< false: it was too busy for a verdict
    std::optional<TimeDifference> difference; ///< of asked beside recorded, both here
    std::int64_t recordedCompileNs = 0, askedCompileNs = 0;
    std::size_t recordedApplies = 0, askedApplies = 0;
};

struct ReplayRequest {
    std::string function;
    std::optional<std::int64_t> call;
    ModeChanges changes;
    TurnOptions turns;
    std::string threads; ///< in words, where the number was set
    Watch watch;
};

ReplayResult replay(SessionReader &reader, const ReplayRequest &request);
std::string replayText(const ReplayResult &result);
std::string replayJson(const ReplayResult &result);

/// "FAST_RUN on cpu, without inplace".
std::string inWords(const engine::Mode &mode);
/// "18.2 us".
std::string timeText(double ns);

} // namespace profiler
