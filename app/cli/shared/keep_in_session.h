#pragma once
// What was tried goes into the session that it is of, where that may be written.

#include <functional>
#include <string>

namespace app {

// Recorded sessions that came with the program: they stay as they are.
bool isOfSample(const std::string &session);

// Where a session that was made for another one goes: beside it, or among those of the person where that place is not theirs to write.
std::string placeBeside(const std::string &session, const std::string &name);

// Calls `store`. What was printed holds whether it can be kept or not: where it cannot, a sentence says why. Returns the exit status.
int keepInSession(const std::string &session, const std::string &what, const std::function<void()> &store);

} // namespace app
