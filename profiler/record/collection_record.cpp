#include "profiler/record/collection_record.h"

#include "profiler/session/model/collection_names.h"

#include <algorithm>
#include <string>
#include <utility>

namespace profiler {
namespace {

constexpr std::size_t kMostCollections = 20'000; // young ones come by the thousand where a script makes many objects

} // namespace

void CollectionRecord::note(int generation, std::int64_t startNs, std::int64_t endNs, const SessionWriter &writer)
{
    Event event;
    event.lane = kCollectionLane;
    event.kind = EventKind::Range;
    event.startNs = writer.toSessionNs(startNs);
    event.durationNs = std::max<std::int64_t>(0, endNs - startNs);
    event.name = std::string(kGeneration) + std::to_string(generation);
    const std::lock_guard lock(m_mutex);
    ++m_count;
    m_totalNs += event.durationNs;
    m_changed = true;
    if (m_kept >= kMostCollections) {
        ++m_leftOut;
        return;
    }
    ++m_kept;
    m_events.push_back(std::move(event));
}

void CollectionRecord::refresh(SessionWriter &writer)
{
    std::vector<Event> events;
    std::int64_t count = 0, totalNs = 0, leftOut = 0;
    {
        const std::lock_guard lock(m_mutex);
        if (!std::exchange(m_changed, false)) return;
        count = m_count;
        totalNs = m_totalNs;
        leftOut = std::exchange(m_leftOut, 0);
        events = std::exchange(m_events, {});
    }
    writer.setMeta("collections", std::to_string(count));
    writer.setMeta("collection_ns", std::to_string(totalNs));
    writer.addEvents(std::move(events));
    if (leftOut > 0) writer.countDrop("collections", leftOut, "the garbage collector ran more often than is kept");
}

} // namespace profiler
