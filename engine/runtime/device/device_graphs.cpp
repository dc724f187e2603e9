#include "engine/runtime/device/device_graphs.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace engine {
namespace {

constexpr std::size_t kMostKept = 4;        // sets of addresses that come back: what is returned lies in a few places by turns
constexpr std::uint64_t kMostCaptures = 16; // then they change too often
constexpr std::uint64_t kMostMisses = 6;    // one after the other, of what has numbers

std::atomic<bool> s_usesGraphs{false};
std::atomic<std::uint64_t> s_kept{0}, s_given{0};

} // namespace

void useDeviceGraphs(bool on) { s_usesGraphs = on; }
bool usesDeviceGraphs() { return s_usesGraphs; }
DeviceGraphCounts deviceGraphCounts() { return {s_kept, s_given}; }

GraphedStretch::GraphedStretch(DeviceStream &stream, StretchParts parts)
    : m_stream(stream), m_parts(std::move(parts)), m_now(m_parts.slots.size() + m_parts.numbers.size())
{}

void GraphedStretch::look(Slots slots)
{
    for (Thunk *thunk : m_parts.ahead) thunk->run(slots);
    std::size_t at = 0;
    for (const Slot slot : m_parts.slots) m_now[at++] = slots[slot];
    for (const auto &[slot, bytes] : m_parts.numbers) {
        m_now[at] = nullptr;
        std::memcpy(&m_now[at++], slots[slot], bytes);
    }
}

GraphedStretch::Kept *GraphedStretch::find()
{
    for (Kept &one : m_kept)
        if (one.places == m_now) return &one;
    return nullptr;
}

// The first run is an ordinary one: what libraries do once must not be kept. So is one with addresses that were never seen.
bool GraphedStretch::run(Slots slots)
{
    if (m_isHopeless) return false;
    ++m_runs;
    try {
        look(slots);
    } catch (...) {
        return false; // run one by one, what fails is named
    }
    Kept *known = find();
    if (!known) {
        const bool isBack = std::find(m_seen.begin(), m_seen.end(), m_now) != m_seen.end();
        if (!isBack) {
            if (m_seen.size() == kMostKept) m_seen.erase(m_seen.begin());
            m_seen.push_back(m_now);
        }
        if (!isBack) m_isHopeless = ++m_misses > kMostMisses && hasNumbers();
        if (!isBack || !keep(slots)) return false;
        known = find();
    }
    m_misses = 0;
    known->used = m_runs;
    m_stream.launchGraph(known->graph);
    if (known->mayFind) m_stream.mayFind();
    ++s_given;
    return true;
}

bool GraphedStretch::keep(Slots slots)
{
    m_isHopeless = m_captures++ == kMostCaptures || !m_stream.beginCapture();
    if (m_isHopeless) return false;
    std::shared_ptr<DeviceGraph> graph;
    const bool mayFind = std::ranges::any_of(m_parts.thunks, [](const Thunk *thunk) { return thunk->mayFind(); });
    try {
        for (Thunk *thunk : m_parts.thunks) thunk->run(slots);
        graph = m_stream.endCapture();
    } catch (...) {
        m_stream.endCapture();
        m_isHopeless = true;
        return false;
    }
    if (!graph) {
        m_isHopeless = true;
        return false;
    }
    if (m_kept.size() == kMostKept)
        m_kept.erase(std::min_element(m_kept.begin(), m_kept.end(), [](const Kept &a, const Kept &b) { return a.used < b.used; }));
    m_kept.push_back({m_now, std::move(graph), mayFind, m_runs});
    ++s_kept;
    return true;
}

} // namespace engine
