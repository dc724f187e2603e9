#include "profiler/stats/times/timeline.h"

#include "profiler/session/model/function_title.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace profiler {

namespace {

TrackKind trackOf(EventKind kind)
{
    switch (kind) {
    case EventKind::Call: return TrackKind::Calls;
    case EventKind::Apply: return TrackKind::Applies;
    case EventKind::Kernel: return TrackKind::Kernels;
    case EventKind::Copy: return TrackKind::Copies;
    case EventKind::Compile: return TrackKind::Compile;
    case EventKind::Pass: return TrackKind::Passes;
    case EventKind::Wait: return TrackKind::Waits;
    case EventKind::Range: return TrackKind::Ranges;
    }
    return TrackKind::Ranges;
}

// Labels by what they stand for.
class Labels {
public:
    Labels(const ProfileData &data, std::vector<ZoneLabel> &labels) : m_labels(labels)
    {
        for (const FunctionInfo &function : data.functions) m_functions[raw(function.id)] = &function;
        for (const ApplyRow &apply : data.applies) m_applies[{apply.graph, apply.apply}] = &apply;
    }
    std::uint32_t of(const Event &event)
    {
        const bool apply = event.apply != kNoApply;
        const Key key{event.kind, raw(event.function), raw(event.graph), raw(event.apply), event.name};
        if (apply && event.name.empty()) {
            // By far the most: found without a comparison of texts.
            const auto [place, isNew] = m_ofApply[static_cast<std::size_t>(event.kind)].try_emplace({event.graph, event.apply}, 0);
            if (isNew) place->second = add(event);
            return place->second;
        }
        const auto [place, isNew] = m_others.try_emplace(key, 0);
        if (isNew) place->second = add(event);
        return place->second;
    }

private:
    using Key = std::tuple<EventKind, std::uint32_t, std::uint32_t, std::uint32_t, std::string>;

    std::uint32_t add(const Event &event)
    {
        m_labels.push_back({nameOf(event), event.kind, event.function, event.graph, event.apply, false, false});
        return static_cast<std::uint32_t>(m_labels.size() - 1);
    }
    std::string nameOf(const Event &event) const
    {
        if (!event.name.empty()) return event.name;
        if (const auto apply = m_applies.find({event.graph, event.apply}); event.apply != kNoApply && apply != m_applies.end())
            return apply->second->friendly.empty() ? apply->second->op : apply->second->friendly;
        if (const auto function = m_functions.find(raw(event.function)); function != m_functions.end() && !function->second->name.empty())
            return shortTitle(*function->second);
        return eventKindName(event.kind);
    }

    std::vector<ZoneLabel> &m_labels;
    std::unordered_map<std::uint32_t, const FunctionInfo *> m_functions;
    std::unordered_map<ApplyKey, const ApplyRow *, ApplyKeyHash> m_applies;
    std::unordered_map<ApplyKey, std::uint32_t, ApplyKeyHash> m_ofApply[8];
    std::map<Key, std::uint32_t> m_others;
};

// The zones of one lane, in rows in which none overlaps another.
struct Rows {
    std::vector<std::vector<Zone>> rows;

    void add(const Zone &zone)
    {
        constexpr std::int64_t kHair = 200; // one clock read twice
        for (std::vector<Zone> &row : rows) {
            Zone &last = row.back();
            const std::int64_t over = last.endNs() - zone.startNs;
            if (over > std::min(kHair, last.durationNs / 4)) continue;
            if (over > 0) last.durationNs -= over; // so that rows never overlap
            row.push_back(zone);
            return;
        }
        rows.push_back({zone});
    }
};

// Calls and compiles one after the other: what the script waited for.
struct Stretch {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
};

// From when to when calls of a function may have run that were not kept.
std::vector<Stretch> notKeptStretches(const ProfileData &data, const std::vector<Event> &events, std::int64_t &calls)
{
    struct Last {
        std::int64_t call = -1;
        std::int64_t endNs = 0;
    };
    std::unordered_map<std::uint32_t, Last> last;
    std::vector<Stretch> result;
    for (const FunctionInfo &function : data.functions) last[raw(function.id)] = {-1, function.run.firstCallNs};
    for (const Event &event : events) {
        if (event.kind != EventKind::Call || event.lane >= kLanesPerRun || event.call < 0) continue;
        Last &before = last[raw(event.function)];
        if (event.call > before.call + 1) {
            calls += event.call - before.call - 1;
            result.push_back({before.endNs, event.startNs});
        }
        if (event.call >= before.call) before = {event.call, event.startNs + event.durationNs};
    }
    for (const FunctionInfo &function : data.functions) {
        const Last &before = last[raw(function.id)];
        const std::int64_t missing = function.run.calls - before.call - 1;
        if (missing <= 0) continue;
        calls += missing;
        result.push_back({before.endNs, std::max(before.endNs, function.run.lastCallNs)});
    }
    std::sort(result.begin(), result.end(), [](const Stretch &a, const Stretch &b) { return a.startNs < b.startNs; });
    return result;
}

// The script's track: what lies between compiles and calls.
class Gaps {
public:
    explicit Gaps(Timeline &timeline) : m_timeline(timeline) {}

    void find(std::vector<Stretch> busy, const std::vector<Stretch> &notKept)
    {
        std::sort(busy.begin(), busy.end(), [](const Stretch &a, const Stretch &b) { return a.startNs < b.startNs; });
        std::int64_t at = m_timeline.startNs;
        std::size_t next = 0;
        std::int64_t notKeptUntil = at;
        const auto gap = [&](std::int64_t from, std::int64_t to) {
            // Within it, what may hold calls that were not kept is told apart.
            while (from < to) {
                while (next < notKept.size() && notKept[next].startNs <= from) notKeptUntil = std::max(notKeptUntil, notKept[next++].endNs);
                const bool hidden = notKeptUntil > from;
                std::int64_t end = hidden ? std::min(notKeptUntil, to) : to;
                if (!hidden && next < notKept.size()) end = std::min(end, notKept[next].startNs);
                add(from, end, hidden);
                from = end;
            }
        };
        for (const Stretch &one : busy) {
            if (one.startNs > at) gap(at, one.startNs);
            at = std::max(at, one.endNs);
        }
        if (m_timeline.endNs > at) gap(at, m_timeline.endNs);
    }
    std::vector<Zone> take() { return std::move(m_zones); }

private:
    void add(std::int64_t from, std::int64_t to, bool notKept)
    {
        std::int64_t &label = notKept ? m_notKept : m_outside;
        if (label < 0) {
            label = static_cast<std::int64_t>(m_timeline.labels.size());
            ZoneLabel text;
            text.gap = true;
            text.notKept = notKept;
            m_timeline.labels.push_back(text);
        }
        Zone zone;
        zone.startNs = from;
        zone.durationNs = to - from;
        zone.label = static_cast<std::uint32_t>(label);
        m_zones.push_back(zone);
    }

    Timeline &m_timeline;
    std::vector<Zone> m_zones;
    std::int64_t m_outside = -1;
    std::int64_t m_notKept = -1;
};

// Sessions that hold no events of compiling know when it began and how long it took.
std::vector<Event> compilesOf(const ProfileData &data)
{
    std::vector<Event> events;
    for (const FunctionInfo &function : data.functions) {
        const std::int64_t took = function.compile.optimizerNs + function.compile.linkerNs; // building the graph came before
        if (took <= 0) continue;
        Event event;
        event.kind = EventKind::Compile;
        event.startNs = function.createdNs;
        event.durationNs = took;
        event.function = function.id;
        event.graph = function.graph;
        events.push_back(std::move(event));
    }
    std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) { return a.startNs < b.startNs; });
    return events;
}

} // namespace

Timeline makeTimeline(const ProfileData &data, const Trace &trace)
{
    Timeline timeline;
    timeline.events = trace.events.size();
    for (const Drop &drop : data.drops)
        if (drop.what == "events") {
            timeline.droppedEvents = drop.count;
            timeline.droppedWhy = drop.reason;
        }
    timeline.endNs = data.info.durationNs;
    std::map<int, const Lane *> lanes;
    for (const Lane &lane : trace.lanes) lanes[lane.id] = &lane;
    std::vector<const Event *> ordered;
    ordered.reserve(trace.events.size());
    for (const Event &event : trace.events) ordered.push_back(&event);
    std::vector<Event> compiles;
    if (std::none_of(trace.events.begin(), trace.events.end(), [](const Event &event) { return event.kind == EventKind::Compile; }))
        compiles = compilesOf(data);
    for (const Event &event : compiles) ordered.push_back(&event);
    // Those that start together stay as they were written: in the order of their work.
    std::stable_sort(ordered.begin(), ordered.end(), [](const Event *a, const Event *b) { return a->startNs < b->startNs; });
    Labels labels(data, timeline.labels);
    std::map<std::tuple<int, TrackKind, int>, Rows> rows; // by run, kind, lane
    std::vector<Stretch> busy;
    for (const Event *event : ordered) {
        const TrackKind kind = trackOf(event->kind);
        Zone zone{event->startNs,   std::max<std::int64_t>(event->durationNs, 0), event->call, event->bytes, event->correlation,
                  labels.of(*event)};
        rows[{event->lane / kLanesPerRun, kind, event->lane}].add(zone);
        timeline.startNs = std::min(timeline.startNs, zone.startNs);
        timeline.endNs = std::max(timeline.endNs, zone.endNs());
        if (event->lane < kLanesPerRun && (kind == TrackKind::Calls || kind == TrackKind::Compile))
            busy.push_back({zone.startNs, zone.endNs()});
    }
    const std::vector<Stretch> hidden = notKeptStretches(data, trace.events, timeline.notKept);
    if (!ordered.empty()) {
        Gaps gaps(timeline);
        const bool isOneRun = rows.rbegin()->first < std::tuple{1, TrackKind::Script, 0};
        if (!isOneRun) { // the other runs came after the end of this one
            const std::int64_t end = timeline.endNs;
            timeline.endNs = data.info.durationNs;
            gaps.find(std::move(busy), hidden);
            timeline.endNs = end;
        } else {
            gaps.find(std::move(busy), hidden);
        }
        std::vector<Zone> zones = gaps.take();
        if (!zones.empty()) timeline.tracks.push_back({TrackKind::Script, 0, 0, 0, {}, {}, ZonePyramid(std::move(zones))});
    }
    for (auto &[key, of] : rows) {
        const auto &[run, kind, lane] = key;
        const auto known = lanes.find(lane);
        for (std::size_t row = 0; row < of.rows.size(); ++row) {
            Track track{kind, lane, static_cast<int>(row), run, {}, {}, ZonePyramid(std::move(of.rows[row]))};
            if (known != lanes.end()) {
                track.device = known->second->device;
                track.name = known->second->name;
            }
            timeline.tracks.push_back(std::move(track));
        }
    }
    return timeline;
}

RangeSum sumRange(const Timeline &timeline, std::int64_t startNs, std::int64_t endNs)
{
    RangeSum sum;
    sum.startNs = startNs;
    sum.endNs = std::max(startNs, endNs);
    std::vector<RangeRow> byLabel(timeline.labels.size());
    for (const Track &track : timeline.tracks) {
        const auto [first, last] = track.zones.within(startNs, endNs);
        for (std::size_t i = first; i < last; ++i) {
            const Zone &zone = track.zones.zones()[i];
            const std::int64_t within = std::min(zone.endNs(), endNs) - std::max(zone.startNs, startNs);
            RangeRow &row = byLabel[zone.label];
            row.kind = track.kind;
            row.label = zone.label;
            ++row.count;
            row.totalNs += within;
            row.maxNs = std::max(row.maxNs, zone.durationNs);
            row.bytes += zone.bytes;
        }
    }
    const double whole = static_cast<double>(std::max<std::int64_t>(sum.durationNs(), 1));
    for (RangeRow &row : byLabel) {
        if (row.count == 0) continue;
        row.meanNs = static_cast<double>(row.totalNs) / static_cast<double>(row.count);
        row.share = static_cast<double>(row.totalNs) / whole;
        const ZoneLabel &label = timeline.labels[row.label];
        if (row.kind == TrackKind::Calls) sum.callNs += row.totalNs;
        if (row.kind == TrackKind::Compile) sum.compileNs += row.totalNs;
        if (label.gap) (label.notKept ? sum.notKeptNs : sum.outsideNs) += row.totalNs;
        sum.rows.push_back(row);
    }
    sum.callShare = static_cast<double>(sum.callNs) / whole;
    sum.compileShare = static_cast<double>(sum.compileNs) / whole;
    sum.outsideShare = static_cast<double>(sum.outsideNs) / whole;
    sum.notKeptShare = static_cast<double>(sum.notKeptNs) / whole;
    std::stable_sort(sum.rows.begin(), sum.rows.end(),
                     [](const RangeRow &a, const RangeRow &b) { return a.kind != b.kind ? a.kind < b.kind : a.totalNs > b.totalNs; });
    return sum;
}

std::int64_t roundStepNs(std::int64_t spanNs, int most)
{
    std::int64_t step = 1;
    while (spanNs / step >= most) {
        if (spanNs / (2 * step) < most) return 2 * step;
        if (spanNs / (5 * step) < most) return 5 * step;
        step *= 10;
    }
    return step;
}

} // namespace profiler
