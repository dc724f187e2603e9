#include "profiler/stats/machine/roofline.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

// One function on a machine of 100 Gflop/s (float32), 10 GB/s from the cache, 5 GB/s from memory. Variable 0 is read by all.
struct Machine {
    ProfileData data;

    Machine()
    {
        data.machine.roofs = {{"cpu", "flops.float32", 100e9, "flop/s"},
                              {"cpu", "flops.float64", 50e9, "flop/s"},
                              {"cpu", "bandwidth.cache", 10e9, "B/s"},
                              {"cpu", "bandwidth.memory", 5e9, "B/s"}};
        FunctionInfo function;
        function.id = FunctionId{0};
        function.graph = GraphId{1};
        function.run.calls = 10;
        data.functions.push_back(function);
        add(kNoApply, 0, 4000, "float32");
    }
    void add(ApplyId owner, std::uint32_t variable, std::int64_t bytes, const char *dtype)
    {
        VariableRow row;
        row.graph = GraphId{1};
        row.variable = VariableId{variable};
        row.owner = owner;
        row.bytes = bytes;
        row.dtype = dtype;
        row.inOptimized = true;
        row.kind = owner == kNoApply ? VariableKind::Input : VariableKind::Result;
        data.variables.push_back(row);
    }
    void apply(std::uint32_t id, double flops, std::int64_t bytesOut, std::int64_t nsPerCall, const char *dtype = "float32")
    {
        ApplyRow row;
        row.graph = GraphId{1};
        row.apply = ApplyId{id};
        row.op = "op" + std::to_string(id);
        row.flops = flops;
        row.inOptimized = true;
        data.applies.push_back(row);
        add(row.apply, 100 + id, bytesOut, dtype);
        for (int port : {0, 1}) data.inputs.push_back({GraphId{1}, row.apply, port, VariableId{0}}); // the same twice
        ApplyStats stats;
        stats.function = FunctionId{0};
        stats.graph = GraphId{1};
        stats.apply = row.apply;
        stats.calls = 10;
        stats.totalNs = 10 * nsPerCall;
        stats.tier = "compiled";
        data.stats.push_back(stats);
    }
};

TEST(Roofline, APointStandsUnderTheLowerRoof)
{
    Machine machine;
    machine.apply(1, 8000, 4000, 2000);                 // 1 flop a byte at 4 Gflop/s: bytes let it have 10
    machine.apply(2, 800'000, 4000, 20'000);            // 100 a byte at 40 Gflop/s: arithmetic lets it have 100
    machine.apply(3, 800'000, 4000, 40'000, "float64"); // 20 of 50
    const Roofline roofline = makeRoofline(machine.data);
    ASSERT_EQ(roofline.points.size(), 3u);
    EXPECT_EQ(roofline.points[0].name, "op3"); // by time
    EXPECT_DOUBLE_EQ(roofline.points[0].atMost, 2.5);
    EXPECT_DOUBLE_EQ(roofline.points[1].atMost, 2.5);
    EXPECT_FALSE(roofline.points[1].byBytes);
    EXPECT_DOUBLE_EQ(roofline.points[2].bytes, 8000) << "an operand that is read twice is moved once";
    EXPECT_DOUBLE_EQ(roofline.points[2].intensity, 1);
    EXPECT_DOUBLE_EQ(roofline.points[2].rate, 4e9);
    EXPECT_DOUBLE_EQ(roofline.points[2].atMost, 2.5);
    EXPECT_TRUE(roofline.points[2].byBytes);
    EXPECT_LE(roofline.lowRate, 4e9);
    EXPECT_GE(roofline.highRate, 100e9);
    EXPECT_LE(roofline.lowIntensity, 1);
    EXPECT_GE(roofline.highIntensity, 100);
}

TEST(Roofline, EachDeviceThatWorkedHasItsRoofs)
{
    Machine machine;
    machine.data.flags.push_back({"threads", "4", "default"});
    machine.apply(1, 8000, 4000, 2000);
    const auto devicesOf = [&] {
        std::vector<std::string> names;
        for (const DrawnRoof &roof : makeRoofline(machine.data).roofs) names.push_back(roof.device);
        return names;
    };
    EXPECT_EQ(devicesOf(), std::vector<std::string>{"cpu"});
    // A card of 1 Tflop/s (float64: half of it) and 100 GB/s: 400 KB in 4 us, and nobody shares it.
    machine.apply(2, 400'000, 396'000, 8000, "float64");
    machine.data.applies.back().device = "another0";
    EXPECT_EQ(devicesOf(), std::vector<std::string>{"cpu"}) << "nothing was measured there";
    EXPECT_EQ(makeRoofline(machine.data).unplaced.at(0).why, Unplaced::NoDeviceRoof);
    for (const auto &[name, value] : {std::pair("flops.float32", 1e12), {"flops.float64", 5e11}, {"bandwidth.memory", 100e9}})
        machine.data.machine.roofs.push_back({"another0", name, value, ""});
    EXPECT_EQ(devicesOf(), (std::vector<std::string>{"cpu", "another0"})) << "the processor's first";
    const Roofline roofline = makeRoofline(machine.data);
    EXPECT_EQ(roofline.roofs[0].dtype, "float32");
    EXPECT_DOUBLE_EQ(roofline.roofs[0].cache, 10e9);
    EXPECT_EQ(roofline.roofs[1].dtype, "float64");
    EXPECT_DOUBLE_EQ(roofline.roofs[1].flops, 5e11);
    EXPECT_DOUBLE_EQ(roofline.roofs[1].memory, 100e9);
    EXPECT_GE(roofline.highRate, 5e11);
    ASSERT_EQ(roofline.points.size(), 2u);
    EXPECT_EQ(roofline.points[0].device, "another0");
    EXPECT_DOUBLE_EQ(roofline.points[0].atMost, 2);
    EXPECT_FALSE(roofline.points[0].isDeviceClock);
    machine.data.stats.back().deviceNs = 10 * 16'000; // the host gave it in half of that
    EXPECT_DOUBLE_EQ(makeRoofline(machine.data).points[0].atMost, 4);
    EXPECT_DOUBLE_EQ(makeRoofline(machine.data).points[0].share, 0.8) << "of what the host spent";
    machine.data.applies.front().device = "another0";
    EXPECT_EQ(devicesOf(), std::vector<std::string>{"another0"}) << "nothing ran on the processor";
    machine.data.stats.clear();
    EXPECT_EQ(devicesOf(), std::vector<std::string>{});
}

TEST(Roofline, WhatHasNoPlaceSaysWhy)
{
    Machine machine;
    machine.apply(1, 0, 4000, 5000);
    machine.apply(2, 100, -1, 5000);
    machine.apply(3, 100, 4000, 200);
    machine.apply(4, 100, 4000, 150);
    machine.data.applies.back().implementation = "Py";
    machine.apply(5, 100, 4000, 140);
    GraphInfo body;
    body.parentGraph = GraphId{1};
    body.parentApply = ApplyId{5};
    body.kind = GraphKind::Scan;
    machine.data.graphs.push_back(body);
    const auto whyOf = [](const ProfileData &data) {
        std::vector<std::pair<std::string, Unplaced>> all;
        for (const UnplacedApply &one : makeRoofline(data).unplaced) all.emplace_back(one.what.name, one.why);
        return all;
    };
    EXPECT_EQ(whyOf(machine.data), (std::vector<std::pair<std::string, Unplaced>>{{"op1", Unplaced::NoArithmetic},
                                                                                  {"op2", Unplaced::NoSizes},
                                                                                  {"op3", Unplaced::TooShort},
                                                                                  {"op4", Unplaced::NotCounted},
                                                                                  {"op5", Unplaced::NotCounted}}));
    Machine bare;
    bare.apply(1, 8000, 4000, 2000);
    bare.data.machine.roofs.clear();
    EXPECT_EQ(whyOf(bare.data), (std::vector<std::pair<std::string, Unplaced>>{{"op1", Unplaced::NoRoof}}));
}

TEST(Roofline, NothingIsFasterThanItsRoofLets)
{
    Machine machine;
    machine.apply(1, 80'000'000, 4000, 2000); // far over what was measured
    const Roofline roofline = makeRoofline(machine.data);
    ASSERT_EQ(roofline.points.size(), 1u);
    EXPECT_DOUBLE_EQ(roofline.points[0].atMost, 1);
    EXPECT_TRUE(makeRoofline(machine.data, FunctionId{7}).points.empty());
    EXPECT_TRUE(makeRoofline(ProfileData{}).points.empty());
}

} // namespace
} // namespace profiler
