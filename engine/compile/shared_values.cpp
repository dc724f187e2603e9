#include "engine/compile/shared_values.h"

#include <atomic>
#include <thread>
#include <utility>

namespace engine {
namespace {

// Held for as long as a reference is counted: one lock for all variables.
std::atomic_flag g_busy;

class Held {
public:
    Held()
    {
        while (g_busy.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    }
    ~Held() { g_busy.clear(std::memory_order_release); }
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;
};

} // namespace

Value sharedValue(const Container &container)
{
    const Held held;
    return container.value();
}

void setSharedValue(Container &container, Value value)
{
    Value before; // goes when the lock is open again
    const Held held;
    before = container.value();
    container.set(std::move(value));
}

} // namespace engine
