#include "engine/compile/function/function_lock.h"

#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"
#include "engine/tensor/interrupt.h"

namespace engine {

void FunctionLock::lock(const std::string &name)
{
    const std::uint32_t taken = forksSoFar() + 1;
    std::uint32_t found = 0;
    if (m_busy.compare_exchange_strong(found, taken, std::memory_order_acquire)) {
        m_runner.store(std::this_thread::get_id(), std::memory_order_relaxed);
        return;
    }
    if (m_runner.load(std::memory_order_relaxed) == std::this_thread::get_id())
        throw UserError("the function '" + name + "' was called while it is running", "a function may not call itself");
    do {
        if (found != 0 && found != taken)
            throw UserError("the function '" + name + "' was running in another thread when this process was forked",
                            "compile it anew here, or fork while no thread runs it");
        ++m_sleepers;
        sleepWhile(m_busy, taken);
        --m_sleepers;
        checkInterrupt();
        found = 0;
    } while (!m_busy.compare_exchange_strong(found, taken, std::memory_order_acquire));
    m_runner.store(std::this_thread::get_id(), std::memory_order_relaxed);
}

bool FunctionLock::lockSoon()
{
    const std::uint32_t taken = forksSoFar() + 1;
    for (int waitedMs = 0; waitedMs < 1000; waitedMs += kLookMs) {
        std::uint32_t found = 0;
        if (m_busy.compare_exchange_strong(found, taken, std::memory_order_acquire)) {
            m_runner.store(std::this_thread::get_id(), std::memory_order_relaxed);
            return true;
        }
        if (found != 0 && found != taken) return false;
        ++m_sleepers;
        sleepWhile(m_busy, taken);
        --m_sleepers;
    }
    return false;
}

void FunctionLock::unlock()
{
    m_runner.store(std::thread::id(), std::memory_order_relaxed);
    m_busy.store(0, std::memory_order_release);
    if (m_sleepers.load(std::memory_order_relaxed)) wakeOne(m_busy); // one that comes meanwhile looks again by itself
}

} // namespace engine
