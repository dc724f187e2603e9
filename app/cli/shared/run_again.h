#pragma once
// The script of a session once more, as it was recorded but for some flags: what verifies a prediction.

#include "profiler/session/store/reader.h"

#include <string>

namespace app {

// Throws CliError where it is not here.
void checkScriptIsHere(profiler::SessionReader &reader);
// `flags`: "threads=4", separated by commas. What the script prints goes to stderr. `commandName`: who runs it. The session is written to
// `path`. Throws CliError where the script is not here, or the run failed.
void runAgain(profiler::SessionReader &reader, const std::string &flags, const std::string &path, const std::string &commandName);

} // namespace app
