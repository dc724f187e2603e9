#include "profiler/export/report.h"
#include "profiler/export/report_parts.h"
#include "profiler/session/store/reader.h"
#include "profiler/stats/machine/headroom_parts.h"
#include "profiler/stats/machine/machine_roofs.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

constexpr GraphId kGraph{1};

// A function of 10 calls on a machine of 100 Gflop/s and 10 GB/s; 1 us of each call is around its applies.
struct Machine {
    ProfileData data;

    Machine()
    {
        data.machine.roofs = {
            {"cpu", "flops.float32", 100e9, "flop/s"}, {"cpu", "bandwidth.cache", 10e9, "B/s"}, {"cpu", "bandwidth.memory", 5e9, "B/s"}};
        FunctionInfo function;
        function.id = FunctionId{0};
        function.name = "train";
        function.graph = kGraph;
        function.run.calls = 10;
        function.run.totalNs = 10'000;
        data.functions.push_back(function);
    }
    // It reads `in` bytes and writes as many as `out`.
    ApplyKey apply(double flops, std::int64_t in, std::int64_t out, std::int64_t nsPerCall, const char *device = "cpu")
    {
        const auto id = static_cast<std::uint32_t>(data.applies.size());
        ApplyRow row;
        row.graph = kGraph;
        row.apply = ApplyId{id};
        row.op = row.label = "op" + std::to_string(id);
        row.device = device;
        row.flops = flops;
        row.inOptimized = true;
        data.applies.push_back(row);
        for (const auto &[number, owner, bytes] : {std::tuple(id, kNoApply, in), {100 + id, row.apply, out}}) {
            VariableRow variable;
            variable.graph = kGraph;
            variable.variable = VariableId{number};
            variable.owner = owner;
            variable.bytes = bytes;
            variable.dtype = "float32";
            variable.inOptimized = true;
            variable.kind = owner == kNoApply ? VariableKind::Input : VariableKind::Result;
            data.variables.push_back(variable);
        }
        data.inputs.push_back({kGraph, row.apply, 0, VariableId{id}});
        ApplyStats stats;
        stats.function = FunctionId{0};
        stats.graph = kGraph;
        stats.apply = row.apply;
        stats.calls = 10;
        stats.totalNs = 10 * nsPerCall;
        data.stats.push_back(stats);
        data.functions[0].run.totalNs += stats.totalNs;
        return {kGraph, row.apply};
    }
    [[nodiscard]] Headroom room() const { return makeHeadroom(data, FunctionId{0}); }
};

const ApplyRoof &of(const Headroom &room, const ApplyKey &key)
{
    for (const ApplyRoof &row : room.applies)
        if (row.what.apply == key) return row;
    throw std::logic_error("no such apply");
}

TEST(Headroom, ACallIsTheSumOfItsPartsNowAndAtTheRoofs)
{
    Machine machine;
    const ApplyKey adds = machine.apply(1000, 20'000, 20'000, 9000);   // 40 KB at 10 GB/s: 4 us
    const ApplyKey product = machine.apply(90'000, 2000, 2000, 5000);  // 0.9 us of arithmetic
    const ApplyKey copies = machine.apply(0, 1'000'000, 10'000, 3000); // may have read little: 10 KB are new
    const Headroom room = machine.room();
    EXPECT_DOUBLE_EQ(room.aroundNs, 1000);
    EXPECT_DOUBLE_EQ(room.nowNs, 18'000);
    EXPECT_DOUBLE_EQ(of(room, adds).leastNs, 4000);
    EXPECT_EQ(of(room, adds).bound, Bound::Bytes);
    EXPECT_DOUBLE_EQ(of(room, product).leastNs, 900);
    EXPECT_EQ(of(room, product).bound, Bound::Arithmetic);
    EXPECT_DOUBLE_EQ(of(room, copies).leastNs, 1000);
    EXPECT_DOUBLE_EQ(room.leastNs, 1000 + 4000 + 900 + 1000);
    EXPECT_DOUBLE_EQ(room.unknownNs, 0);
    EXPECT_EQ(room.applies.front().what.apply, adds) << "what saves most comes first";
}

TEST(Headroom, NothingTakesLessThanBeginningIt)
{
    Machine machine;
    const ApplyKey tiny = machine.apply(1, 8, 8, 200);
    const ApplyKey slow = machine.apply(10, 8, 8, 500);
    const Headroom room = machine.room();
    EXPECT_DOUBLE_EQ(of(room, tiny).leastNs, 200);
    EXPECT_DOUBLE_EQ(of(room, slow).leastNs, 200) << "as the one that began fastest";
    EXPECT_EQ(of(room, slow).bound, Bound::Beginning);
}

TEST(Headroom, WithoutRoofsOfItsDeviceAnApplyStaysAsItIs)
{
    Machine machine;
    const ApplyKey there = machine.apply(1000, 20'000, 20'000, 9000, "cuda0");
    machine.apply(1000, 20'000, 20'000, 9000);
    const Headroom room = machine.room();
    EXPECT_EQ(of(room, there).bound, Bound::Unknown);
    EXPECT_EQ(of(room, there).why, Unplaced::NoDeviceRoof);
    EXPECT_DOUBLE_EQ(room.unknownNs, 9000);
    EXPECT_DOUBLE_EQ(room.leastNs, 1000 + 9000 + 4000);
    EXPECT_EQ(room.unmeasured, std::vector<std::string>{"cuda0"});
    EXPECT_NE(summaryReport(machine.data).find("no roofs were measured of cuda0"), std::string::npos);
    for (const RooflinePoint &point : makeRoofline(machine.data).points) EXPECT_EQ(point.device, "cpu");
}

// A card of 1 Tflop/s and 100 GB/s, copies of 1 and 2 GB/s.
void addCard(ProfileData &data)
{
    for (const auto &[name, value] : {std::pair("flops.float32", 1e12),
                                      {"bandwidth.memory", 100e9},
                                      {"bandwidth.HtoD", 1e9},
                                      {"bandwidth.DtoH", 2e9},
                                      {"launch", 1000.0},
                                      {"copy", 500.0}})
        data.machine.roofs.push_back({"cuda0", name, value, ""});
}

TEST(Headroom, KernelsAndCopiesOfADeviceAreUnderItsRoofs)
{
    Machine machine;
    addCard(machine.data);
    const ApplyKey kernel = machine.apply(1000, 400'000, 400'000, 20'000, "cuda0"); // 800 KB at 100 GB/s: 8 us
    const ApplyKey tiny = machine.apply(1, 8, 8, 3000, "cuda0");
    const ApplyKey copy = machine.apply(0, 100'000, 100'000, 300'000, "cuda0"); // 100 KB at 1 GB/s
    machine.data.applies.back().opClass = "theano.gpuarray.basic_ops.GpuFromHost";
    machine.data.devices.transfers.push_back({FunctionId{0}, kGraph, copy.apply, "HtoD", "cuda0", 10, 1'000'000, 0});
    const Headroom room = machine.room();
    EXPECT_DOUBLE_EQ(of(room, kernel).leastNs, 8000);
    EXPECT_DOUBLE_EQ(of(room, tiny).leastNs, 1000);
    EXPECT_EQ(of(room, tiny).bound, Bound::Beginning);
    EXPECT_DOUBLE_EQ(of(room, copy).leastNs, 500 + 100'000);
    EXPECT_TRUE(room.unmeasured.empty());
    EXPECT_DOUBLE_EQ(room.leastNs, 1000 + 8000 + 1000 + 100'500);
    // On the processor nobody copies; 800 KB at 10 GB/s, and 8 bytes.
    EXPECT_DOUBLE_EQ(callNsIf(room, {.device = "cpu"}), 1000 + 80'000 + 0.8);
    EXPECT_DOUBLE_EQ(callNsIf(room, {.device = "cuda0"}), room.nowNs) << "it is there";
}

TEST(Headroom, AnOpThatAlsoCopiesIsNoTransfer)
{
    Machine machine;
    addCard(machine.data);
    const ApplyKey softmax = machine.apply(1000, 400'000, 400'000, 20'000, "cuda0");
    machine.data.applies.back().opClass = "theano.gpuarray.nnet.GpuCrossentropySoftmaxArgmax1HotWithBias";
    machine.data.devices.transfers.push_back({FunctionId{0}, kGraph, softmax.apply, "DtoH", "cuda0", 10, 40, 0}); // a flag of some bytes
    const Headroom room = machine.room();
    EXPECT_FALSE(of(room, softmax).isTransfer);
    EXPECT_DOUBLE_EQ(of(room, softmax).leastNs, 8000);
}

TEST(Headroom, WhatACopyWaitsForIsTimeOfTheKernels)
{
    Machine machine;
    addCard(machine.data);
    const ApplyKey kernel = machine.apply(1000, 400'000, 400'000, 2000, "cuda0"); // given in 2 us, it takes 30; at its roof 8
    machine.data.stats.back().deviceNs = 10 * 30'000;
    const ApplyKey copy = machine.apply(0, 100'000, 100'000, 90'000, "cuda0"); // 50.5 us of copying, 39.5 us of waiting
    machine.data.applies.back().opClass = "theano.gpuarray.basic_ops.HostFromGpu";
    machine.data.devices.transfers.push_back({FunctionId{0}, kGraph, copy.apply, "DtoH", "cuda0", 10, 1'000'000, 0});
    const Headroom room = machine.room();
    EXPECT_DOUBLE_EQ(of(room, kernel).nowNs, 30'000);
    EXPECT_DOUBLE_EQ(of(room, kernel).leastNs, 8000);
    EXPECT_DOUBLE_EQ(of(room, copy).nowNs, 62'000);
    EXPECT_DOUBLE_EQ(of(room, copy).leastNs, 50'500);
    EXPECT_DOUBLE_EQ(room.nowNs, 1000 + 2000 + 90'000) << "the call is as long as it was";
    machine.data.stats.front().deviceNs = 10 * 300'000; // something else went on meanwhile: no more than was waited
    const Headroom longer = machine.room();
    EXPECT_DOUBLE_EQ(of(longer, kernel).nowNs, 2000 + 39'500);
    EXPECT_DOUBLE_EQ(longer.nowNs, room.nowNs);
}

TEST(Headroom, OnAnotherDeviceWhatIsGivenAndGivenBackIsCopied)
{
    Machine machine;
    addCard(machine.data);
    machine.apply(1000, 400'000, 400'000, 90'000);
    machine.data.functions[0].inputs.push_back({VariableId{0}, "x", "", VariableKind::Input, FunctionId{0}, 0});
    machine.data.variables.back().isOutput = true;
    const ApplyKey python = machine.apply(1000, 8, 8, 7000); // stays where it is
    machine.data.applies.back().implementation = "Py";
    const Headroom room = machine.room();
    EXPECT_EQ(room.arraysIn, 1);
    EXPECT_EQ(room.arraysOut, 1);
    EXPECT_DOUBLE_EQ(callNsIf(room, {.device = "cuda0"}), 1000 + 8000 + 7000 + 500 + 400'000 + 500 + 200'000);
    EXPECT_DOUBLE_EQ(callNsIf(room, {.gone = {python}, .device = "cuda0"}), 1000 + 8000 + 500 + 400'000 + 500 + 200'000);
    EXPECT_DOUBLE_EQ(callNsIf(room, {.device = "opencl7:0"}), room.nowNs) << "nothing is known of it";
    // The new value of a shared variable of 100 bytes stays there, and is no output of the call.
    VariableRow weights = machine.data.variables.front();
    weights.variable = VariableId{50};
    weights.kind = VariableKind::Shared;
    weights.bytes = 100;
    machine.data.variables.push_back(weights);
    weights.variable = VariableId{51};
    weights.isOutput = true;
    machine.data.variables.push_back(weights);
    machine.data.functions[0].updates.push_back({VariableId{50}, 1, "w", FunctionId{0}});
    const Headroom updating = machine.room();
    EXPECT_EQ(updating.arraysOut, 1);
    EXPECT_DOUBLE_EQ(updating.bytesOut, room.bytesOut);
}

TEST(Headroom, WithoutAnyRoofNothingIsSaidOfHowFastItCouldBe)
{
    Machine machine;
    machine.data.machine.roofs.clear();
    machine.apply(1000, 400'000, 400'000, 90'000);
    EXPECT_FALSE(machine.room().isBounded());
    const std::string text = headroomText(machine.data, {}, 3);
    EXPECT_NE(text.find("no roof is known for any of it"), std::string::npos) << text;
    EXPECT_EQ(text.find("times as fast"), std::string::npos) << text;
    Machine known;
    known.apply(1000, 400'000, 400'000, 90'000);
    EXPECT_TRUE(known.room().isBounded());
    EXPECT_NE(headroomText(known.data, {}, 3).find("times as fast"), std::string::npos);
}

TEST(Headroom, WorkWithoutABoundIsNamedWhereItIsMostOfACall)
{
    Machine machine;
    machine.apply(1000, 400'000, 400'000, 90'000);
    machine.apply(-1, 400'000, 400'000, 900'000);
    machine.data.applies[1].opClass = "__main__.SlowClip";
    machine.data.applies[1].implementation = "Py";
    const std::string text = headroomText(machine.data, {}, 3);
    EXPECT_NE(text.find("91% of the time has no known bound (Python op SlowClip)"), std::string::npos) << text;
    EXPECT_EQ(text.find("times as fast"), std::string::npos) << text;
    machine.data.stats[1].totalNs = 400'000; // less than half
    EXPECT_NE(headroomText(machine.data, {}, 3).find("times as fast"), std::string::npos);
}

TEST(Headroom, SteadyCallsCountWhereThereAreSome)
{
    Machine machine;
    const ApplyKey one = machine.apply(1000, 20'000, 20'000, 9000);
    machine.data.stats[0].steady = false;
    machine.data.stats[0].calls = 5;
    ApplyStats steady = machine.data.stats[0];
    steady.steady = true;
    steady.totalNs = 5 * 6000;
    machine.data.stats.push_back(steady);
    EXPECT_DOUBLE_EQ(of(machine.room(), one).nowNs, 6000);
}

TEST(Headroom, WhatExceedsTheOutermostCacheComesFromMemory)
{
    Machine machine;
    const ApplyKey large = machine.apply(2, 60'000, 40'000, 90'000);
    EXPECT_DOUBLE_EQ(of(machine.room(), large).leastNs, 10'000);
    machine.data.machine.roofs.push_back({"cpu", "size.cache", 50'000, "B"});
    EXPECT_DOUBLE_EQ(of(machine.room(), large).leastNs, 5000 + 10'000);
}

TEST(Headroom, OneKernelReadsAnOperandOnce)
{
    Machine machine;
    const ApplyKey first = machine.apply(1000, 20'000, 20'000, 9000);
    const ApplyKey second = machine.apply(1000, 20'000, 20'000, 9000);
    machine.data.inputs.back().variable = machine.data.inputs.front().variable;
    const double apart = machine.room().leastNs;
    for (const ApplyKey &key : {first, second}) {
        PlanItem item;
        item.graph = kGraph;
        item.apply = key.apply;
        item.group = 0;
        machine.data.planItems.push_back(item);
    }
    EXPECT_DOUBLE_EQ(machine.room().leastNs, apart - 2000);
}

TEST(Headroom, AChangeIsAskedFor)
{
    Machine machine;
    const ApplyKey adds = machine.apply(1000, 20'000, 20'000, 9000);
    const ApplyKey shared = machine.apply(1e6, 400'000, 400'000, 100'000);
    machine.data.flags.push_back({"threads", "2", "default"});
    const Headroom room = machine.room();
    EXPECT_EQ(room.threads, 2);
    EXPECT_DOUBLE_EQ(of(room, shared).leastNs, 40'000) << "two threads may share it";
    EXPECT_DOUBLE_EQ(callNsIf(room, {}), room.nowNs);
    EXPECT_DOUBLE_EQ(callNsIf(room, {.atRoof = {adds}, .gone = {}}), room.nowNs - 5000);
    EXPECT_DOUBLE_EQ(callNsIf(room, {.atRoof = {}, .gone = {adds}}), room.nowNs - 9000);
    EXPECT_DOUBLE_EQ(callNsIf(room, {.atRoof = {}, .gone = {}, .threads = 4}), room.nowNs - 50'000);
    EXPECT_DOUBLE_EQ(callNsIf(room, {.atRoof = {}, .gone = {}, .threads = 1}), room.nowNs + 100'000);
    EXPECT_DOUBLE_EQ(callNsIf(room, {.atRoof = {{adds, 0.5}}}), room.nowNs - 2500) << "half the way";
    EXPECT_DOUBLE_EQ(callNsIf(room, {.atRoof = {{adds, 7}}}), room.nowNs - 5000) << "no further than the roof";
    EXPECT_DOUBLE_EQ(callNsIf(room, {.atRoof = {{shared, 0.5}}, .threads = 1}), room.nowNs - 30'000 + 70'000);
    EXPECT_DOUBLE_EQ(callNsIf(room, {.threads = 4, .device = "cpu"}), room.nowNs - 50'000) << "it is there already";
    EXPECT_EQ(surenessOf(room, {.atRoof = {adds}}), Sureness::AtBest);
    EXPECT_EQ(surenessOf(room, {.threads = 4}), Sureness::AtBest);
    EXPECT_EQ(surenessOf(room, {.threads = 1}), Sureness::AtWorst);
    EXPECT_EQ(surenessOf(room, {.atRoof = {adds}, .threads = 1}), Sureness::About);
}

TEST(Headroom, TheSharesAreTheWholeCall)
{
    Machine machine;
    for (int i = 0; i < 5; ++i) machine.apply(1e5, 4000, 4000, 100'000 - 10'000 * i);
    machine.apply(0, 100, 100, 7000, "cuda0"); // no roofs of it are known
    const Headroom room = makeHeadroom(machine.data, FunctionId{0});
    for (std::size_t most : {0U, 2U, 5U, 50U}) {
        const std::vector<HeadroomShare> shares = headroomShares(room, most);
        double now = 0, least = 0;
        for (const HeadroomShare &share : shares) now += share.nowNs, least += share.leastNs;
        EXPECT_NEAR(now, room.nowNs, 1e-6) << most;
        EXPECT_NEAR(least, room.leastNs, 1e-6) << most;
        std::int64_t applies = 0, alone = 0;
        for (const HeadroomShare &share : shares) {
            if (share.part == HeadroomPart::Apply) ++alone;
            if (share.part != HeadroomPart::Unknown) applies += share.applies;
        }
        EXPECT_EQ(applies, 5);
        EXPECT_LE(alone, static_cast<std::int64_t>(most));
        EXPECT_EQ(std::ranges::count(shares, HeadroomPart::Unknown, &HeadroomShare::part), 1);
        EXPECT_EQ(shares.back().part, HeadroomPart::Around);
        for (std::size_t i = 1; i < shares.size() && shares[i].part == HeadroomPart::Apply; ++i)
            EXPECT_GE(shares[i - 1].gainNs(), shares[i].gainNs());
    }
}

TEST(Headroom, OfARealSessionAddsUp)
{
    const ProfileData data = loadProfile(*SessionReader::open(CROTON_REAL_SESSION));
    for (const FunctionInfo &function : data.functions) {
        const Headroom room = makeHeadroom(data, function.id);
        ASSERT_FALSE(room.applies.empty());
        double now = room.aroundNs, least = room.aroundNs;
        for (const ApplyRoof &row : room.applies) {
            EXPECT_GE(row.gainNs(), 0) << row.what.label;
            now += row.nowNs;
            least += row.leastNs;
        }
        EXPECT_NEAR(now, room.nowNs, 1e-6 * now);
        EXPECT_NEAR(least, room.leastNs, 1e-6 * now);
        WhatIf all;
        for (const ApplyRoof &row : room.applies) all.atRoof.push_back(row.what.apply);
        EXPECT_NEAR(callNsIf(room, all), room.leastNs, 1e-6 * now);
    }
    EXPECT_NE(summaryReport(data).find("At the roofs of this machine"), std::string::npos);
}

} // namespace
} // namespace profiler
