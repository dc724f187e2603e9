// Times of applies on their way to the counters.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace engine {

struct ApplyNote {
    std::uint32_t counter = 0;
    std::uint64_t ticks = 0;
};

/// One thread adds and takes out, any may look. The counters of a function lie far apart: touched in every call, each would
/// have to be fetched from behind what the kernels read. In a row, the times of many calls wait to be counted at once.
class ApplyNotes {
public:
    bool isFull() const { return m_end.load(std::memory_order_relaxed) - m_begin.load(std::memory_order_relaxed) == kRoom; }
    void add(std::uint32_t counter, std::uint64_t ticks)
    {
        const std::uint64_t end = m_end.load(std::memory_order_relaxed);
        Place &place = m_places[end % kRoom];
        // Released: who sees what was written over an older note also sees that that one was taken out.
        place.counter.store(counter, std::memory_order_release);
        place.ticks.store(ticks, std::memory_order_release);
        m_end.store(end + 1, std::memory_order_release);
    }
    template <class Take>
    void takeOut(Take take)
    {
        const std::uint64_t end = m_end.load(std::memory_order_relaxed);
        for (std::uint64_t i = m_begin.load(std::memory_order_relaxed); i < end; ++i) take(at(i));
        m_begin.store(end, std::memory_order_release);
    }
    /// What waits, in the order of the counters. What another thread adds or takes out meanwhile may be there or not.
    std::vector<ApplyNote> waiting() const;

private:
    static constexpr std::size_t kRoom = 1024;
    struct Place {
        std::atomic<std::uint64_t> ticks{0};
        std::atomic<std::uint32_t> counter{0};
    };

    ApplyNote at(std::uint64_t index) const
    {
        const Place &place = m_places[index % kRoom];
        return {place.counter.load(std::memory_order_acquire), place.ticks.load(std::memory_order_acquire)};
    }

    std::array<Place, kRoom> m_places;
    std::atomic<std::uint64_t> m_begin{0}, m_end{0}; // of all notes ever
};

} // namespace engine
