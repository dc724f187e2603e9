// A captured call compiled as asked, under observation: a session of its own.
#pragma once

#include "profiler/replay/replay_report.h"

#include <string>

namespace profiler {

/// One function with the name of the captured one, and some calls of it. Throws SessionError, UserError; the file is gone then.
void recordReplay(SessionReader &reader, const ReplayRequest &request, const std::string &path);

} // namespace profiler
