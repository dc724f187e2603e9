#include "profiler/export/history_report.h"

#include "engine/liveness/sizes.h"
#include "profiler/export/format.h"
#include "profiler/session/store/files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ctime>

namespace profiler {
namespace {

constexpr std::size_t kMostChanges = 6; // said of one session; the rest is counted

void sayChanges(std::string &out, const std::vector<GraphChange> &changes, const std::string &since)
{
    for (std::size_t i = 0; i < std::min(changes.size(), kMostChanges); ++i)
        out += "    since " + since + ": " + elided(changes[i].text(), 160) + "\n";
    if (changes.size() > kMostChanges)
        out += format("    since %s: %zu more changes (--json has all)\n", since.c_str(), changes.size() - kMostChanges);
}

nlohmann::json changesJson(const std::vector<GraphChange> &changes)
{
    nlohmann::json list = nlohmann::json::array();
    for (const GraphChange &one : changes) list.push_back(one.text());
    return list;
}

} // namespace

std::string dayText(std::int64_t unixMs, std::int64_t nowMs)
{
    const auto partsOf = [](std::int64_t ms) {
        const std::time_t seconds = ms / 1000;
        std::tm parts{};
        localtime_r(&seconds, &parts);
        return parts;
    };
    const std::tm then = partsOf(unixMs), now = partsOf(nowMs);
    const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    return format("%d %s%s %02d:%02d", then.tm_mday, months[then.tm_mon],
                  then.tm_year == now.tm_year ? "" : format(" %d", 1900 + then.tm_year).c_str(), then.tm_hour, then.tm_min);
}

std::string historyReport(const History &history, std::size_t most)
{
    const std::int64_t now = unixMs();
    const std::size_t first = history.sessions.size() > most ? history.sessions.size() - most : 0;
    std::string out = history.script + ": " + counted(static_cast<std::int64_t>(history.sessions.size()), "session") + "\n";
    if (first > 0) out += format("The last %zu are shown (--last N).\n", most);
    bool saidSettings = false; // they are those of all functions
    for (const FunctionHistory &function : history.functions) {
        if (function.points.empty() || function.points.back().session < first) continue;
        out += "\n" + function.name + "\n  when                    a call      calls    memory  applies    compile  session\n";
        for (const HistoryPoint &point : function.points) {
            if (point.session < first) continue;
            const HistorySession &session = history.sessions[point.session];
            const std::string since = dayText(session.createdUnixMs, now);
            if (point.session > first) {
                if (!saidSettings) sayChanges(out, session.changes, since);
                if (point.writtenAnew) out += "    since " + since + ": the graph is written another way\n";
                sayChanges(out, point.changes, since);
            }
            out += format("  %-20s %9s %10lld %9s %8d %10s  %s%s%s\n", since.c_str(),
                          point.nsPerCall < 0 ? "-" : duration(point.nsPerCall).c_str(), static_cast<long long>(point.calls),
                          (point.peakBytes < 0 ? "-" : liveness::sizeText(point.peakBytes)).c_str(), point.applies,
                          duration(point.compileNs).c_str(), session.path.c_str(),
                          session.label.empty() ? "" : (" (" + session.label + ")").c_str(), session.cutOff ? " (cut off)" : "");
        }
        saidSettings = true;
    }
    for (const LeftOut &one : history.leftOut) out += "Left out: " + one.path + ": " + one.reason + "\n";
    return out;
}

nlohmann::json historyJson(const History &history)
{
    nlohmann::json sessions = nlohmann::json::array(), functions = nlohmann::json::array(), leftOut = nlohmann::json::array();
    for (const HistorySession &one : history.sessions)
        sessions.push_back({{"path", one.path},
                            {"label", one.label},
                            {"createdUnixMs", one.createdUnixMs},
                            {"cutOff", one.cutOff},
                            {"changes", changesJson(one.changes)}});
    for (const FunctionHistory &function : history.functions) {
        nlohmann::json points = nlohmann::json::array();
        for (const HistoryPoint &point : function.points)
            points.push_back({{"session", point.session},
                              {"function", raw(point.function)},
                              {"calls", point.calls},
                              {"nsPerCall", point.nsPerCall},
                              {"peakBytes", point.peakBytes},
                              {"applies", point.applies},
                              {"compileNs", point.compileNs},
                              {"writtenAnew", point.writtenAnew},
                              {"changes", changesJson(point.changes)}});
        functions.push_back({{"name", function.name}, {"points", std::move(points)}});
    }
    for (const LeftOut &one : history.leftOut) leftOut.push_back({{"path", one.path}, {"reason", one.reason}});
    return {{"script", history.script},
            {"sessions", std::move(sessions)},
            {"functions", std::move(functions)},
            {"leftOut", std::move(leftOut)}};
}

} // namespace profiler
