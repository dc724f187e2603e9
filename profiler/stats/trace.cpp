#include "profiler/stats/trace.h"

#include "profiler/session/reader.h"

#include <limits>

namespace profiler {

Trace loadTrace(SessionReader &reader)
{
    constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();
    return {reader.lanes(), reader.events(0, kEver, std::numeric_limits<std::size_t>::max()), reader.memoryEvents()};
}

} // namespace profiler
