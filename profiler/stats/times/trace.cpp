#include "profiler/stats/times/trace.h"

#include "profiler/session/store/reader.h"

#include <algorithm>

namespace profiler {

namespace {

// Rows as they were written, into those that are known, in the order of their time.
template <class Row>
void join(std::vector<Row> &known, const std::vector<Row> &more, std::int64_t Row::*time)
{
    const auto first = static_cast<std::ptrdiff_t>(known.size());
    known.insert(known.end(), more.begin(), more.end());
    std::ranges::stable_sort(known.begin() + first, known.end(), {}, time);
    std::ranges::inplace_merge(known, known.begin() + first, {}, time);
}

} // namespace

Trace loadTrace(SessionReader &reader, const Trace *before)
{
    Trace trace = before ? *before : Trace{};
    trace.lanes = reader.lanes();
    join(trace.events, reader.events(trace.events.size()), &Event::startNs);
    join(trace.memoryEvents, reader.memoryEvents(trace.memoryEvents.size()), &MemoryEvent::timeNs);
    return trace;
}

} // namespace profiler
