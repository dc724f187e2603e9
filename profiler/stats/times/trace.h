#pragma once
// Single events of a session, for pictures over time.

#include "profiler/session/model/model.h"

#include <vector>

namespace profiler {

class SessionReader;

struct Trace {
    std::vector<Lane> lanes;
    std::vector<Event> events; // by start
    std::vector<MemoryEvent> memoryEvents;
};

// Of a session that grows, what is in `before` is not read again.
[[nodiscard]] Trace loadTrace(SessionReader &reader, const Trace *before = nullptr);

} // namespace profiler
