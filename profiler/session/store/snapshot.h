#pragma once

#include <string>

namespace profiler {

// Copies a session into one file that any reader opens, also while it is being written; such a copy says
// that it was taken on the way. `only`: the name or number of a function; what belongs to others is left out. Throws SessionError.
void snapshotSession(const std::string &from, const std::string &to, const std::string &only = {});

} // namespace profiler
