// A run that is killed while it is recorded: what is left opens, and says where it ended.
#include "profiler/session/store/reader.h"
#include "tests/profiler/record/live_session.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

using namespace profiler;

namespace {

// Numbers that parent and child share: calls that were begun, and those that are in the file.
struct Shared {
    std::atomic<bool> ready;
    std::atomic<std::int64_t> begun;
    std::atomic<std::int64_t> settled;
};

Shared *sharedMemory()
{
    void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return new (memory) Shared{};
}

[[noreturn]] void recordUntilKilled(const std::string &path, Shared *shared)
{
    LiveSession session(path);
    shared->begun = shared->settled = LiveSession::kFirstCalls;
    shared->ready = true;
    for (std::int64_t calls = LiveSession::kFirstCalls;; ++calls) {
        shared->begun = calls + 1;
        session.call(1);
        shared->settled = calls + 1;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

TEST(Kill, AKilledRunLeavesASessionThatSaysWhereItEnded)
{
    const int rounds = std::getenv("CROTON_LONG_TESTS") ? 100 : 10;
    std::mt19937 random(42);
    for (int round = 0; round < rounds; ++round) {
        const Scratch scratch;
        const std::string path = scratch / "killed.croton";
        Shared *shared = sharedMemory();
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) recordUntilKilled(path, shared);
        while (!shared->ready) std::this_thread::yield();
        const int delayMs = round == 0 ? 900 : static_cast<int>(random() % 250);
        std::this_thread::sleep_for(std::chrono::milliseconds(delayMs));
        const std::int64_t mustBeThere = shared->settled;
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);

        const auto reader = SessionReader::open(path);
        const SessionInfo info = reader->info();
        EXPECT_EQ(info.state, SessionState::CutOff);
        EXPECT_NE(info.cutOffReason.find("of entropy, at "), std::string::npos) << info.cutOffReason;
        EXPECT_NE(sessionWarning(info), "");
        const FunctionInfo function = reader->functions().at(0);
        EXPECT_GE(function.run.calls, mustBeThere);
        EXPECT_LE(function.run.calls, shared->begun);
        GraphReplica replica = reader->replica(function.graph);
        replica.goTo(replica.stepCount());
        EXPECT_GT(replica.applyCount(), 2);
        // Statistics are handed over before the counters, so they are never behind.
        std::int64_t thunks = 0;
        for (const ApplyStats &stats : reader->applyStats()) thunks += stats.function == function.id ? stats.totalNs : 0;
        EXPECT_GE(thunks, function.run.thunkNs);
        munmap(shared, sizeof(Shared));
    }
}

} // namespace
