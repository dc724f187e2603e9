#include "engine/tensor/fork.h"

#include <atomic>
#include <vector>

#include <pthread.h>

namespace engine {
namespace {

struct Forks {
    std::atomic<std::uint32_t> count{0};
    std::mutex mutex; // guards the list
    std::vector<HeldInForks> held;
};

Forks &forks();

// Some are taken while others are held, in whatever order: all at once, or none but the one that was not free, which is waited for.
void takeAll()
{
    Forks &all = forks();
    all.mutex.lock();
    const std::size_t count = all.held.size();
    for (std::size_t first = 0, taken = 0; taken < count;) {
        const HeldInForks &awaited = all.held[first];
        awaited.lock(awaited.mutex);
        const auto at = [&](std::size_t i) -> const HeldInForks & { return all.held[(first + i) % count]; };
        for (taken = 1; taken < count && at(taken).tryLock(at(taken).mutex);) ++taken;
        if (taken == count) break;
        for (std::size_t i = 0; i < taken; ++i) at(i).unlock(at(i).mutex);
        first = (first + taken) % count;
        taken = 0;
    }
}

void giveAllBack()
{
    Forks &all = forks();
    for (const HeldInForks &one : all.held) one.unlock(one.mutex);
    all.mutex.unlock();
}

// Never destroyed: a process may fork while it ends.
Forks &forks()
{
    static Forks *const instance = [] {
        auto *made = new Forks;
        pthread_atfork(takeAll, giveAllBack, [] {
            ++forks().count;
            giveAllBack();
        });
        return made;
    }();
    return *instance;
}

} // namespace

std::uint32_t forksSoFar() { return forks().count.load(std::memory_order_relaxed); }

void holdInForks(HeldInForks mutex)
{
    Forks &all = forks();
    std::lock_guard lock(all.mutex);
    all.held.push_back(mutex);
}

} // namespace engine
