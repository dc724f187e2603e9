#include "profiler/stats/times/timeline.h"
#include "tests/profiler/stats/tracks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace profiler {
namespace {

Zone zoneOf(std::int64_t start, std::int64_t duration)
{
    Zone zone;
    zone.startNs = start;
    zone.durationNs = duration;
    return zone;
}

Event eventOf(EventKind kind, std::int64_t start, std::int64_t duration, std::int64_t call = -1)
{
    Event event;
    event.kind = kind;
    event.startNs = start;
    event.durationNs = duration;
    event.function = FunctionId{0};
    event.graph = GraphId{1};
    event.call = call;
    return event;
}

// Function "train" of ten calls, of which what `trace` holds was kept; the session took 1,000 ns.
ProfileData oneFunction(std::int64_t calls)
{
    ProfileData data;
    data.info.durationNs = 1000;
    FunctionInfo function;
    function.id = FunctionId{0};
    function.graph = GraphId{1};
    function.name = "train";
    function.run.calls = calls;
    data.functions.push_back(function);
    ApplyRow apply;
    apply.graph = GraphId{1};
    apply.apply = ApplyId{7};
    apply.op = "Elemwise{exp,no_inplace}";
    apply.friendly = "exp";
    data.applies.push_back(apply);
    return data;
}

struct Named {
    std::string name;
    std::int64_t start, end;
    bool operator==(const Named &) const = default;
};

std::vector<Named> gapsOf(const Timeline &timeline)
{
    std::vector<Named> result;
    const Track *script = trackOf(timeline, TrackKind::Script);
    if (!script) return result;
    for (const Zone &zone : script->zones.zones())
        result.push_back({timeline.labels[zone.label].notKept ? "not kept" : "outside", zone.startNs, zone.endNs()});
    return result;
}

void PrintTo(const Named &named, std::ostream *out) { *out << named.name << ' ' << named.start << ".." << named.end; }

TEST(Zones, WhatIsSeenCoversWhatIsThere)
{
    std::mt19937 random(7);
    std::vector<Zone> zones;
    std::int64_t at = 0;
    for (int i = 0; i < 20'000; ++i) {
        at += static_cast<std::int64_t>(random() % 50);
        const auto duration = static_cast<std::int64_t>(random() % 100 == 0 ? 5000 : random() % 40);
        zones.push_back(zoneOf(at, duration));
        at += duration;
    }
    const ZonePyramid pyramid(zones);
    const std::int64_t end = at;
    for (const std::int64_t apart : {std::int64_t{1}, std::int64_t{60}, std::int64_t{900}, end / 700}) {
        for (const auto &[from, to] : {std::pair{std::int64_t{0}, end + 1}, std::pair{end / 3, end / 2}}) {
            const std::vector<ZoneCluster> seen = pyramid.see(from, to, apart);
            std::size_t next = pyramid.within(from, to).first;
            EXPECT_LE(static_cast<std::int64_t>(seen.size()), 2 * (to - from) / apart + 3);
            for (const ZoneCluster &cluster : seen) {
                EXPECT_LE(cluster.first, next) << "a zone is left out";
                next = cluster.first + cluster.count;
                EXPECT_EQ(cluster.startNs, zones[cluster.first].startNs);
                std::int64_t busy = 0, last = 0;
                for (std::size_t i = cluster.first; i < next; ++i) {
                    busy += zones[i].durationNs;
                    last = std::max(last, zones[i].endNs());
                    EXPECT_TRUE(cluster.count == 1 || zones[i].durationNs < apart) << "a zone that can be seen was joined";
                }
                EXPECT_EQ(cluster.busyNs, busy);
                EXPECT_EQ(cluster.endNs, last);
            }
            EXPECT_GE(next, pyramid.within(from, to).second);
        }
    }
}

TEST(Zones, ARangeHasItsZones)
{
    const ZonePyramid pyramid({zoneOf(10, 5), zoneOf(20, 5)});
    EXPECT_EQ(pyramid.within(14, 21), (std::pair<std::size_t, std::size_t>(0, 2)));
    EXPECT_EQ(pyramid.within(15, 20), (std::pair<std::size_t, std::size_t>(1, 1)));
    EXPECT_TRUE(ZonePyramid().see(0, 100, 1).empty());
}

TEST(Timeline, WhatLiesBetweenIsNamed)
{
    Trace trace;
    trace.events = {eventOf(EventKind::Compile, 100, 200), eventOf(EventKind::Call, 400, 50, 0), eventOf(EventKind::Call, 500, 50, 1)};
    const Timeline timeline = makeTimeline(oneFunction(2), trace);
    EXPECT_EQ(gapsOf(timeline),
              (std::vector<Named>{{"outside", 0, 100}, {"outside", 300, 400}, {"outside", 450, 500}, {"outside", 550, 1000}}));
    EXPECT_EQ(timeline.notKept, 0);
    EXPECT_EQ(timeline.endNs, 1000);
}

TEST(Timeline, CallsThatWereNotKeptAreNoPython)
{
    Trace trace;
    trace.events = {eventOf(EventKind::Call, 400, 50, 0), eventOf(EventKind::Call, 600, 50, 5)};
    ProfileData data = oneFunction(10);
    data.functions[0].run.lastCallNs = 900;
    const Timeline timeline = makeTimeline(data, trace);
    EXPECT_EQ(gapsOf(timeline),
              (std::vector<Named>{{"outside", 0, 400}, {"not kept", 450, 600}, {"not kept", 650, 900}, {"outside", 900, 1000}}));
    EXPECT_EQ(timeline.notKept, 8);
}

TEST(Timeline, OldSessionsKnowWhenACompileBegan)
{
    ProfileData data = oneFunction(1);
    data.functions[0].createdNs = 100;
    data.functions[0].compile.optimizerNs = 30;
    data.functions[0].compile.linkerNs = 20;
    Trace trace;
    trace.events = {eventOf(EventKind::Call, 400, 50, 0)};
    const Timeline timeline = makeTimeline(data, trace);
    ASSERT_NE(trackOf(timeline, TrackKind::Compile), nullptr);
    const Zone &zone = trackOf(timeline, TrackKind::Compile)->zones.zones().at(0);
    EXPECT_EQ(zone.startNs, 100);
    EXPECT_EQ(zone.durationNs, 50);
    EXPECT_EQ(timeline.labels[zone.label].name, "train");
}

TEST(Timeline, WhatRunsAtTheSameTimeGetsARowOfItsOwn)
{
    Trace trace;
    trace.lanes = {{0, LaneKind::Host, "cpu", "calls"}, {3, LaneKind::Stream, "cuda0", "stream 0"}};
    trace.events = {eventOf(EventKind::Call, 100, 100, 0), eventOf(EventKind::Call, 150, 100, 1)};
    Event kernel = eventOf(EventKind::Kernel, 120, 60);
    kernel.lane = 3;
    kernel.name = "gemv";
    trace.events.push_back(kernel);
    const Timeline timeline = makeTimeline(oneFunction(2), trace);
    std::vector<std::pair<TrackKind, int>> tracks;
    for (const Track &track : timeline.tracks) tracks.emplace_back(track.kind, track.row);
    EXPECT_EQ(tracks, (std::vector<std::pair<TrackKind, int>>{
                          {TrackKind::Script, 0}, {TrackKind::Calls, 0}, {TrackKind::Calls, 1}, {TrackKind::Kernels, 0}}));
    EXPECT_EQ(timeline.tracks.back().name, "stream 0");
    EXPECT_EQ(timeline.tracks.back().device, "cuda0");
}

TEST(Timeline, ARangeIsSummedUpByWhatLiesInIt)
{
    Trace trace;
    trace.events = {eventOf(EventKind::Compile, 100, 200), eventOf(EventKind::Call, 400, 100, 0), eventOf(EventKind::Call, 600, 100, 1)};
    Event apply = eventOf(EventKind::Apply, 410, 60, 0);
    apply.apply = ApplyId{7};
    trace.events.push_back(apply);
    const Timeline timeline = makeTimeline(oneFunction(2), trace);
    const RangeSum sum = sumRange(timeline, 250, 450);
    EXPECT_EQ(sum.durationNs(), 200);
    EXPECT_EQ(sum.compileNs, 50);
    EXPECT_EQ(sum.callNs, 50);
    EXPECT_EQ(sum.outsideNs, 100);
    EXPECT_DOUBLE_EQ(sum.outsideShare, 0.5);
    const auto row = std::find_if(sum.rows.begin(), sum.rows.end(), [](const RangeRow &one) { return one.kind == TrackKind::Applies; });
    ASSERT_NE(row, sum.rows.end());
    EXPECT_EQ(timeline.labels[row->label].name, "exp");
    EXPECT_EQ(row->totalNs, 40);
    EXPECT_EQ(row->maxNs, 60);
    const RangeSum whole = sumRange(timeline, timeline.startNs, timeline.endNs);
    EXPECT_EQ(whole.callNs + whole.compileNs + whole.outsideNs + whole.notKeptNs, 1000);
}

TEST(Timeline, NothingRecordedHasNoTrack) { EXPECT_TRUE(makeTimeline(ProfileData{}, Trace{}).tracks.empty()); }

TEST(Timeline, MarksAreRound)
{
    EXPECT_EQ(roundStepNs(1000, 10), 200);
    EXPECT_EQ(roundStepNs(1000, 11), 100);
    EXPECT_EQ(roundStepNs(999, 3), 500);
    for (const std::int64_t span : {1, 7, 99, 12'345, 1'000'000'007})
        for (const int most : {2, 5, 14}) EXPECT_LE(span / roundStepNs(span, most), most) << span << ' ' << most;
}

} // namespace
} // namespace profiler
