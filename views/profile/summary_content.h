#pragma once

#include "views/profile/summary_view.h"
#include "views/session/session_data.h"

namespace views {

/// What the summary says of one function, or of all of them with kNoFunction.
ProfileSummary summaryOf(const SessionData &session, profiler::FunctionId function, bool canRun = false);

} // namespace views
