// A writer that is killed, whose disk fails, or that is forked: what is left always opens.

#include "profiler/session/store/database.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/writer.h"
#include "tests/children.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>

using namespace profiler;

namespace {

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
        const bool wasTold = errors == 1;
        writer->finish(0);
        _exit(wasTold && errors == 1 ? 7 : 1);
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
    SKIP_WHERE_CHILDREN_CANNOT_WORK();
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
    SKIP_WHERE_CHILDREN_CANNOT_WORK();
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
