#pragma once
// What the subcommands that run captured calls share: which call, compiled how.

#include "app/cli/shared/command.h"
#include "profiler/replay/replay_report.h"

#include <vector>

namespace app {

// --function and --call.
[[nodiscard]] std::vector<Option> callOptions();
[[nodiscard]] Option threadsOption();
Option anywayOption();                             // a verdict on a busy machine
[[nodiscard]] std::vector<Option> trialOptions();  // with how long it may take, and how it is answered
[[nodiscard]] std::vector<Option> replayOptions(); // with what changes how it is compiled
// Both set the number of threads, too.
void readTrial(const Arguments &arguments, profiler::TrialRequest &request);
[[nodiscard]] profiler::ReplayRequest replayRequest(const Arguments &arguments);

} // namespace app
