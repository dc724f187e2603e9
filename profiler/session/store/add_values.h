#pragma once
// What `croton values` found, into a finished session.

#include "profiler/session/model/model_values.h"

#include <span>
#include <string>

namespace profiler {

// In the place of what was known of the calls and sides of these rows. Throws SessionError.
void addValues(const std::string &session, std::span<const ValueRow> rows, std::span<const ValueNote> notes);

} // namespace profiler
