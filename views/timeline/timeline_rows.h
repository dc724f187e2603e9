#pragma once

#include "profiler/stats/times/timeline.h"
#include "views/common/text_table.h"
#include "views/session/session_data.h"

#include <QString>

namespace views {

/// The timeline of a session with its words. Immutable; made in the reading thread.
struct TimelineRows {
    explicit TimelineRows(const SessionData &session);
    explicit TimelineRows(profiler::Timeline timeline); ///< of no session

    profiler::Timeline timeline;
    profiler::RangeSum whole;

    /// A zone by its track, where a launch and its work on a device meet.
    struct Place {
        std::size_t track = 0;
        std::size_t zone = 0;
    };
    /// All zones with the correlation of this one, itself included; empty without one.
    std::vector<Place> correlated(const Place &place) const;

    static QString kindTitle(profiler::TrackKind kind);
    QString trackTitle(const profiler::Track &track) const;
    QString trackDetail(const profiler::Track &track) const;
    QString labelText(const profiler::ZoneLabel &label) const;
    /// For the tool tip of one zone, or of several that are drawn as one.
    QString zoneText(const profiler::Track &track, const profiler::ZoneCluster &cluster) const;
    /// "12.3 ms: calls 8.1 ms (66.0%) · Python, outside functions 4.2 ms (34.0%)"
    QString sumText(const profiler::RangeSum &sum) const;
    /// "10 214 events · 8 002 calls were not kept"
    QString caption() const;
    /// A row's key is its label.
    TextTable table(const profiler::RangeSum &sum) const;

private:
    void index();
    std::vector<std::pair<std::int64_t, Place>> m_correlations; ///< by correlation
    std::map<std::uint32_t, QString> m_functions;
    std::map<profiler::ApplyKey, QString> m_applies; ///< exact names
};

} // namespace views
