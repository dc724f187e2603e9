#include "engine/compile/request/shared_values.h"

#include "engine/tensor/fork.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

namespace engine {
namespace {

class SpinLock {
public:
    bool try_lock() { return !m_busy.test_and_set(std::memory_order_acquire); }
    void lock()
    {
        while (!try_lock()) std::this_thread::yield();
    }
    void unlock() { m_busy.clear(std::memory_order_release); }

private:
    std::atomic_flag m_busy;
};

// Held for as long as a reference is counted: one lock for all variables.
ProcessWide<SpinLock> g_busy;

} // namespace

Value sharedValue(const Container &container)
{
    const std::lock_guard held(g_busy);
    return container.value();
}

void setSharedValue(Container &container, Value value)
{
    Value before; // goes when the lock is open again
    const std::lock_guard held(g_busy);
    before = container.value();
    container.set(std::move(value));
}

} // namespace engine
