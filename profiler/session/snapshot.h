#pragma once

#include <string>

namespace profiler {

// Copies a session into one file that any reader opens, also while it is being written; such a copy says
// that it was taken on the way. Throws SessionError.
void snapshotSession(const std::string &from, const std::string &to);

} // namespace profiler
