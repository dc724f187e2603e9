// What a session says of the machine, and the clocks by which it is recorded.
#include "engine/tensor/clock.h"
#include "profiler/record/roofs.h"
#include "tests/profiler/record/training.h"

#include <chrono>
#include <fstream>
#include <map>
#include <set>
#include <thread>

using namespace profiler;

namespace {

TEST_F(Record, describesTheMachineItsClocksAndRoofs)
{
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    callOften(*function, 50);
    const auto reader = finish();
    std::map<std::string, Clock> clocks;
    for (const Clock &clock : reader->clocks()) clocks[clock.name] = clock;
    EXPECT_GT(clocks["host"].overheadNs, 0.5);
    EXPECT_LT(clocks["host"].overheadNs, 1000);
    EXPECT_GT(clocks["call"].overheadNs, 0);
    EXPECT_GT(reader->info().recordingNs, 0);
    std::map<std::string, double> roofs;
    for (const Roof &roof : reader->roofs()) roofs[roof.name] = roof.value;
    EXPECT_GT(roofs["flops.float32"], 1e8);
    EXPECT_GT(roofs["bandwidth.memory"], 1e8);
    EXPECT_EQ(reader->devices().size(), 1u); // no drivers were loaded to look for more
    for (const DeviceInfo &device : reader->devices()) EXPECT_EQ(device.available, device.reason.empty()) << device.name;
}

TEST(Roofs, areReadFromTheCacheTheSecondTime)
{
    const Scratch scratch;
    const std::string file = scratch / "roofs";
    const std::vector<Roof> measured = machineRoofs(file);
    ASSERT_EQ(measured.size(), 5u);
    const std::vector<Roof> again = machineRoofs(file);
    ASSERT_EQ(again.size(), measured.size());
    for (std::size_t i = 0; i < again.size(); ++i) EXPECT_NEAR(again[i].value, measured[i].value, 1e-4 * measured[i].value);
    std::ofstream(file) << "croton-roofs 2\nanother processor\nflops.float32 1 flop/s\n";
    EXPECT_GT(machineRoofs(file).at(0).value, 1e6); // measured anew
}

// Calls are timed by another clock than the session: where they are on its axis is where they were.
TEST_F(Record, callsLieWhereTheyWereOnTheClockOfTheSession)
{
    constexpr std::int64_t kSlackNs = 1'000'000;
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    callOften(*function, 20);
    const std::int64_t before = m_recorder->writer().nowNs();
    callOften(*function, 1);
    const std::int64_t after = m_recorder->writer().nowNs();
    const auto reader = finish();
    const FunctionInfo info = reader->functions().at(0);
    EXPECT_GE(info.run.lastCallNs, before - kSlackNs);
    EXPECT_LE(info.run.lastCallNs, after + kSlackNs);
    for (const Event &event : reader->events()) {
        if (event.kind != EventKind::Call || event.call != 20) continue;
        EXPECT_GE(event.startNs, before - kSlackNs);
    }
}

// What tests rest on is the same on every machine: an apply takes what its work says, not what the machine makes of it.
TEST(Recorder, byAModelClockEveryRecordingHasTheSameTimes)
{
    const auto recorded = [](std::size_t delayMs) {
        const Scratch scratch;
        const engine::ModelClock clock;
        Recorder recorder(scratch / "a.croton", SessionStart{});
        const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
        std::this_thread::sleep_for(std::chrono::milliseconds(delayMs)); // the machine's clock goes on
        callOften(*function, 50);
        recorder.finish(0);
        std::vector<std::int64_t> times;
        const auto reader = SessionReader::open(scratch / "a.croton");
        for (const ApplyStats &stats : reader->applyStats()) times.push_back(stats.totalNs);
        EXPECT_EQ(reader->functions().at(0).run.calls, 50);
        return times;
    };
    const std::vector<std::int64_t> once = recorded(0), again = recorded(30);
    EXPECT_EQ(once, again);
    EXPECT_GT(std::set(once.begin(), once.end()).size(), 2u);
    EXPECT_FALSE(engine::ModelClock::isOn());
}

} // namespace
