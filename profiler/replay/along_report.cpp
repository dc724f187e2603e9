#include "profiler/export/format.h"
#include "profiler/export/json_text.h"
#include "profiler/replay/along.h"
#include "profiler/replay/replay_report.h"

namespace profiler {

std::string alongText(const Along &along)
{
    std::string out = format("%s, call %lld, %s: the graph after its steps\n", along.view.functionName.c_str(),
                             static_cast<long long>(along.view.call.call), along.mode.c_str());
    for (const std::string &note : along.notes) out += "  " + note + "\n";
    if (!along.busy.empty()) out += "  " + along.busy + kTimesMayBeOff + "\n";
    out += format("\n  %5s  %-14s %10s %10s %10s %8s  %s\n", "step", "phase", "a call", "planned", "peak", "applies", "error");
    for (const AlongRow &row : along.rows) {
        out += format("  %5d  %-14s ", row.step, row.step == 0 ? "as written" : row.phase.c_str());
        if (!row.error.empty()) {
            out += whyNoNumbers(row.error);
            continue;
        }
        out += format("%10s %10lld %10lld %8lld  ", timeText(row.ns).c_str(), static_cast<long long>(row.plannedBytes),
                      static_cast<long long>(row.peakBytes), static_cast<long long>(row.applies));
        out += row.notFinite > 0 ? format("%lld not finite\n", static_cast<long long>(row.notFinite)) : format("%.3g ulp\n", row.ulp);
    }
    out += "  planned, peak: bytes, of the arena and as allocated in a call.\n";
    return out + "  error: largest difference of an output from " + along.reference + ".\n";
}

std::string alongJson(const Along &along)
{
    using nlohmann::ordered_json;
    ordered_json rows = ordered_json::array();
    for (const AlongRow &row : along.rows) {
        ordered_json one{{"step", row.step},
                         {"phase", row.phase},
                         {"rewrite", row.rewrite},
                         {"ns", row.ns},
                         {"planned_bytes", row.plannedBytes},
                         {"peak_bytes", row.peakBytes},
                         {"applies", row.applies},
                         {"ulp", row.ulp},
                         {"not_finite", row.notFinite}};
        if (!row.error.empty()) one["error"] = row.error;
        rows.push_back(std::move(one));
    }
    return jsonText(ordered_json{{"function", along.view.functionName},
                                 {"call", along.view.call.call},
                                 {"mode", along.mode},
                                 {"reference", along.reference},
                                 {"notes", along.notes},
                                 {"busy", along.busy},
                                 {"rows", rows}});
}

std::string guiltJson(const Guilt &guilt)
{
    const nlohmann::ordered_json json{{"function", guilt.view.functionName},
                                      {"call", guilt.view.call.call},
                                      {"until", guilt.until},
                                      {"steps", guilt.steps},
                                      {"tried", guilt.tried},
                                      {"step", guilt.step},
                                      {"phase", guilt.phase},
                                      {"rewrite", guilt.rewrite},
                                      {"reason", guilt.reason},
                                      {"matched", guilt.region},
                                      {"made", guilt.produced},
                                      {"lines", guilt.lines},
                                      {"before", guilt.before},
                                      {"after", guilt.after},
                                      {"verdict", guilt.verdict}};
    return jsonText(json);
}

} // namespace profiler
