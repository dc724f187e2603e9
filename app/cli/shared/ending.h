#pragma once
// What `croton profile` says when the script has ended: where the session is, the slowest line, and what to run next.

#include <string>

namespace app {

// On stderr, for stdout is the script's. `status`: of the script. Nothing where a signal ended it, or where the session cannot be read.
void sayWhereTheTimeWent(const std::string &session, int status);

} // namespace app
