#include "engine/tensor/fork.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace engine;

namespace {

struct Pair {
    ProcessMutex mutex;
    std::atomic<int> one{0}, other{0}; // equal whenever nobody is within
};

TEST(Fork, aChildFindsMutexesOfTheProcessFreeAndWhatTheyGuardWhole)
{
    static Pair first, second;
    std::atomic<bool> done{false};
    const auto change = [&](Pair &outer, Pair &inner) { // each thread takes them in another order
        while (!done) {
            const std::lock_guard lock(outer.mutex);
            ++outer.one;
            if (const std::unique_lock within(inner.mutex, std::try_to_lock); within) ++inner.one, ++inner.other;
            ++outer.other;
        }
    };
    std::thread one([&] { change(first, second); }), other([&] { change(second, first); });
    const std::uint32_t forks = forksSoFar();
    for (int round = 0; round < 200 && !HasFailure(); ++round) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20); // ends one that waits for what cannot come
            bool whole = forksSoFar() == forks + 1;
            for (Pair *pair : {&first, &second}) {
                const std::lock_guard lock(pair->mutex);
                whole = whole && pair->one == pair->other;
            }
            _exit(whole ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0) << "round " << round;
    }
    EXPECT_EQ(forksSoFar(), forks);
    done = true;
    one.join();
    other.join();
}

} // namespace
