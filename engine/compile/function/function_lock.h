// One call of a function at a time: other threads wait, a call within the call is an error.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace engine {

class FunctionLock {
public:
    /// Waits; throws where a call of this thread, or of one that is not in this process, holds it. `name`: of the function.
    void lock(const std::string &name);
    /// False: it is held for longer than a second, or by a thread that is not in this process.
    bool lockSoon();
    void unlock();
    /// Does a call of this thread hold it?
    bool isOurs() const
    {
        return m_busy.load(std::memory_order_relaxed) && m_runner.load(std::memory_order_relaxed) == std::this_thread::get_id();
    }

private:
    std::atomic<std::uint32_t> m_busy{0};     // 0: free; else one more than the forks so far, when it was taken
    std::atomic<std::uint32_t> m_sleepers{0}; // threads that wait for it
    std::atomic<std::thread::id> m_runner{};
};

} // namespace engine
