#pragma once
// Zones of one track of a timeline, and how to see any stretch of them at any scale without looking at each.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace profiler {

struct Zone {
    std::int64_t startNs = 0;
    std::int64_t durationNs = 0;
    std::int64_t call = -1;
    std::int64_t bytes = 0;
    std::int64_t correlation = 0;
    std::uint32_t label = 0; // of Timeline::labels

    [[nodiscard]] std::int64_t endNs() const { return startNs + durationNs; }
};

// What is drawn as one: a zone, or neighbours that are too short to be told apart.
struct ZoneCluster {
    std::size_t first = 0;
    std::size_t count = 0;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::int64_t busyNs = 0; // within start and end
};

// Zones in the order of their starts that do not overlap.
class ZonePyramid {
public:
    ZonePyramid() = default;
    explicit ZonePyramid(std::vector<Zone> zones);

    [[nodiscard]] const std::vector<Zone> &zones() const { return m_zones; }
    // What overlaps [from, to): zones that take `apartNs` at least, all others joined with their neighbours up to so long. The
    // work grows with (to - from) / apartNs, not with the number of zones.
    [[nodiscard]] std::vector<ZoneCluster> see(std::int64_t from, std::int64_t to, std::int64_t apartNs) const;
    // Zones that overlap [from, to): the first, and one past the last.
    [[nodiscard]] std::pair<std::size_t, std::size_t> within(std::int64_t from, std::int64_t to) const;

private:
    struct Node {
        std::int64_t endNs = 0;
        std::int64_t busyNs = 0;
    };
    class Look;
    std::vector<Zone> m_zones;
    std::vector<std::vector<Node>> m_levels; // [0] joins kFan zones each, the next kFan nodes of it, …
};

} // namespace profiler
