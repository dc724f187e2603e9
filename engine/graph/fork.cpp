#include "engine/graph/fork.h"

#include <atomic>
#include <thread>
#include <vector>

#include <pthread.h>

namespace engine {
namespace {

struct Held {
    void *mutex;
    bool (*tryLock)(void *);
    void (*unlock)(void *);
};

struct Forks {
    std::atomic<std::uint32_t> count{0};
    std::mutex mutex; // guards the list
    std::vector<Held> held;
};

void release(Forks &all, std::size_t count)
{
    while (count > 0) {
        const Held &one = all.held[--count];
        one.unlock(one.mutex);
    }
}

Forks &forks();

// Some are taken while others are held, in whatever order: all of them at once, or none.
void takeAll()
{
    Forks &all = forks();
    all.mutex.lock();
    for (std::size_t taken = 0; taken < all.held.size();) {
        if (all.held[taken].tryLock(all.held[taken].mutex)) {
            ++taken;
            continue;
        }
        release(all, taken);
        taken = 0;
        std::this_thread::yield();
    }
}

void giveAllBack()
{
    Forks &all = forks();
    release(all, all.held.size());
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

void holdInForks(void *mutex, bool (*tryLock)(void *), void (*unlock)(void *))
{
    Forks &all = forks();
    std::lock_guard lock(all.mutex);
    all.held.push_back({mutex, tryLock, unlock});
}

} // namespace engine
