#include "profiler/export/chrome_trace.h"

#include "profiler/export/json_text.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <unordered_map>
#include <vector>

namespace profiler {

using nlohmann::json;

namespace {

constexpr int kProcess = 1; // all lanes are threads of one process

constexpr int kOverflow = 1'000'000;        // threads of what overlaps on its lane are numbered from here
constexpr std::int64_t kRoundingNs = 2'000; // two clocks, or one read twice, may differ by so much

// A reader of traces refuses times before the beginning.
double micros(std::int64_t ns) { return static_cast<double>(std::max<std::int64_t>(ns, 0)) * 1e-3; }

// Perfetto drops a span that begins inside another of its thread and ends outside. Each event gets a thread on which the
// spans nest: its lane, or one of those beside it where calls ran at the same time; ends that miss by a rounding are moved.
class Nesting {
public:
    struct Place {
        int thread = 0;
        std::int64_t startNs = 0;
        std::int64_t durationNs = 0;
    };
    // Events in the order of their starts, longer ones first.
    Place place(const Event &event)
    {
        const std::int64_t start = std::max<std::int64_t>(event.startNs, 0);
        std::vector<Thread> &threads = m_lanes[event.lane];
        const std::int64_t end = start + std::max<std::int64_t>(event.durationNs, 0);
        for (std::size_t i = 0;; ++i) {
            if (i == threads.size()) threads.push_back({i == 0 ? event.lane : kOverflow + m_overflows++, {}});
            if (const auto place = fit(threads[i], start, end)) return *place;
        }
    }

private:
    struct Thread {
        int id = 0;
        std::vector<std::int64_t> ends; // of the spans that are open, the innermost last
    };
    static std::optional<Place> fit(Thread &thread, std::int64_t start, std::int64_t end)
    {
        std::vector<std::int64_t> &ends = thread.ends;
        for (;;) {
            while (!ends.empty() && ends.back() <= start) ends.pop_back();
            if (!ends.empty() && end > ends.back()) {
                if (end - ends.back() <= kRoundingNs) end = ends.back();
                else if (ends.back() - start <= kRoundingNs) {
                    start = ends.back(); // it follows by a hair what is open
                    continue;
                } else return std::nullopt;
            }
            ends.push_back(end);
            return Place{thread.id, start, end - start};
        }
    }
    std::unordered_map<int, std::vector<Thread>> m_lanes;
    int m_overflows = 0;
};

class TraceWriter {
public:
    explicit TraceWriter(std::ostream &out) : m_out(out) { m_out << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["; }
    void add(const json &event)
    {
        if (!m_first) m_out << ",";
        m_first = false;
        m_out << jsonText(event, -1);
    }
    void finish(const json &about) { m_out << "],\n\"otherData\":" << jsonText(about, -1) << "}\n"; }

private:
    std::ostream &m_out;
    bool m_first = true;
};

// Names of what events point to.
struct NamesOfEvents {
    std::unordered_map<std::uint32_t, const FunctionInfo *> functions;
    std::unordered_map<ApplyKey, const ApplyRow *, ApplyKeyHash> applies;
    std::unordered_map<ApplyKey, SourceLine, ApplyKeyHash> lines;

    explicit NamesOfEvents(const ProfileData &data)
    {
        for (const FunctionInfo &function : data.functions) functions[raw(function.id)] = &function;
        for (const ApplyRow &apply : data.applies) applies[{apply.graph, apply.apply}] = &apply;
        for (const SourceLink &link : data.sources) lines.try_emplace({link.graph, link.apply}, link.source);
    }
    [[nodiscard]] std::string of(const Event &event) const
    {
        if (!event.name.empty()) return event.name;
        if (const auto apply = applies.find({event.graph, event.apply}); apply != applies.end()) return apply->second->op;
        if (const auto function = functions.find(raw(event.function)); function != functions.end())
            return function->second->name.empty() ? "function" : function->second->name;
        return eventKindName(event.kind);
    }
};

json argumentsOf(const Event &event, const NamesOfEvents &names)
{
    json out = json::object();
    if (const auto function = names.functions.find(raw(event.function)); function != names.functions.end())
        out["function"] = function->second->name;
    if (event.call >= 0) out["call"] = event.call;
    if (const auto apply = names.applies.find({event.graph, event.apply}); apply != names.applies.end()) {
        out["apply"] = apply->second->label;
        out["id"] = apply->second->optimizedIndex;
        if (const auto line = names.lines.find({event.graph, event.apply}); line != names.lines.end())
            out["line"] = line->second.file + ":" + std::to_string(line->second.line);
    }
    if (event.bytes != 0) out["bytes"] = event.bytes;
    if (event.correlation != 0) out["correlation"] = event.correlation;
    return out;
}

} // namespace

void writeChromeTrace(std::ostream &out, const ProfileData &data, const Trace &contents, const std::vector<Message> &messages)
{
    const NamesOfEvents names(data);
    TraceWriter trace(out);
    const std::string title = data.info.label.empty() ? "croton" : data.info.label;
    trace.add({{"ph", "M"}, {"name", "process_name"}, {"pid", kProcess}, {"tid", 0}, {"args", {{"name", title}}}});
    std::unordered_map<int, bool> known;
    const auto nameLane = [&](int id, const std::string &text) {
        if (known[id]) return;
        known[id] = true;
        trace.add({{"ph", "M"}, {"name", "thread_name"}, {"pid", kProcess}, {"tid", id}, {"args", {{"name", text}}}});
        trace.add({{"ph", "M"}, {"name", "thread_sort_index"}, {"pid", kProcess}, {"tid", id}, {"args", {{"sort_index", id}}}});
    };
    std::unordered_map<int, std::string> lanes;
    for (const Lane &lane : contents.lanes) {
        lanes[lane.id] = std::string(laneKindName(lane.kind)) + " " + lane.device + " " + lane.name;
        nameLane(lane.id, lanes[lane.id]);
    }
    std::vector<const Event *> ordered;
    for (const Event &event : contents.events) ordered.push_back(&event);
    std::stable_sort(ordered.begin(), ordered.end(), [](const Event *a, const Event *b) {
        return a->startNs != b->startNs ? a->startNs < b->startNs : a->durationNs > b->durationNs;
    });
    Nesting nesting;
    std::unordered_map<std::int64_t, bool> launched; // correlations whose first event was seen
    for (const Event *one : ordered) {
        const Event &event = *one;
        const Nesting::Place place = nesting.place(event);
        const auto lane = lanes.find(event.lane);
        const std::string name = lane == lanes.end() ? "lane " + std::to_string(event.lane) : lane->second;
        nameLane(place.thread, place.thread == event.lane ? name : name + ", at the same time");
        trace.add({{"ph", "X"},
                   {"name", names.of(event)},
                   {"cat", eventKindName(event.kind)},
                   {"pid", kProcess},
                   {"tid", place.thread},
                   {"ts", micros(place.startNs)},
                   {"dur", micros(place.durationNs)},
                   {"args", argumentsOf(event, names)}});
        if (event.correlation == 0) continue;
        // An arrow from the launch to its work on the device.
        const bool isStart = !launched[event.correlation];
        launched[event.correlation] = true;
        json flow{{"ph", isStart ? "s" : "f"},  {"name", "launch"}, {"cat", "launch"},
                  {"id", event.correlation},    {"pid", kProcess},  {"tid", place.thread},
                  {"ts", micros(place.startNs)}};
        if (!isStart) flow["bp"] = "e";
        trace.add(flow);
    }
    for (const MemoryEvent &event : contents.memoryEvents)
        trace.add({{"ph", "C"},
                   {"name", "live bytes " + event.device},
                   {"pid", kProcess},
                   {"tid", 0},
                   {"ts", micros(event.timeNs)},
                   {"args", {{"bytes", event.liveBytes}}}});
    for (const Message &message : messages)
        trace.add({{"ph", "i"},
                   {"name", message.text},
                   {"cat", severityName(message.severity)},
                   {"pid", kProcess},
                   {"tid", 0},
                   {"ts", micros(message.timeNs)},
                   {"s", "p"}});
    json drops = json::object();
    for (const Drop &drop : data.drops) drops[drop.what] = std::to_string(drop.count) + ": " + drop.reason;
    trace.finish({{"command", data.info.command}, {"croton", data.info.crotonVersion}, {"dropped", drops}});
}

} // namespace profiler
