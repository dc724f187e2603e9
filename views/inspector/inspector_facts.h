#pragma once

#include "profiler/stats/machine/roofline.h"
#include "profiler/stats/times/apply_times.h"
#include "profiler/stats/times/call_memory.h"
#include "views/session/session_data.h"

#include <map>
#include <vector>

namespace views {

/// What profiler/stats knows of single applies, by apply: made once for a session, in the reading thread.
struct InspectorFacts {
    explicit InspectorFacts(const SessionData &session);
    InspectorFacts(const InspectorFacts &) = delete; // applies point into the roofline

    struct OfApply {
        std::vector<const profiler::ApplyStats *> stats;
        const profiler::RooflinePoint *point = nullptr;    ///< its place under the roofs
        const profiler::UnplacedApply *unplaced = nullptr; ///< or why it has none
        std::vector<profiler::Lifetime> buffers;           ///< memory that it makes, or writes over
        int positions = 0;                                 ///< of the order of execution
        std::vector<const profiler::Advice *> advice;
    };
    const OfApply *of(const profiler::ApplyKey &apply) const;

private:
    std::map<profiler::ApplyKey, OfApply> m_applies;
    profiler::Roofline m_roofline;
};

} // namespace views
