#pragma once

#include "profiler/stats/times/timeline.h"

#include <algorithm>

namespace profiler {

// The first row of its kind.
inline const Track *trackOf(const Timeline &timeline, TrackKind kind)
{
    const auto found = std::ranges::find(timeline.tracks, kind, &Track::kind);
    return found == timeline.tracks.end() ? nullptr : &*found;
}

} // namespace profiler
