// What is handed over faster than it is written: nobody waits for who waits for them, nothing of a graph is lost, and what
// a disk that stands still made us drop is told.
#include "profiler/record/recorder.h"

#include "engine/compile/function/function.h"
#include "engine/text/notation.h"
#include "profiler/session/store/reader.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <thread>
#include <utility>

using namespace profiler;

namespace {

std::string longExpression(int steps)
{
    std::string text = "x: dvector\ny0 = x\n";
    for (int i = 0; i < steps; ++i) {
        const std::string from = "y" + std::to_string(i), number = std::to_string(i) + ".5";
        text += "y" + std::to_string(i + 1) + " = tanh(" + from + " * " + number + ") + sum(" + from + ")\n";
    }
    return text + "y" + std::to_string(steps);
}

/// Compiles, recorded through a queue of that size.
void record(const std::string &path, const std::string &text, std::size_t queuedBytes)
{
    WriterOptions options;
    options.maxQueuedBytes = queuedBytes;
    options.commitEveryMs = 1'000'000; // what waits for that is dropped
    Recorder recorder(path, SessionStart{}, options);
    const engine::ParsedExpression parsed = engine::parseExpression(text);
    engine::FunctionSpec spec;
    spec.name = "f";
    for (const engine::VarRef &input : parsed.inputs) spec.inputs.push_back({input});
    spec.outputs = parsed.outputs;
    const auto function = engine::Function::compile(std::move(spec));
    recorder.finish(0);
}

TEST(Queue, thatIsFullHoldsUpACompileForTheDiskAlone)
{
    const Scratch scratch;
    const std::string text = longExpression(60);
    record(scratch / "roomy.croton", text, 64u << 20);
    record(scratch / "narrow.croton", text, 4u << 10);
    const auto expected = SessionReader::open(scratch / "roomy.croton"), got = SessionReader::open(scratch / "narrow.croton");
    ASSERT_EQ(got->functions().size(), 1u);
    const GraphId graph = got->functions()[0].graph;
    EXPECT_GT(got->functions()[0].stepCount, 100);
    EXPECT_EQ(got->replica(graph).stepCount(), got->functions()[0].stepCount);
    const GraphRows rows = got->graphRows(graph), expectedRows = expected->graphRows(graph);
    EXPECT_EQ(rows.steps.size(), expectedRows.steps.size());
    EXPECT_EQ(rows.applies.size(), expectedRows.applies.size());
    EXPECT_EQ(rows.declines.size(), expectedRows.declines.size());
    EXPECT_EQ(got->whyDropped("steps") + got->whyDropped("rows"), "");
}

StepFacts stepOf(GraphId graph, int index)
{
    StepFacts step;
    step.graph = graph;
    step.index = index;
    return step;
}

TEST(Queue, thatNeverIsEmptyStillAnswersAFlush)
{
    const Scratch scratch;
    WriterOptions options;
    options.maxQueuedBytes = 24u << 16;
    options.maxSourceBytes = options.maxFileBytes = std::size_t(4) << 30;
    auto writer = SessionWriter::create(scratch / "a.croton", {}, options);
    Kernel kernel;
    kernel.function = FunctionId{0};
    kernel.source = std::string(1u << 16, 'x');
    // A queue holds 24. The producer stops at the answer, or here: a flush that waits for an empty queue is answered after all of them.
    constexpr int kMost = 1'000'000;
    std::atomic<int> told = 0;
    std::thread producer([&] {
        for (; told < kMost; ++told) writer->addKernels({kernel});
    });
    while (told < 24) std::this_thread::yield();
    writer->flush();
    const int atAnswer = told.exchange(kMost);
    producer.join();
    EXPECT_LT(atAnswer, kMost);
    writer->finish(0, "");
}

TEST(Queue, ofADiskThatStandsStillDropsAndTells)
{
    const Scratch scratch;
    WriterOptions options;
    options.maxQueuedBytes = 4096;
    options.patienceMs = 20;
    auto writer = SessionWriter::create(scratch / "a.croton", {}, options);
    std::promise<void> stands, goesOn;
    std::future<void> isStanding = stands.get_future();
    writer->onRefresh([&, first = true, end = goesOn.get_future().share()](SessionWriter &) mutable {
        if (std::exchange(first, false)) {
            stands.set_value();
            end.wait();
        }
    });
    isStanding.wait();
    for (int i = 0; i < 100; ++i) {
        writer->addSteps({stepOf(GraphId{1}, i)});
        writer->addEvents(std::vector<Event>(10));
    }
    for (int i = 0; i < 100; ++i) writer->setMeta("key" + std::to_string(i), std::string(1000, 'x'));
    goesOn.set_value();
    writer->flush();
    writer->addSteps({stepOf(GraphId{1}, 100), stepOf(GraphId{1}, 101)}); // behind a gap
    writer->addSteps({stepOf(GraphId{2}, 0)});
    writer->finish(0);
    const auto reader = SessionReader::open(scratch / "a.croton");
    std::map<std::string, std::int64_t> drops;
    for (const Drop &drop : reader->drops()) {
        drops[drop.what] = drop.count;
        EXPECT_EQ(drop.reason, kSlowDisk);
    }
    const auto kept = reader->steps(GraphId{1});
    ASSERT_GT(kept.size(), 0u);
    for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i].index, static_cast<int>(i));
    EXPECT_EQ(static_cast<std::int64_t>(kept.size()) + drops["steps"], 102);
    EXPECT_EQ(reader->steps(GraphId{2}).size(), 1u);
    EXPECT_EQ(static_cast<std::int64_t>(reader->events().size()) + drops["events"], 1000);
    EXPECT_GT(drops["rows"], 0); // even what a session needs has its bound
}

} // namespace
