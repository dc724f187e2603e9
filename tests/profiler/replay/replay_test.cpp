#include "profiler/replay/replay_report.h"
#include "tests/profiler/replay/captured.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace profiler;

namespace {

class Replay : public testing::Test {
protected:
    Replay() { recordTraining(m_scratch / "a.croton", 12), m_reader = SessionReader::open(m_scratch / "a.croton"); }
    Scratch m_scratch;
    std::unique_ptr<SessionReader> m_reader;
};

TEST_F(Replay, givesWhatWasRecorded)
{
    for (const std::int64_t number : {0, 9}) {
        const LoadedCall call = loadCall(*m_reader, "train", number);
        EXPECT_EQ(call.returned, 2u);
        EXPECT_EQ(call.outputNames, (std::vector<std::string>{"cost", "output 1", "new w"}));
        const auto function = compileCaptured(call, modeOf(call.view.function, {}));
        for (int again = 0; again < 2; ++again) { // an update does not stay
            const std::vector<engine::Value> values = callCaptured(call, *function);
            ASSERT_EQ(values.size(), 3u);
            for (std::size_t i = 0; i < values.size(); ++i) {
                ASSERT_TRUE(call.outputs[i]);
                EXPECT_TRUE(differenceBetween(values[i], *call.outputs[i]).isSame) << call.outputNames[i];
            }
        }
    }
}

TEST_F(Replay, otherModesAgreeUpToRounding)
{
    const LoadedCall call = loadCall(*m_reader, "train", 9);
    for (const ModeChanges &changes : {ModeChanges{.mode = "FAST_COMPILE", .device = {}, .including = {}, .excluding = {}},
                                       ModeChanges{.mode = {}, .device = {}, .including = {}, .excluding = {"fusion", "inplace"}}}) {
        const auto function = compileCaptured(call, modeOf(call.view.function, changes));
        const std::vector<engine::Value> values = callCaptured(call, *function);
        for (std::size_t i = 0; i < values.size(); ++i) EXPECT_LT(differenceBetween(values[i], *call.outputs[i]).relative, 1e-10);
    }
}

TEST_F(Replay, sameStepsAsRecorded)
{
    const LoadedCall call = loadCall(*m_reader, "train");
    const auto function = compileCaptured(call, modeOf(call.view.function, {}));
    const FunctionInfo info = m_reader->functions().at(0);
    const std::vector<StepInfo> steps = m_reader->steps(info.graph);
    const auto &journal = function->graph().journal();
    ASSERT_EQ(journal.steps.size() + 1, steps.size());
    for (std::size_t i = 0; i < journal.steps.size(); ++i) EXPECT_EQ(steps[i + 1].rewrite.str(), journal.steps[i].rewrite);
}

TEST_F(Replay, theReportSaysWhatDiffers)
{
    ReplayRequest request;
    request.function = "train";
    request.changes.excluding = {"fusion"};
    request.turns = {.seconds = 0, .leastRounds = 5, .mostRounds = 5};
    const ReplayResult result = replay(*m_reader, request);
    EXPECT_EQ(result.recorded, "FAST_RUN on cpu");
    EXPECT_EQ(result.asked, "FAST_RUN on cpu, without fusion");
    EXPECT_GT(result.askedApplies, result.recordedApplies);
    EXPECT_EQ(result.recordedTimes.size(), 5u);
    EXPECT_EQ(result.askedTimes.size(), 5u);
    const std::string text = replayText(result);
    EXPECT_NE(text.find("new w"), std::string::npos) << text;
    EXPECT_NE(text.find("the same"), std::string::npos) << text;
    EXPECT_NE(text.find("here, as asked"), std::string::npos) << text;
}

TEST(ValueDifferences, areInUnitsOfTheLastPlace)
{
    const auto single = [](double value) { return engine::Value(engine::Tensor::full(engine::DType::Float32, {3}, value)); };
    const auto real = [](double value) { return engine::Value(engine::Tensor::full(engine::DType::Float64, {3}, value)); };
    EXPECT_TRUE(differenceBetween(single(1), single(1)).isSame);
    EXPECT_DOUBLE_EQ(differenceBetween(single(1 + std::ldexp(3, -23)), single(1)).ulp, 3);
    EXPECT_DOUBLE_EQ(differenceBetween(single(1), real(1 + std::ldexp(1, -24))).ulp, 0.5);
    EXPECT_DOUBLE_EQ(differenceBetween(real(1 + std::ldexp(1, -52)), real(1)).ulp, 1);
    EXPECT_TRUE(differenceBetween(real(NAN), real(NAN)).isSame);
    EXPECT_EQ(differenceBetween(real(NAN), real(1)).notFinite, 3);
    EXPECT_FALSE(differenceBetween(real(1), engine::Value(engine::Tensor::zeros(engine::DType::Float64, {4}))).isSameType);
}

} // namespace
