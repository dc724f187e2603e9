#pragma once

#include "views/profile/summary_view.h"
#include "views/session/session_data.h"

namespace views {

/// What the summary says of one function, or of all of them with kNoFunction.
ProfileSummary summaryOf(const SessionData &session, profiler::FunctionId function, bool canRun = false);

/// The apply of a function's own graph that is, or holds, an apply of any graph; the function is kNoFunction if the graph is unknown.
struct OwnApply {
    profiler::FunctionId function = profiler::kNoFunction;
    profiler::ApplyId apply = profiler::kNoApply;
};
OwnApply ownApplyOf(const profiler::ProfileData &profile, profiler::ApplyKey apply);

} // namespace views
