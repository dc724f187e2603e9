// Calls of MPI that Python made, as the worker tells them: sums by line, single collectives, and zones of the timeline.
#pragma once

#include "profiler/session/store/writer.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace profiler {

struct CommunicationCall {
    std::string call;
    std::string kind;
    SourceLine source;
    std::string members;      ///< of a collective
    std::int64_t number = -1; ///< of a collective, among those of its members
    bool isInside = false;    ///< a call of a function made it
    std::int64_t startNs = 0; ///< steady clock
    std::int64_t endNs = 0;
    std::int64_t bytes = 0;
};

class CommunicationRecord {
public:
    /// Any thread; waits for nobody who waits for the writer.
    void note(const CommunicationCall &call, const SessionWriter &writer);
    /// Hands over what came since.
    void refresh(SessionWriter &writer);

private:
    std::mutex m_mutex;
    std::map<std::tuple<std::string, std::string, int>, Communication> m_sums;
    bool m_changed = false;
    bool m_hasLane = false;
    std::vector<Collective> m_collectives;
    std::vector<Event> m_events;
};

} // namespace profiler
