#include "profiler/stats/times/zones.h"

#include <algorithm>

namespace profiler {

namespace {

constexpr std::size_t kFan = 8;

} // namespace

ZonePyramid::ZonePyramid(std::vector<Zone> zones) : m_zones(std::move(zones))
{
    std::vector<Node> level;
    level.reserve(m_zones.size() / kFan + 1);
    for (std::size_t i = 0; i < m_zones.size(); ++i) {
        if (i % kFan == 0) level.push_back({m_zones[i].endNs(), 0});
        level.back().endNs = std::max(level.back().endNs, m_zones[i].endNs());
        level.back().busyNs += m_zones[i].durationNs;
    }
    while (!level.empty()) {
        m_levels.push_back(std::move(level));
        const std::vector<Node> &below = m_levels.back();
        level.clear();
        if (below.size() <= 1) break;
        for (std::size_t i = 0; i < below.size(); ++i) {
            if (i % kFan == 0) level.push_back(below[i]);
            else {
                level.back().endNs = std::max(level.back().endNs, below[i].endNs);
                level.back().busyNs += below[i].busyNs;
            }
        }
    }
}

// One walk down the pyramid.
class ZonePyramid::Look {
public:
    Look(const ZonePyramid &pyramid, std::int64_t from, std::int64_t to, std::int64_t apartNs)
        : m_pyramid(pyramid), m_from(from), m_to(to), m_apartNs(apartNs)
    {}

    std::vector<ZoneCluster> take()
    {
        if (!m_pyramid.m_levels.empty()) node(m_pyramid.m_levels.size() - 1, 0);
        flush();
        return std::move(m_seen);
    }

private:
    void node(std::size_t level, std::size_t index)
    {
        std::size_t width = kFan;
        for (std::size_t i = 0; i < level; ++i) width *= kFan;
        const std::size_t first = index * width, last = std::min(first + width, m_pyramid.m_zones.size());
        const Node &here = m_pyramid.m_levels[level][index];
        const std::int64_t start = m_pyramid.m_zones[first].startNs;
        if (here.endNs <= m_from || start >= m_to) return;
        if (here.endNs - start < m_apartNs) {
            add({first, last - first, start, here.endNs, here.busyNs});
            return;
        }
        if (level == 0) {
            for (std::size_t i = first; i < last; ++i) zone(i);
            return;
        }
        const std::size_t below = m_pyramid.m_levels[level - 1].size();
        for (std::size_t i = index * kFan; i < std::min((index + 1) * kFan, below); ++i) node(level - 1, i);
    }
    void zone(std::size_t i)
    {
        const Zone &one = m_pyramid.m_zones[i];
        if (one.endNs() <= m_from && one.startNs < m_from) return;
        if (one.startNs >= m_to) return;
        add({i, 1, one.startNs, one.endNs(), one.durationNs});
    }
    void add(const ZoneCluster &next)
    {
        if (next.endNs - next.startNs >= m_apartNs) {
            flush();
            m_seen.push_back(next);
        } else if (m_open.count && next.endNs - m_open.startNs < m_apartNs) {
            m_open.count += next.count;
            m_open.endNs = std::max(m_open.endNs, next.endNs);
            m_open.busyNs += next.busyNs;
        } else {
            flush();
            m_open = next;
        }
    }
    void flush()
    {
        if (m_open.count) m_seen.push_back(m_open);
        m_open = {};
    }

    const ZonePyramid &m_pyramid;
    std::int64_t m_from, m_to, m_apartNs;
    std::vector<ZoneCluster> m_seen;
    ZoneCluster m_open;
};

std::vector<ZoneCluster> ZonePyramid::see(std::int64_t from, std::int64_t to, std::int64_t apartNs) const
{
    return Look(*this, from, to, apartNs).take();
}

std::pair<std::size_t, std::size_t> ZonePyramid::within(std::int64_t from, std::int64_t to) const
{
    const auto first = std::partition_point(m_zones.begin(), m_zones.end(), [from](const Zone &zone) { return zone.endNs() <= from; });
    const auto last = std::partition_point(first, m_zones.end(), [to](const Zone &zone) { return zone.startNs < to; });
    return {static_cast<std::size_t>(first - m_zones.begin()), static_cast<std::size_t>(last - m_zones.begin())};
}

} // namespace profiler
