// Threads that compile, call, drop and swap kernels at once while all of it is recorded. What it guards shows under the
// thread sanitizer (preset tsan); anywhere it checks that values and counts are right.
#include "profiler/record/recorder.h"

#include "engine/codegen/kernel_service.h"
#include "engine/compile/function/function.h"
#include "engine/device/cpu/compiler/kernel_cache.h"
#include "engine/runtime/plan/threads.h"
#include "engine/text/notation.h"
#include "profiler/session/store/reader.h"
#include "tests/children.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

using namespace profiler;

namespace {

constexpr int kThreads = 4, kFunctions = 5, kCalls = 8;

std::shared_ptr<engine::Function> compiled(const std::string &text, const std::string &name)
{
    const engine::ParsedExpression parsed = engine::parseExpression(text);
    engine::FunctionSpec spec;
    spec.name = name;
    for (const engine::VarRef &input : parsed.inputs) spec.inputs.push_back({input});
    spec.outputs = parsed.outputs;
    return engine::Function::compile(std::move(spec));
}

double call(engine::Function &function, const engine::Tensor &input, std::int64_t at)
{
    const std::vector<engine::Value> inputs{input};
    std::vector<engine::Value> outputs;
    function.call(inputs, outputs);
    return outputs[0].tensor().at(at);
}

class ThreadsOfAHost : public testing::Test {
protected:
    void SetUp() override
    {
        engine::chooseKernelCache(m_scratch / "cache");
        engine::setThreads(3);
        engine::setSharedElements(1000);
    }
    void TearDown() override
    {
        engine::setSharedElements(0);
        engine::setThreads(0);
        engine::chooseKernelCache(std::nullopt);
    }
    Scratch m_scratch;
};

TEST_F(ThreadsOfAHost, compileCallAndDropAtOnce)
{
    const std::string path = m_scratch / "threads.croton";
    Recorder recorder(path, SessionStart{});
    const auto common = compiled("x: dvector; (x * x + 1) * (x - 2)", "common");
    const engine::Tensor values = engine::Tensor::full(engine::DType::Float64, {6000}, 3);
    std::atomic<int> wrong{0};
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            for (int k = 0; k < kFunctions; ++k) {
                // Every second one is the same in all threads: one kernel for several functions.
                const int number = k % 2 ? 1000 + k : t * 100 + k;
                const auto own = compiled("x: dvector; (x * x + " + std::to_string(number) + ".5) * (x - 2) + x", "own");
                for (int i = 0; i < kCalls; ++i) {
                    wrong += call(*own, values, 5999) != 9 + number + 0.5 + 3;
                    wrong += call(*common, values, 17) != 10;
                    if (i == 4) engine::waitForKernels();
                }
            }
        });
    std::thread watcher([&] {
        while (!done) {
            recorder.refresh();
            recorder.counts();
            engine::kernelCounts();
            std::this_thread::yield();
        }
    });
    for (std::thread &thread : threads) thread.join();
    done = true;
    watcher.join();
    EXPECT_EQ(wrong, 0);
    recorder.finish(0);
    const auto reader = SessionReader::open(path);
    std::int64_t calls = 0;
    for (const FunctionInfo &function : reader->functions()) calls += function.run.calls;
    EXPECT_EQ(reader->functions().size(), 1u + kThreads * kFunctions);
    EXPECT_EQ(calls, 2 * kThreads * kFunctions * kCalls);
}

// The threads that hold the recorder's locks are not there in a child, which works on all the same: what it is asked to
// record is recorded, in a session of its own.
TEST_F(ThreadsOfAHost, aChildForkedWhileMuchIsRecordedWorksOn)
{
    SKIP_WHERE_CHILDREN_CANNOT_WORK();
    const std::string path = m_scratch / "forks.croton";
    Recorder recorder(path, SessionStart{});
    const auto common = compiled("x: dvector; (x * x + 1) * (x - 2)", "common");
    engine::waitForKernels();
    const engine::Tensor values = engine::Tensor::full(engine::DType::Float64, {100}, 3);
    std::atomic<bool> done{false};
    std::thread watcher([&] {
        while (!done) {
            recorder.refresh();
            recorder.counts();
        }
    });
    constexpr int kRounds = 100;
    for (int round = 0; round < kRounds && !HasFailure(); ++round) {
        EXPECT_EQ(call(*common, values, 17), 10);
        const pid_t child = fork();
        if (child == 0) {
            alarm(20); // ends one that waits for what cannot come
            bool right = call(*common, values, 17) == 10;
            right = right && call(*compiled("x: dvector; x * 5 + " + std::to_string(round), "own"), values, 0) == 15 + round;
            recorder.refresh();
            recorder.counts();
            recorder.setMessage(0, "of a child");
            recorder.finish(3);
            Recorder ofTheChild(m_scratch / "child.croton", SessionStart{});
            right = right && call(*compiled("x: dvector; x * 7", "recorded"), values, 0) == 21;
            ofTheChild.finish(0);
            const auto functions = SessionReader::open(m_scratch / "child.croton")->functions();
            right = right && functions.size() == 1 && functions[0].run.calls == 1;
            _exit(right ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0) << "round " << round;
    }
    done = true;
    watcher.join();
    recorder.finish(0);
    const auto reader = SessionReader::open(path);
    EXPECT_EQ(reader->info().exitStatus, 0);
    ASSERT_EQ(reader->functions().size(), 1u);
    EXPECT_EQ(reader->functions()[0].run.calls, kRounds);
}

} // namespace
