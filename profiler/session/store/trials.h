#pragma once
// Puts into a session what was tried, in the place of what was there about the same call or flags. Throws SessionError.

#include "profiler/session/model/model.h"
#include "profiler/session/model/model_verified.h"

#include <span>
#include <string>
#include <vector>

namespace profiler {

void storeAblation(const std::string &session, std::span<const AblationRow> rows, const TrialRow &trial);
void storeAlong(const std::string &session, std::span<const AlongRow> rows, const TrialRow &trial);
void storeVerified(const std::string &session, std::span<const VerifiedRow> rows);
// Those that stand in it, by function and flags.
[[nodiscard]] std::vector<VerifiedRow> verifiedRuns(const std::string &session);
// What devices of this machine can do, measured when somebody asked.
void storeRoofs(const std::string &session, std::span<const Roof> roofs);

} // namespace profiler
