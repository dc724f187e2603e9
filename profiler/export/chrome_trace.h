#pragma once
// The timeline in the Trace Event Format, which Perfetto and chrome://tracing open.

#include "profiler/stats/times/profile_data.h"
#include "profiler/stats/times/trace.h"

#include <iosfwd>
#include <vector>

namespace profiler {

// Writes the whole trace piece by piece; times are microseconds of the session's clock.
void writeChromeTrace(std::ostream &out, const ProfileData &data, const Trace &contents, const std::vector<Message> &messages);

} // namespace profiler
