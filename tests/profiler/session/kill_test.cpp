// A writer that is killed, whose disk fails, or that is forked: what is left always opens.

#include "profiler/session/database.h"
#include "profiler/session/files.h"
#include "profiler/session/reader.h"
#include "profiler/session/writer.h"
#include "tests/children.h"
#include "tests/profiler/session/fixture.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/resource.h>
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

// Numbers that parent and child share.
struct Shared {
    std::atomic<bool> ready;
    std::atomic<std::int64_t> posted;  // messages handed over
    std::atomic<std::int64_t> settled; // those that flush() has answered for
};

Shared *sharedMemory()
{
    void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return new (memory) Shared{};
}

[[noreturn]] void recordUntilKilled(const std::string &path, Shared *shared)
{
    fixture::FixtureOptions options;
    options.finish = false;
    options.calls = 3;
    fixture::FixtureSession session(path, options);
    session.writer()->flush();
    shared->ready = true;
    for (std::int64_t i = 0;; ++i) {
        session.addCalls(1);
        Message message;
        message.text = "beat " + std::to_string(i);
        message.timeNs = session.writer()->nowNs();
        session.writer()->addMessage(message);
        shared->posted = i + 1;
        if (i % 16 == 15) {
            session.writer()->flush();
            shared->settled = i + 1;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

TEST(Kill, aKilledWriterLeavesASessionThatSaysWhereItEnded)
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
        EXPECT_NE(info.cutOffReason.find("of train, at "), std::string::npos) << info.cutOffReason;
        EXPECT_NE(sessionWarning(info), "");
        const std::size_t beats = reader->messages().size() - 2; // two come with the fixture
        EXPECT_GE(static_cast<std::int64_t>(beats), mustBeThere);
        EXPECT_LE(static_cast<std::int64_t>(beats), shared->posted + 1);
        GraphReplica replica = reader->replica(reader->functions().at(0).graph);
        replica.goTo(replica.stepCount());
        EXPECT_GT(replica.applyCount(), 10);
        // Statistics are handed over before the counters, so they are never behind.
        std::int64_t thunks = 0;
        for (const ApplyStats &stats : reader->applyStats()) thunks += raw(stats.function) == 0 ? stats.totalNs : 0;
        EXPECT_GE(thunks, reader->functions().at(0).run.thunkNs);
        munmap(shared, sizeof(Shared));
    }
}

TEST(Kill, killedWhileCompilingNamesTheStep)
{
    const Scratch scratch;
    const std::string path = scratch / "a.croton";
    const pid_t child = fork();
    if (child == 0) {
        auto writer = SessionWriter::create(path, {});
        FunctionInfo function;
        function.id = FunctionId{0};
        function.name = "train";
        writer->setFunction(function);
        Progress progress;
        progress.activity = "compiling";
        progress.function = FunctionId{0};
        progress.step = 12;
        writer->setProgress(progress);
        Message message;
        message.text = "optimizing";
        writer->addMessage(message);
        writer->flush();
        raise(SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const std::string reason = SessionReader::open(path)->info().cutOffReason;
    EXPECT_EQ(reason.rfind("cut off while compiling train, after step 12, at ", 0), 0u) << reason;
    EXPECT_NE(reason.find(" s (last message: optimizing)"), std::string::npos) << reason;
}

TEST(Kill, aDiskThatFailsEndsTheRecordingAndNotTheRun)
{
    const Scratch scratch;
    const std::string path = scratch / "full.croton";
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1 << 20, 1 << 20};
        setrlimit(RLIMIT_FSIZE, &limit);
        static std::atomic<int> errors{0};
        WriterOptions options;
        options.onError = [](const SessionError &error) { errors += error.hint().empty() ? 100 : 1; };
        auto writer = SessionWriter::create(path, {}, options);
        const std::string text(100'000, 'x');
        for (int i = 0; i < 40; ++i) {
            writer->addOutput(1, text);
            writer->flush();
        }
        const bool failed = writer->failed();
        writer->finish(0);
        _exit(failed && errors == 1 ? 7 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    const auto reader = SessionReader::open(path);
    const SessionInfo info = reader->info();
    EXPECT_EQ(info.state, SessionState::CutOff);
    EXPECT_LT(reader->outputs().size(), 40u);
}

// All that a child of fork may still do to the writer of its parent, and a session of its own.
// The alarm ends one that waits for what cannot come.
int statusOfChild(std::unique_ptr<SessionWriter> &writer, const std::string &own)
{
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        writer->onRefresh({});
        writer->addOutput(1, "from the child");
        writer->setProgress({});
        (void)writer->intern("a text of the child");
        writer->flush();
        writer->finish(3);
        writer.reset();
        auto another = SessionWriter::create(own, {});
        another->addOutput(1, "from the child");
        another->finish(3);
        _exit(SessionReader::open(own)->info().exitStatus);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Kill, aForkedChildRecordsNothing)
{
    SKIP_WHERE_CHILDREN_CANNOT_ALLOCATE();
    const Scratch scratch;
    const std::string path = scratch / "a.croton";
    auto writer = SessionWriter::create(path, {});
    EXPECT_EQ(statusOfChild(writer, scratch / "own.croton"), 3);
    writer->addOutput(1, "from the parent");
    writer->finish(0);
    const auto reader = SessionReader::open(path);
    ASSERT_EQ(reader->outputs().size(), 1u);
    EXPECT_EQ(reader->outputs()[0].text, "from the parent");
    EXPECT_EQ(reader->info().exitStatus, 0);
}

TEST(Kill, aChildForkedWhileMuchIsWrittenEnds)
{
    SKIP_WHERE_CHILDREN_CANNOT_ALLOCATE();
    const Scratch scratch;
    const std::string path = scratch / "a.croton";
    WriterOptions options;
    options.commitEveryMs = 0;
    options.maxOutputBytes = options.maxMessages = SIZE_MAX;
    auto writer = SessionWriter::create(path, {}, options);
    std::atomic<bool> enough{false};
    std::thread other([&] { // whoever holds the writer's locks is not there in the child
        for (std::uint32_t i = 0; !enough; ++i) {
            (void)writer->intern("text " + std::to_string(i % 1000));
            writer->setProgress({});
        }
    });
    for (int round = 0; round < 100 && !HasFailure(); ++round)
        EXPECT_EQ(statusOfChild(writer, scratch / "own.croton"), 3) << "round " << round;
    enough = true;
    other.join();
    writer->finish(0);
    EXPECT_EQ(SessionReader::open(path)->info().state, SessionState::Finished);
}

} // namespace
