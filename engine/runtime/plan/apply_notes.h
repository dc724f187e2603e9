// Times of applies on their way to the counters.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
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
    /// Of so many applies: each call is expected to note each of them once.
    explicit ApplyNotes(std::size_t applies);

    bool isFull() const { return m_end.load(std::memory_order_relaxed) - m_begin.load(std::memory_order_relaxed) == m_room; }
    void add(std::uint32_t counter, std::uint64_t ticks)
    {
        const std::uint64_t end = m_end.load(std::memory_order_relaxed);
        Place &place = m_places[end & (m_room - 1)];
        // Released: who sees what was written over an older note also sees that that one was taken out.
        place.counter.store(counter, std::memory_order_release);
        place.ticks.store(ticks, std::memory_order_release);
        m_end.store(end + 1, std::memory_order_release);
    }
    /// Those of one apply come one after the other, so that its counter is fetched once.
    template <class Take>
    void takeOut(Take take)
    {
        const std::uint64_t begin = m_begin.load(std::memory_order_relaxed), end = m_end.load(std::memory_order_relaxed);
        for (std::uint64_t first = begin; first < end && first < begin + m_applies; ++first)
            for (std::uint64_t i = first; i < end; i += m_applies) take(at(i));
        m_begin.store(end, std::memory_order_release);
    }
    /// What waits, in the order of the counters. What another thread adds or takes out meanwhile may be there or not.
    std::vector<ApplyNote> waiting() const;

private:
    struct Place {
        std::atomic<std::uint64_t> ticks{0};
        std::atomic<std::uint32_t> counter{0};
    };

    ApplyNote at(std::uint64_t index) const
    {
        const Place &place = m_places[index & (m_room - 1)];
        return {place.counter.load(std::memory_order_acquire), place.ticks.load(std::memory_order_acquire)};
    }

    const std::size_t m_applies, m_room; // a power of two
    const std::unique_ptr<Place[]> m_places;
    std::atomic<std::uint64_t> m_begin{0}, m_end{0}; // of all notes ever
};

} // namespace engine
