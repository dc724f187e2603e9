#include "profiler/replay/replay_report.h"

#include "engine/device/device.h"
#include "profiler/compare/significance.h"
#include "profiler/export/format.h"
#include "profiler/export/json_text.h"

#include <algorithm>

namespace profiler {
namespace {

std::optional<double> steadyNs(SessionReader &reader, FunctionId function)
{
    std::vector<FunctionInfo> functions = reader.functions();
    std::erase_if(functions, [function](const FunctionInfo &info) { return info.id != function; });
    std::vector<double> times;
    for (const Event &event : reader.steadySamples(functions))
        if (event.function == function && event.kind == EventKind::Call) times.push_back(static_cast<double>(event.durationNs));
    if (times.empty()) return std::nullopt;
    return medianOf(times);
}

bool isChanged(const ReplayRequest &request)
{
    const ModeChanges &changes = request.changes;
    return changes.mode || changes.device || !changes.including.empty() || !changes.excluding.empty();
}

std::string joined(const std::vector<std::string> &words)
{
    std::string text;
    for (const std::string &word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

} // namespace

std::string inWords(const engine::Mode &mode)
{
    std::string text = mode.name + " on " + engine::deviceOf(mode.device).info().name;
    if (!mode.including.empty()) text += ", with " + joined(mode.including);
    if (!mode.excluding.empty()) text += ", without " + joined(mode.excluding);
    return text;
}

std::string timeText(double ns)
{
    if (ns < 1e4) return format("%.2f us", ns * 1e-3);
    if (ns < 1e6) return format("%.1f us", ns * 1e-3);
    if (ns < 1e9) return format("%.2f ms", ns * 1e-6);
    return format("%.2f s", ns * 1e-9);
}

ReplayResult replay(SessionReader &reader, const ReplayRequest &request)
{
    const LoadedCall call = loadCall(reader, request.function, request.call);
    ReplayResult result;
    result.view = call.view;
    result.notes = call.placeholders;
    result.recordedNs = call.view.call.ns;
    result.recordedSteadyNs = steadyNs(reader, call.view.function.function);
    std::string note;
    const engine::Mode recorded = modeOf(call.view.function, {}, &note);
    if (!note.empty()) result.notes.push_back(note);
    if (!request.threads.empty()) result.notes.push_back(request.threads);
    result.recorded = inWords(recorded);
    request.watch.say("compiling " + call.view.functionName + " as it was recorded");
    std::vector<std::shared_ptr<engine::Function>> functions{compileCaptured(call, recorded)};
    result.recordedCompileNs = static_cast<std::int64_t>(functions[0]->times().totalNs);
    result.recordedApplies = functions[0]->order().size();
    if (isChanged(request)) {
        const engine::Mode asked = modeOf(call.view.function, request.changes);
        result.asked = inWords(asked);
        request.watch.say("compiling it: " + result.asked);
        functions.push_back(compileCaptured(call, asked));
        result.askedCompileNs = static_cast<std::int64_t>(functions[1]->times().totalNs);
        result.askedApplies = functions[1]->order().size();
    }
    std::vector<std::vector<engine::Value>> values;
    for (const auto &function : functions) values.push_back(callCaptured(call, *function));
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        ReplayResult::Output output{call.outputNames[i], {}, {}, !call.outputs[i]};
        // Without a record what is asked for stands beside what was.
        if (call.outputs[i]) output.asRecorded = differenceBetween(values[0][i], *call.outputs[i]);
        if (functions.size() > 1) output.asAsked = differenceBetween(values[1][i], call.outputs[i] ? *call.outputs[i] : values[0][i]);
        result.outputs.push_back(std::move(output));
    }
    const TurnTimes turns = timesInTurns(call, functions, request.turns, request.watch);
    const std::vector<std::vector<double>> &times = turns.of;
    if (times[0].empty() || times.back().empty()) throw SessionError("ended before the calls were timed");
    result.recordedTimes = times[0];
    if (functions.size() > 1) {
        result.askedTimes = times[1];
        result.difference = differenceOf(times[1], times[0]);
        result.busy = busyText(turns.load);
        result.isJudged = isJudged(turns.load, request.turns);
        result.difference->counts = result.difference->counts && result.isJudged;
    }
    return result;
}

std::string replayText(const ReplayResult &result)
{
    std::string out = format("%s, call %lld (%s)\n", result.view.functionName.c_str(), static_cast<long long>(result.view.call.call),
                             reasonName(result.view.call.reason));
    out += format("  as recorded: %s; %zu applies, compiled in %s\n", result.recorded.c_str(), result.recordedApplies,
                  timeText(static_cast<double>(result.recordedCompileNs)).c_str());
    if (!result.asked.empty())
        out += format("  as asked:    %s; %zu applies, compiled in %s\n", result.asked.c_str(), result.askedApplies,
                      timeText(static_cast<double>(result.askedCompileNs)).c_str());
    for (const std::string &note : result.notes) out += "  " + note + "\n";
    std::size_t width = 6;
    for (const ReplayResult::Output &output : result.outputs) width = std::max(width, output.name.size());
    out += "\nValues, beside those that the session has\n";
    for (const ReplayResult::Output &output : result.outputs) {
        out += format("  %-*s  %s", static_cast<int>(width), output.name.c_str(),
                      output.asRecorded ? textOf(*output.asRecorded).c_str() : "the session does not have it");
        if (output.asAsked)
            out += format("; as asked: %s%s", textOf(*output.asAsked).c_str(), output.isLeftOut ? " (beside as recorded, here)" : "");
        out += "\n";
    }
    out += "\nTime of a call\n";
    out += format("  when recorded      %s (this call)\n", timeText(static_cast<double>(result.recordedNs)).c_str());
    if (result.recordedSteadyNs)
        out += format("  when recorded      %s (median in the steady state)\n", timeText(*result.recordedSteadyNs).c_str());
    out += format("  here, as recorded  %s (middle of %s)\n", timeText(middleOf(result.recordedTimes)).c_str(),
                  counted(static_cast<std::int64_t>(result.recordedTimes.size()), "call").c_str());
    if (result.difference) {
        const TimeDifference &time = *result.difference;
        const double ratio = time.otherNs > 0 ? time.ns / time.otherNs : 1;
        out += format("  here, as asked     %s (middle of %s, in turns): ", timeText(time.ns).c_str(),
                      counted(static_cast<std::int64_t>(result.askedTimes.size()), "call").c_str());
        if (!result.isJudged) out += "no verdict: " + result.busy + "\n";
        else if (!time.counts) out += format("no difference that counts (p = %.2g)\n", time.p);
        else out += format("%.2f x %s (p = %.2g)\n", ratio >= 1 ? ratio : 1 / ratio, ratio >= 1 ? "slower" : "faster", time.p);
    }
    return out;
}

std::string replayJson(const ReplayResult &result)
{
    using nlohmann::ordered_json;
    const auto differenceJson = [](const std::optional<ValueDifference> &difference) -> ordered_json {
        if (!difference) return nullptr;
        return {{"same", difference->isSame},       {"same_type", difference->isSameType}, {"ulp", difference->ulp},
                {"absolute", difference->absolute}, {"relative", difference->relative},    {"not_finite", difference->notFinite}};
    };
    ordered_json json{{"function", result.view.functionName},
                      {"call", result.view.call.call},
                      {"reason", reasonName(result.view.call.reason)},
                      {"as_recorded", result.recorded},
                      {"notes", result.notes},
                      {"recorded_ns", result.recordedNs},
                      {"applies", result.recordedApplies},
                      {"compile_ns", result.recordedCompileNs},
                      {"ns", middleOf(result.recordedTimes)},
                      {"calls", result.recordedTimes.size()}};
    if (result.recordedSteadyNs) json["recorded_steady_ns"] = *result.recordedSteadyNs;
    if (result.difference)
        json["asked"] = {{"as", result.asked},          {"applies", result.askedApplies}, {"compile_ns", result.askedCompileNs},
                         {"ns", result.difference->ns}, {"p", result.difference->p},      {"counts", result.difference->counts},
                         {"busy", result.busy}};
    for (const ReplayResult::Output &output : result.outputs)
        json["outputs"].push_back(
            {{"name", output.name}, {"as_recorded", differenceJson(output.asRecorded)}, {"as_asked", differenceJson(output.asAsked)}});
    return jsonText(json);
}

} // namespace profiler
