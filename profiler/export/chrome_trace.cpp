#include "profiler/export/chrome_trace.h"

#include <nlohmann/json.hpp>

#include <ostream>
#include <unordered_map>

namespace profiler {

using nlohmann::json;

namespace {

constexpr int kProcess = 1; // all lanes are threads of one process

double micros(std::int64_t ns) { return static_cast<double>(ns) * 1e-3; }

class TraceWriter {
public:
    explicit TraceWriter(std::ostream &out) : m_out(out) { m_out << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["; }
    void add(const json &event) {
        if (!m_first)
            m_out << ",\n";
        m_first = false;
        m_out << event.dump(-1, ' ', false, json::error_handler_t::replace);
    }
    void finish(const json &about) {
        m_out << "],\n\"otherData\":" << about.dump(-1, ' ', false, json::error_handler_t::replace) << "}\n";
    }

private:
    std::ostream &m_out;
    bool m_first = true;
};

// Names of what events point to.
struct Names {
    std::unordered_map<std::uint32_t, const FunctionInfo *> functions;
    std::unordered_map<ApplyKey, const ApplyRow *, ApplyKeyHash> applies;
    std::unordered_map<ApplyKey, SourceLine, ApplyKeyHash> lines;

    explicit Names(const ProfileData &data) {
        for (const FunctionInfo &function : data.functions)
            functions[raw(function.id)] = &function;
        for (const ApplyRow &apply : data.applies)
            applies[{apply.graph, apply.apply}] = &apply;
        for (const SourceLink &link : data.sources)
            lines.try_emplace({link.graph, link.apply}, link.source);
    }
    [[nodiscard]] std::string of(const Event &event) const {
        if (!event.name.empty())
            return event.name;
        if (const auto apply = applies.find({event.graph, event.apply}); apply != applies.end())
            return apply->second->op;
        if (const auto function = functions.find(raw(event.function)); function != functions.end())
            return function->second->name.empty() ? "function" : function->second->name;
        return eventKindName(event.kind);
    }
};

json argumentsOf(const Event &event, const Names &names) {
    json out = json::object();
    if (const auto function = names.functions.find(raw(event.function)); function != names.functions.end())
        out["function"] = function->second->name;
    if (event.call >= 0)
        out["call"] = event.call;
    if (const auto apply = names.applies.find({event.graph, event.apply}); apply != names.applies.end()) {
        out["apply"] = apply->second->label;
        out["id"] = apply->second->optimizedIndex;
        if (const auto line = names.lines.find({event.graph, event.apply}); line != names.lines.end())
            out["line"] = line->second.file + ":" + std::to_string(line->second.line);
    }
    if (event.bytes != 0)
        out["bytes"] = event.bytes;
    if (event.correlation != 0)
        out["correlation"] = event.correlation;
    return out;
}

} // namespace

void writeChromeTrace(std::ostream &out, const ProfileData &data, const TraceContents &contents) {
    const Names names(data);
    TraceWriter trace(out);
    const std::string title = data.info.label.empty() ? "croton" : data.info.label;
    trace.add({{"ph", "M"}, {"name", "process_name"}, {"pid", kProcess}, {"tid", 0}, {"args", {{"name", title}}}});
    std::unordered_map<int, bool> known;
    const auto nameLane = [&](int id, const std::string &text) {
        if (known[id])
            return;
        known[id] = true;
        trace.add({{"ph", "M"}, {"name", "thread_name"}, {"pid", kProcess}, {"tid", id}, {"args", {{"name", text}}}});
        trace.add({{"ph", "M"}, {"name", "thread_sort_index"}, {"pid", kProcess}, {"tid", id}, {"args", {{"sort_index", id}}}});
    };
    for (const Lane &lane : contents.lanes)
        nameLane(lane.id, std::string(laneKindName(lane.kind)) + " " + lane.device + " " + lane.name);
    std::unordered_map<std::int64_t, bool> launched; // correlations whose first event was seen
    for (const Event &event : contents.events) {
        nameLane(event.lane, "lane " + std::to_string(event.lane));
        trace.add({{"ph", "X"},
                   {"name", names.of(event)},
                   {"cat", eventKindName(event.kind)},
                   {"pid", kProcess},
                   {"tid", event.lane},
                   {"ts", micros(event.startNs)},
                   {"dur", micros(std::max<std::int64_t>(event.durationNs, 0))},
                   {"args", argumentsOf(event, names)}});
        if (event.correlation == 0)
            continue;
        // An arrow from the launch to its work on the device.
        const bool isStart = !launched[event.correlation];
        launched[event.correlation] = true;
        json flow{{"ph", isStart ? "s" : "f"}, {"name", "launch"},  {"cat", "launch"}, {"id", event.correlation},
                  {"pid", kProcess},           {"tid", event.lane}, {"ts", micros(event.startNs)}};
        if (!isStart)
            flow["bp"] = "e";
        trace.add(flow);
    }
    for (const MemoryEvent &event : contents.memoryEvents)
        trace.add({{"ph", "C"},
                   {"name", "live bytes " + event.device},
                   {"pid", kProcess},
                   {"tid", 0},
                   {"ts", micros(event.timeNs)},
                   {"args", {{"bytes", event.liveBytes}}}});
    for (const Message &message : contents.messages)
        trace.add({{"ph", "i"},
                   {"name", message.text},
                   {"cat", severityName(message.severity)},
                   {"pid", kProcess},
                   {"tid", 0},
                   {"ts", micros(message.timeNs)},
                   {"s", "p"}});
    json drops = json::object();
    for (const Drop &drop : data.drops)
        drops[drop.what] = std::to_string(drop.count) + ": " + drop.reason;
    trace.finish({{"command", data.info.command}, {"croton", data.info.crotonVersion}, {"dropped", drops}});
}

} // namespace profiler
