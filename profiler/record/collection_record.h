// What Python's garbage collector took, as the worker tells it: sums, and zones of the timeline.
#pragma once

#include "profiler/session/store/writer.h"

#include <cstdint>
#include <mutex>
#include <vector>

namespace profiler {

inline constexpr int kCollectionLane = 3;

class CollectionRecord {
public:
    /// Any thread; times are of the steady clock. Waits for nobody who waits for the writer.
    void note(int generation, std::int64_t startNs, std::int64_t endNs, const SessionWriter &writer);
    /// Hands over what came since.
    void refresh(SessionWriter &writer);

private:
    std::mutex m_mutex;
    std::int64_t m_count = 0, m_totalNs = 0, m_leftOut = 0;
    bool m_changed = false;
    std::size_t m_kept = 0;
    std::vector<Event> m_events;
};

} // namespace profiler
