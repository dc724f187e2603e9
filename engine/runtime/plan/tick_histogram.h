// How often an apply took how long.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace engine {

/// Ticks in logarithmic classes, 16 per octave; longer than 2^40 ticks counts as that. One thread adds, any may look.
/// The times of one apply are alike: four octaves are at hand, room for others is made when they come.
class TickHistogram {
public:
    static constexpr unsigned kPerOctave = 16;
    static constexpr unsigned kClasses = kPerOctave * 37;

    /// `like`: what is to come is about as long.
    explicit TickHistogram(std::uint64_t like) : m_first(firstNear(classOf(like) / kPerOctave)) {}
    TickHistogram(const TickHistogram &) = delete;
    TickHistogram &operator=(const TickHistogram &) = delete;
    ~TickHistogram() { delete m_far.load(std::memory_order_relaxed); }

    void add(std::uint64_t ticks) { addTo(classOf(ticks), 1); }
    void addTo(unsigned index, std::uint32_t count)
    {
        const unsigned octave = index / kPerOctave;
        Octave &into = octave - m_first < kNear ? m_near[octave - m_first] : far(octave);
        std::atomic<std::uint32_t> &place = into[index % kPerOctave];
        place.store(place.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    }
    /// visit(class, count) for those that hold something, in order.
    template <class Visit>
    void visit(Visit visit) const
    {
        for (unsigned octave = 0; octave < kOctaves; ++octave)
            if (const Octave *counts = find(octave))
                for (unsigned i = 0; i < kPerOctave; ++i)
                    if (const std::uint32_t count = (*counts)[i].load(std::memory_order_relaxed)) visit(octave * kPerOctave + i, count);
    }
    void clear()
    {
        for (unsigned octave = 0; octave < kOctaves; ++octave)
            if (const Octave *counts = find(octave))
                for (auto &count : const_cast<Octave &>(*counts)) count.store(0, std::memory_order_relaxed);
    }

    static unsigned classOf(std::uint64_t ticks)
    {
        if (ticks < kPerOctave) return static_cast<unsigned>(ticks);
        const unsigned top = static_cast<unsigned>(std::bit_width(ticks)) - 1;
        const unsigned index = (top - 3) * kPerOctave + static_cast<unsigned>(ticks >> (top - 4)) % kPerOctave;
        return index < kClasses ? index : kClasses - 1;
    }
    /// The smallest value of a class.
    static std::uint64_t startOf(unsigned index)
    {
        if (index < kPerOctave) return index;
        return std::uint64_t(kPerOctave + index % kPerOctave) << (index / kPerOctave - 1);
    }

private:
    static constexpr unsigned kOctaves = kClasses / kPerOctave, kNear = 4;
    using Octave = std::array<std::atomic<std::uint32_t>, kPerOctave>;
    struct Far {
        std::array<std::atomic<Octave *>, kOctaves> octaves{};
        Far() = default;
        Far(const Far &) = delete;
        Far &operator=(const Far &) = delete;
        ~Far()
        {
            for (auto &octave : octaves) delete octave.load(std::memory_order_relaxed);
        }
    };

    // One below, two above: what is unlike is mostly longer.
    static unsigned firstNear(unsigned octave) { return octave == 0 ? 0 : octave - 1 > kOctaves - kNear ? kOctaves - kNear : octave - 1; }
    const Octave *find(unsigned octave) const
    {
        if (octave - m_first < kNear) return &m_near[octave - m_first];
        const Far *far = m_far.load(std::memory_order_acquire);
        return far ? far->octaves[octave].load(std::memory_order_acquire) : nullptr;
    }
    Octave &far(unsigned octave)
    {
        Far *far = m_far.load(std::memory_order_relaxed);
        if (!far) m_far.store(far = new Far, std::memory_order_release);
        Octave *counts = far->octaves[octave].load(std::memory_order_relaxed);
        if (!counts) far->octaves[octave].store(counts = new Octave{}, std::memory_order_release);
        return *counts;
    }

    const unsigned m_first;
    std::array<Octave, kNear> m_near{};
    std::atomic<Far *> m_far{nullptr};
};

} // namespace engine
