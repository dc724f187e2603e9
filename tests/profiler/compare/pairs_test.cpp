#include "profiler/compare/blocking_pairs.h"
#include "profiler/compare/device_pairs.h"
#include "profiler/compare/range_pairs.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

FunctionInfo functionOf(std::uint32_t id, const std::string &name, std::int64_t calls, std::int64_t ns)
{
    FunctionInfo function;
    function.id = FunctionId{id};
    function.graph = GraphId{id};
    function.name = name;
    function.run.calls = calls;
    function.run.totalNs = ns;
    return function;
}

Event eventOf(EventKind kind, std::uint32_t function, std::int64_t start, std::int64_t duration, std::string name = {})
{
    Event event;
    event.kind = kind;
    event.startNs = start;
    event.durationNs = duration;
    event.function = FunctionId{function};
    event.graph = GraphId{function};
    event.call = 0;
    event.name = std::move(name);
    return event;
}

TEST(RangePairs, WhatHasTheSameNameInTheSameFunctionIsOne)
{
    // The same function has another number in B.
    ProfileData a, b;
    a.functions = {functionOf(1, "train", 1, 100), functionOf(2, "other", 1, 10)};
    b.functions = {functionOf(7, "train", 1, 300)};
    a.info.durationNs = b.info.durationNs = 1000;
    Trace ofA, ofB;
    ofA.events = {eventOf(EventKind::Apply, 1, 0, 60, "exp"), eventOf(EventKind::Apply, 1, 60, 30, "exp"),
                  eventOf(EventKind::Apply, 2, 100, 10, "exp")};
    ofB.events = {eventOf(EventKind::Apply, 7, 500, 200, "exp"), eventOf(EventKind::Apply, 7, 700, 5, "log")};
    const Timeline left = makeTimeline(a, ofA), right = makeTimeline(b, ofB);
    const std::vector<RangePair> pairs =
        pairRanges({left, sumRange(left, 0, 1000), a.functions}, {right, sumRange(right, 0, 1000), b.functions});
    std::vector<std::string> said;
    for (const RangePair &pair : pairs)
        if (pair.kind == TrackKind::Applies)
            said.push_back(pair.function + " " + pair.name + " " + std::to_string(pair.countA) + ":" + std::to_string(pair.nsA) + " " +
                           std::to_string(pair.countB) + ":" + std::to_string(pair.nsB));
    EXPECT_EQ(said, (std::vector<std::string>{"train exp 2:90 1:200", "other exp 1:10 0:0", "train log 0:0 1:5"}));
    // Gaps have no name and are told apart all the same.
    EXPECT_EQ(pairs.front().kind, TrackKind::Script);
    EXPECT_TRUE(pairs.front().label.gap);
}

ProfileData onDevice(const std::string &device, std::optional<std::int64_t> deviceNs)
{
    ProfileData data;
    data.functions = {functionOf(1, "train", 10, 2000)};
    int id = 0;
    for (const auto &[op, where] : {std::pair{"theano.tensor.elemwise.Elemwise", device}, std::pair{"theano.gpuarray.HostFromGpu", device},
                                    std::pair{"theano.tensor.Shape_i", std::string("cpu")}}) {
        if (device == "cpu" && id == 1) {
            ++id;
            continue;
        }
        ApplyRow apply;
        apply.graph = GraphId{1};
        apply.apply = ApplyId{static_cast<std::uint32_t>(id)};
        apply.opClass = apply.op = op;
        apply.device = where;
        apply.inOptimized = true;
        data.applies.push_back(apply);
        ApplyStats stats;
        stats.function = FunctionId{1};
        stats.graph = GraphId{1};
        stats.apply = apply.apply;
        stats.calls = 10;
        stats.totalNs = 100 * (id + 1);
        if (where != "cpu") stats.deviceNs = deviceNs;
        data.stats.push_back(stats);
        ++id;
    }
    return data;
}

TEST(DevicePairs, EachDeviceByEachClock)
{
    const std::vector<DevicePair> pairs = devicePairs(onDevice("cpu", std::nullopt), onDevice("cuda0", 700), "train");
    std::vector<std::string> said;
    for (const DevicePair &pair : pairs)
        said.push_back((pair.device.empty() ? "around" : pair.device) + (pair.transfer ? " copies" : "") +
                       (pair.clock == TimedBy::Device ? " device " : " host ") + std::to_string(static_cast<int>(pair.a)) + " " +
                       std::to_string(static_cast<int>(pair.b)));
    EXPECT_EQ(said, (std::vector<std::string>{"cpu host 40 30", "cuda0 host -1 10", "cuda0 device -1 70", "cuda0 copies host -1 20",
                                              "cuda0 copies device -1 70", "around host 160 140"}));
    EXPECT_TRUE(devicePairs(onDevice("cpu", std::nullopt), ProfileData{}, "train").empty());
}

TEST(BlockingPairs, OffAndOnPerCallWhereASessionHoldsBoth)
{
    ProfileData data = onDevice("cuda0", 70);
    EXPECT_TRUE(blockingPairs(data.functions, Costs(data)).empty()) << "nothing waited";
    for (ApplyStats &stats : data.stats) stats.blockingNs = stats.totalNs;
    EXPECT_TRUE(blockingPairs(data.functions, Costs(data)).empty()) << "all waited: there is one time only";
    data.stats[0].blockingNs = 900;
    data.stats[1].blockingNs = 50;
    std::vector<std::string> said;
    for (const BlockingPair &pair : blockingPairs(data.functions, Costs(data)))
        said.push_back(std::to_string(raw(pair.apply.apply)) + ": " + std::to_string(static_cast<int>(pair.offNs)) + " " +
                       std::to_string(static_cast<int>(pair.onNs)) + " " + std::to_string(static_cast<int>(pair.deviceNs)));
    EXPECT_EQ(said, (std::vector<std::string>{"0: 10 90 7", "1: 20 5 7", "2: 30 30 -1"}));
}

} // namespace
} // namespace profiler
