#include "profiler/record/communication_record.h"

#include <algorithm>
#include <utility>

namespace profiler {
namespace {

constexpr int kLane = 2;

} // namespace

void CommunicationRecord::note(const CommunicationCall &call, const SessionWriter &writer)
{
    const std::int64_t spent = std::max<std::int64_t>(0, call.endNs - call.startNs), start = writer.toSessionNs(call.startNs);
    const std::lock_guard lock(m_mutex);
    Communication &sum = m_sums[{call.call, call.source.file, call.source.line}];
    sum.call = call.call;
    sum.kind = call.kind;
    sum.source = call.source;
    ++sum.count;
    sum.totalNs += spent;
    sum.maxNs = std::max(sum.maxNs, spent);
    sum.insideNs += call.isInside ? spent : 0;
    sum.bytes += call.bytes;
    m_changed = true;
    if (call.number >= 0) m_collectives.push_back({call.members, call.number, call.call, call.source, start, spent});
    Event event;
    event.lane = kLane;
    event.kind = EventKind::Wait;
    event.startNs = start;
    event.durationNs = spent;
    event.bytes = call.bytes;
    event.name = call.call;
    m_events.push_back(std::move(event));
}

void CommunicationRecord::refresh(SessionWriter &writer)
{
    std::vector<Communication> sums;
    std::vector<Collective> collectives;
    std::vector<Event> events;
    bool isFirst = false;
    {
        const std::lock_guard lock(m_mutex);
        if (!std::exchange(m_changed, false)) return;
        isFirst = !std::exchange(m_hasLane, true);
        for (const auto &[place, sum] : m_sums) sums.push_back(sum);
        collectives = std::exchange(m_collectives, {});
        events = std::exchange(m_events, {});
    }
    if (isFirst) writer.addLanes({{kLane, LaneKind::Host, "cpu", "MPI"}});
    writer.setCommunication(std::move(sums));
    writer.addCollectives(std::move(collectives));
    writer.addEvents(std::move(events));
}

} // namespace profiler
