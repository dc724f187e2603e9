#pragma once
// What the subcommands that run captured calls share: which call, compiled how.

#include "app/cli/command.h"
#include "profiler/replay/replay_report.h"

#include <vector>

namespace app {

// --function and --call.
[[nodiscard]] std::vector<Option> callOptions();
[[nodiscard]] std::vector<Option> replayOptions(); // with what changes how it is compiled
// Sets the number of threads, too.
[[nodiscard]] profiler::ReplayRequest replayRequest(const Arguments &arguments);

} // namespace app
