// What the child of a fork may rely on. Only the thread that forked goes on there: a lock that another one held stays locked.
#pragma once

#include <cstdint>
#include <mutex>

namespace engine {

/// Forks between the process that began and this one: what remembers another number was made, or locked, by a parent.
std::uint32_t forksSoFar();

/// Some mutex of static storage, or never destroyed.
struct HeldInForks {
    void *mutex;
    void (*lock)(void *);
    bool (*tryLock)(void *);
    void (*unlock)(void *);
};
/// Each fork takes it before and gives it back after, in both processes.
void holdInForks(HeldInForks mutex);

/// A mutex that guards something of the whole process: nobody is within at the moment of a fork, so the child finds it free and
/// what it guards whole. For moments only; whoever holds it never waits for the host language.
template <class Mutex>
class ProcessWide : public Mutex {
public:
    ProcessWide()
    {
        holdInForks({static_cast<Mutex *>(this), [](void *mutex) { static_cast<Mutex *>(mutex)->lock(); },
                     [](void *mutex) { return static_cast<Mutex *>(mutex)->try_lock(); },
                     [](void *mutex) { static_cast<Mutex *>(mutex)->unlock(); }});
    }
};
using ProcessMutex = ProcessWide<std::mutex>;

} // namespace engine
