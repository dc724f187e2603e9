#include "profiler/export/lines_report.h"

#include "profiler/export/format.h"
#include "profiler/export/report_parts.h"
#include "profiler/session/store/reader.h"
#include "profiler/stats/machine/costs.h"
#include "profiler/stats/times/slow_lines.h"
#include "profiler/stats/times/whole_run.h"

#include <algorithm>

namespace profiler {

namespace {

constexpr std::size_t kOpsOfLine = 3;
constexpr std::size_t kLongestText = 100; // of a line of source

std::string lineName(const SourceLine &line) { return line.file + ":" + std::to_string(line.line); }

std::string sourceText(const SourceLine &line, const SourceTexts &texts) { return elided(texts.of(line), kLongestText); }

const char *clockWords(const ProfileData &data)
{
    ClockKind clock = ClockKind::Host;
    for (const ApplyStats &stats : data.stats)
        clock = std::max(clock, stats.deviceNs                      ? ClockKind::Device
                                : stats.blockingNs == stats.totalNs ? ClockKind::Blocking
                                                                    : ClockKind::Host);
    switch (clock) {
    case ClockKind::Device: return "the host's clock, which does not wait for the device";
    case ClockKind::Blocking: return "the host's clock, each launch waited for";
    case ClockKind::Host: break;
    }
    return "the host's clock";
}

std::string opsText(const SlowLine &line)
{
    std::string out;
    for (std::size_t i = 0; i < std::min(line.ops.size(), kOpsOfLine); ++i) {
        const LineOp &op = line.ops[i];
        if (i > 0 && op.share < 0.005) break;
        out += (out.empty() ? "" : ", ") + op.name + (op.isPython ? " (Python)" : "") + format(" %.0f%%", 100 * op.share);
    }
    return out;
}

// "The run took 503 ms: 224 ms in 401 calls of 2 functions, 8.59 ms in compiling, 270 ms in Python".
std::string runText(const ProfileData &data, const ProfileSummary &sum)
{
    const WholeRun run = wholeRun(data);
    const std::string calls = counted(sum.calls, "call") + " of " + counted(sum.functions, "function");
    if (run.durationNs <= 0) return calls + " took " + duration(sum.callNs) + "\n";
    return "The run took " + duration(run.durationNs) + ": " + duration(sum.callNs) + " in " + calls + ", " +
           duration(run.compileNs + run.gradNs) + " in compiling, " + duration(run.pythonNs) + " in Python (imports and the script)\n";
}

std::string slowLinesText(const std::vector<SlowLine> &lines, const SourceTexts &texts)
{
    std::string out;
    for (const SlowLine &line : lines) {
        out += format("  %5.1f%%  %10s  %10s a call  %8lld %s  ", line.row.percent, duration(line.row.ns).c_str(),
                      duration(line.nsPerCall).c_str(), static_cast<long long>(line.row.calls), line.row.calls == 1 ? "call " : "calls");
        out += lineName(line.row.source) + (line.row.estimated ? " (estimated)" : "") + "\n";
        if (const std::string text = sourceText(line.row.source, texts); !text.empty()) out += "          " + text + "\n";
        out += "          ops: " + opsText(line) + "\n";
        if (line.reason) out += "          tip: " + line.reason->text + "\n";
    }
    return out;
}

std::string tipText(const Advice &tip)
{
    const std::string gain = gainText(tip);
    return "Tip: " + tip.text + (gain.empty() ? "" : ": saves " + gain) + "\n" + (tip.evidence.empty() ? "" : "    " + tip.evidence + "\n");
}

} // namespace

std::string callingLines(std::vector<LineRow> lines, const SourceTexts &texts, std::size_t most)
{
    if (std::ranges::none_of(lines, [](const LineRow &line) { return line.isOfScript && line.withCallsNs > line.ns; })) return {};
    std::erase_if(lines, [](const LineRow &line) { return !line.isOfScript || line.source.line <= 0; });
    std::ranges::stable_sort(lines, std::ranges::greater(), &LineRow::withCallsNs);
    std::string out = "\nLines of the script, with what they call\n";
    for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) {
        const LineRow &line = lines[i];
        const bool isPart = line.ns > 0 && line.ns < line.withCallsNs;
        out += format("  %5.1f%%  %10s  ", line.withCallsPercent, duration(line.withCallsNs).c_str()) + lineName(line.source) +
               (isPart ? ", " + duration(line.ns) + " alone" : "") + (line.withCallsEstimated || line.estimated ? " (estimated)" : "");
        const std::string text = sourceText(line.source, texts);
        out += (text.empty() ? "" : "  " + text) + "\n";
    }
    return out;
}

std::string linesReport(const ProfileData &data, const SourceTexts &texts, const ReportOptions &options)
{
    const TableScope scope{options.functions, options.steadyOnly};
    const ProfileSummary sum = summarize(data, scope);
    std::string out;
    if (const std::string warning = sessionWarning(data.info); !warning.empty()) out += warning + "\n\n";
    if (sum.calls == 0) return out + theanoTables(data, options);
    const std::vector<Advice> advice = advise(data);
    const std::size_t most = static_cast<std::size_t>(options.lines);
    const std::vector<SlowLine> lines = slowLines(data, scope, advice, most);
    out += runText(data, sum);
    if (!lines.empty())
        out += "\nSlowest lines: share of the " + duration(sum.thunkNs) + " in ops, all calls, mean of a call; by " + clockWords(data) +
               "\n" + slowLinesText(lines, texts) + callingLines(lineTable(data, scope), texts, most);
    out += "\nTips (test them: none is certain to help)\n" + adviceText(advice);
    ReportOptions tables = options;
    tables.theanoSizes = false;
    return out + "\n" + theanoTables(data, tables) + recordingNote(data);
}

std::string slowestLineText(const ProfileData &data, const SourceTexts &texts)
{
    if (summarize(data).calls == 0) return {};
    const std::vector<Advice> advice = advise(data);
    const std::vector<SlowLine> lines = slowLines(data, {}, advice, 1);
    const Advice *first = advice.empty() ? nullptr : &advice.front();
    if (lines.empty()) {
        if (!first) return {};
        const std::string text = sourceText(first->place, texts);
        return (first->place.line > 0 ? "Slowest line: " + lineName(first->place) + ", which the tip is about (no op has a line)\n" : "") +
               (text.empty() ? "" : "    " + text + "\n") + tipText(*first);
    }
    const SlowLine &line = lines.front();
    std::string out = "Slowest line: " + lineName(line.row.source) +
                      format(", %.1f%% of the time in ops (%s in %s, mean %s; %s)\n", line.row.percent, duration(line.row.ns).c_str(),
                             counted(line.row.calls, "call").c_str(), duration(line.nsPerCall).c_str(), clockWords(data));
    if (const std::string text = sourceText(line.row.source, texts); !text.empty()) out += "    " + text + "\n";
    out += "    ops: " + opsText(line) + "\n";
    const Advice *tip = line.reason ? line.reason : first;
    return tip ? out + tipText(*tip) : out;
}

} // namespace profiler
