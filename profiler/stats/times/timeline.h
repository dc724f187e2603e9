#pragma once
// What happened when: a session's events as tracks of zones, what lies between them, and sums over any range.

#include "profiler/stats/times/profile_data.h"
#include "profiler/stats/times/trace.h"
#include "profiler/stats/times/zones.h"

#include <string>
#include <vector>

namespace profiler {

// In the order from top to bottom.
enum class TrackKind : std::uint8_t { Script, Compile, Passes, Calls, Applies, Ranges, Waits, Kernels, Copies };

// What a zone stands for, once for all zones of it.
struct ZoneLabel {
    std::string name; // empty for a gap: its kind says it
    EventKind kind = EventKind::Range;
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    bool gap = false;     // nothing recorded: the script's own time, or calls that were not kept
    bool notKept = false; // of a gap: calls in it were not kept
};

struct Track {
    TrackKind kind = TrackKind::Script;
    int lane = 0;
    int row = 0; // > 0: what overlaps with the rows above it
    int run = 0; // of several in one session, from 0
    std::string device;
    std::string name; // as the session names its lane
    ZonePyramid zones;
};

struct Timeline {
    std::vector<ZoneLabel> labels;
    std::vector<Track> tracks; // only those with a zone
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::size_t events = 0;
    std::int64_t notKept = 0;       // calls of which no event was kept
    std::int64_t droppedEvents = 0; // in all, as the session says
    std::string droppedWhy;
};

[[nodiscard]] Timeline makeTimeline(const ProfileData &data, const Trace &trace);

// What one label did in one kind of track. Zones that begin or end outside count with what lies within.
struct RangeRow {
    TrackKind kind = TrackKind::Calls;
    std::uint32_t label = 0;
    std::int64_t count = 0;
    std::int64_t totalNs = 0;
    std::int64_t maxNs = 0;
    std::int64_t bytes = 0;
    double meanNs = 0;
    double share = 0; // of the range
};

struct RangeSum {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::vector<RangeRow> rows; // by track, then by time
    std::int64_t callNs = 0;
    std::int64_t compileNs = 0;
    std::int64_t outsideNs = 0;                                                 // Python, outside functions
    std::int64_t notKeptNs = 0;                                                 // stretches with calls that were not kept
    double callShare = 0, compileShare = 0, outsideShare = 0, notKeptShare = 0; // of the range

    [[nodiscard]] std::int64_t durationNs() const { return endNs - startNs; }
};

[[nodiscard]] RangeSum sumRange(const Timeline &timeline, std::int64_t startNs, std::int64_t endNs);

// Times at which an axis is marked: round steps, at most `most` of them.
[[nodiscard]] std::int64_t roundStepNs(std::int64_t spanNs, int most);

} // namespace profiler
