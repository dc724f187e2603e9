// A caller may want its call to end early: whatever may take long looks for that wish between its pieces.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace engine {

/// Ends a call whose caller wants it to end. It is no std::exception: no handler of errors blames an apply for it.
class Interrupted final {};

/// The wish to end the call at hand. Whoever makes calls that may be interrupted has one, for the thread that makes them.
class InterruptWatch {
public:
    virtual ~InterruptWatch() = default;
    /// No wish was seen in this call yet.
    void begin()
    {
        m_lookAt.store(kUnset, std::memory_order_relaxed);
        m_isEnded.store(false, std::memory_order_relaxed);
    }
    /// From any thread, also from a signal handler: check() asks at once.
    void hurry() { m_lookAt.store(0, std::memory_order_relaxed); }
    /// The wish was granted: what runs from now on may go on.
    void settle() { m_isEnded.store(false, std::memory_order_relaxed); }
    bool isEnded() const { return m_isEnded.load(std::memory_order_relaxed); }
    /// On the thread that made the call. Throws Interrupted.
    void check();

protected:
    /// Is the call to end? Asked when it has lasted kFirstLookNs, and after each hurry().
    virtual bool isEndWanted() = 0;
    /// check() asks only after hurry().
    void waitForHurry() { m_lookAt.store(kNever, std::memory_order_relaxed); }

private:
    static constexpr std::uint64_t kFirstLookNs = 8'000'000;
    static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max(), kUnset = kNever - 1;

    std::atomic<std::uint64_t> m_lookAt{kUnset}; ///< nanoseconds of a coarse clock
    std::atomic<bool> m_isEnded{false};
};

/// Throws Interrupted if the caller of this thread's call wants it to end. Cheap enough for every step of a loop and every strip of an
/// array, not for every element.
void checkInterrupt();
/// The same question for code that cannot be left by an exception: 1, and checkInterrupt() throws from now on until the call is over.
int isInterruptWanted();
/// Counts work that is done in small pieces, and looks for an interrupt after so much of it.
class Pace {
public:
    /// About a nanosecond each.
    static constexpr std::int64_t kElements = 1 << 20;
    /// `cost`: of an element, as so many cheap ones.
    explicit Pace(double cost = 1) : m_every(static_cast<std::int64_t>(static_cast<double>(kElements) / (cost > 1 ? cost : 1))) {}
    void did(std::int64_t elements)
    {
        m_done += elements;
        if (m_done < m_every) return;
        m_done = 0;
        checkInterrupt();
    }

private:
    std::int64_t m_every, m_done = 0;
};

/// The watch over this thread's call; null: nobody can interrupt it.
InterruptWatch *currentWatch();

/// While it lives calls of this thread are watched. If they are watched already, nothing changes.
class WatchedCall {
public:
    explicit WatchedCall(InterruptWatch *watch);
    ~WatchedCall();
    WatchedCall(const WatchedCall &) = delete;
    WatchedCall &operator=(const WatchedCall &) = delete;
    bool isOutermost() const { return m_isOutermost; }

private:
    bool m_isOutermost;
};

/// While it lives this thread takes part in work of another thread's call and ends with it.
class WatchedHelp {
public:
    explicit WatchedHelp(InterruptWatch *watch);
    ~WatchedHelp();
    WatchedHelp(const WatchedHelp &) = delete;
    WatchedHelp &operator=(const WatchedHelp &) = delete;
};

/// How long a wait may last before it looks for an interrupt.
inline constexpr int kLookMs = 20;
/// Sleeps while `word` has that value, kLookMs at most. Whoever changes it wakes those that sleep.
void sleepWhile(const std::atomic<std::uint32_t> &word, std::uint32_t value);
void wakeOne(const std::atomic<std::uint32_t> &word);
void wakeAll(const std::atomic<std::uint32_t> &word);

} // namespace engine
