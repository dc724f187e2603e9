#pragma once
// Puts into a session what was tried on its captured calls, in the place of what was there about the same call. Throws SessionError.

#include "profiler/session/model.h"

#include <span>
#include <string>

namespace profiler {

void storeAblation(const std::string &session, std::span<const AblationRow> rows);
void storeAlong(const std::string &session, std::span<const AlongRow> rows);

} // namespace profiler
