#pragma once
// The timeline in the Trace Event Format, which Perfetto and chrome://tracing open.

#include "profiler/stats/profile_data.h"

#include <iosfwd>
#include <vector>

namespace profiler {

struct TraceContents {
    std::vector<Lane> lanes;
    std::vector<Event> events;             // by start
    std::vector<MemoryEvent> memoryEvents; // by time
    std::vector<Message> messages;
};

// Writes the whole trace piece by piece; times are microseconds of the session's clock.
void writeChromeTrace(std::ostream &out, const ProfileData &data, const TraceContents &contents);

} // namespace profiler
