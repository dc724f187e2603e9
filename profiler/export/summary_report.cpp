#include "profiler/export/format.h"
#include "profiler/export/lines_report.h"
#include "profiler/export/report.h"
#include "profiler/export/report_parts.h"
#include "profiler/session/store/reader.h"
#include "profiler/stats/advice/advice.h"

#include <algorithm>
#include <map>

namespace profiler {

namespace {

constexpr std::size_t kLines = 8;

std::string placeOf(const LineRow &line)
{
    return line.source.file.empty() ? "from no line" : line.source.file + ":" + std::to_string(line.source.line);
}

// Those with most time of their own.
std::string ownLines(const std::vector<LineRow> &lines)
{
    std::string out = "\nLines\n";
    for (std::size_t i = 0; i < std::min(lines.size(), kLines) && !lines[i].isPassed(); ++i)
        out += format("  %5.1f%%  %10s  ", lines[i].percent, duration(lines[i].ns).c_str()) + placeOf(lines[i]) +
               (lines[i].estimated ? " (estimated)" : "") + "\n";
    return out;
}

// Of what was called: ops, lines, and how fast it could be.
std::string costsText(const ProfileData &data, const TableScope &scope)
{
    const Table ops = makeTable(data, TableKind::Op, scope);
    std::string out = "\nOps\n";
    const std::size_t shown = std::min<std::size_t>(ops.rows.size(), 8);
    for (std::size_t i = 0; i < shown; ++i)
        out += format("  %5.1f%%  %10s  %8lld calls, half within %8s, 95%% within %8s  %s\n", ops.rows[i].percent,
                      duration(ops.rows[i].ns).c_str(), static_cast<long long>(ops.rows[i].calls), duration(ops.rows[i].medianNs).c_str(),
                      duration(ops.rows[i].p95Ns).c_str(), elided(ops.rows[i].name, 80).c_str());
    if (shown < ops.rows.size())
        out += format("  %5.1f%%  in %zu more\n", 100 - ops.rows[shown - 1].cumulativePercent, ops.rows.size() - shown);
    const std::vector<LineRow> lines = lineTable(data, scope);
    return out + ownLines(lines) + callingLines(lines, {}, kLines) + "\n" + headroomText(data, scope) + deviceTimes(data, scope);
}

} // namespace

std::string summaryReport(const ProfileData &data, const ReportOptions &options)
{
    std::string out;
    const TableScope scope{options.functions, false};
    if (!data.info.label.empty()) out += data.info.label + "\n";
    if (const std::string note = sessionWarning(data.info); !note.empty()) out += note + "\n";
    const ProfileSummary sum = summarize(data, scope);
    const bool wasCalled = sum.calls > 0;
    if (wasCalled)
        out += format("%s, %s in %s: %s in ops (%.1f%%), %s overhead\n", counted(sum.functions, "function").c_str(),
                      counted(sum.calls, "call").c_str(), duration(sum.callNs).c_str(), duration(sum.thunkNs).c_str(), sum.thunkPercent,
                      duration(overheadNs(sum.callNs, sum.thunkNs)).c_str());
    else out += counted(static_cast<std::int64_t>(data.functions.size()), "function") + ", and no call of one\n";
    out += format("Compiling took %s: optimizer %s, linker %s\n\nFunctions\n", duration(sum.compile.totalNs).c_str(),
                  duration(sum.compile.optimizerNs).c_str(), duration(sum.compile.linkerNs).c_str());
    for (const FunctionInfo &function : data.functions) {
        out += format("  %-24s %4d -> %3d applies in %3d steps  ", titleIn(24, function).c_str(), function.appliesOriginal,
                      function.appliesOptimized, function.stepCount);
        const std::int64_t calls = function.run.calls;
        if (calls == 0) out += "never called\n";
        else
            out += format("%8lld calls  %10s  %10s a call\n", static_cast<long long>(calls), duration(function.run.totalNs).c_str(),
                          duration(static_cast<double>(function.run.totalNs) / static_cast<double>(calls)).c_str());
        if (function.stages > 1) out += format("  %24s %d plans a call: sizes are known only as it runs\n", "", function.stages);
    }
    if (wasCalled) out += costsText(data, scope);
    for (const Check &check : data.checks)
        if (!check.passed) out += "Check failed (" + check.kind + "): " + check.text.substr(0, check.text.find('\n')) + "\n";
    if (!data.checks.empty()) {
        double absolute = 0, relative = 0;
        for (const Check &check : data.checks) {
            absolute = std::max(absolute, check.maxAbsolute);
            relative = std::max(relative, check.maxRelative);
        }
        out += format(
            "%lld of %zu checks passed",
            static_cast<long long>(std::count_if(data.checks.begin(), data.checks.end(), [](const Check &check) { return check.passed; })),
            data.checks.size());
        if (absolute > 0) out += format("; values differ by at most %.2g (%.2g of a value)", absolute, relative);
        out += "\n";
    }
    out += recordingNote(data);
    for (const Drop &drop : data.drops)
        out += format("Left out: %lld %s (%s)\n", static_cast<long long>(drop.count), drop.what.c_str(), drop.reason.c_str());
    for (const Advice &one : advise(data)) out += "Tip: " + one.text + ".\n";
    return out;
}

namespace {

// Of one function; names in columns that fit the longest.
class OptimizerTable {
public:
    OptimizerTable(const ProfileData &data, const GraphInfo &graph, bool onlyChanged)
    {
        for (const PassInfo &pass : data.passes)
            if (pass.graph == graph.id && (!onlyChanged || pass.stepCount > 0)) m_passes.push_back(&pass);
        for (const PassRewrite &one : data.rewrites.ofPasses)
            if (one.graph == graph.id && (one.applied > 0 || !onlyChanged)) m_rewrites[one.pass].push_back(&one);
        for (const PassInfo *pass : m_passes) m_width = std::max(m_width, pass->name.size());
        for (auto &[pass, rewrites] : m_rewrites) {
            std::stable_sort(rewrites.begin(), rewrites.end(), [](const PassRewrite *a, const PassRewrite *b) {
                return a->applied != b->applied ? a->applied > b->applied : a->ns > b->ns;
            });
            for (const PassRewrite *one : rewrites) m_width = std::max(m_width, one->rewrite.size() + 2);
        }
    }

    std::string text() const
    {
        const int width = static_cast<int>(m_width);
        std::string out, phase;
        for (const PassInfo *pass : m_passes) {
            if (pass->phase != phase) out += "  " + pass->phase + "\n";
            phase = pass->phase;
            out += format("    %-*s  %4lld %-5s          %10s  %5d -> %5d applies%s\n", width, pass->name.c_str(),
                          static_cast<long long>(pass->stepCount), pass->stepCount == 1 ? "step" : "steps", duration(pass->ns).c_str(),
                          pass->nodesBefore, pass->nodesAfter, pass->stepCount == 0 ? "  (unchanged)" : "");
            const auto found = m_rewrites.find(pass->index);
            if (found == m_rewrites.end()) continue;
            for (const PassRewrite *one : found->second)
                out += format("      %-*s  %4lld applied  %10s\n", width - 2, one->rewrite.c_str(), static_cast<long long>(one->applied),
                              duration(one->ns).c_str());
        }
        return out;
    }

private:
    std::vector<const PassInfo *> m_passes;
    std::map<int, std::vector<const PassRewrite *>> m_rewrites; // by pass
    std::size_t m_width = 0;
};

} // namespace

std::string optimizerReport(const ProfileData &data, FunctionId function, const DistinctTitles &titles, bool onlyChanged)
{
    std::string out;
    for (const GraphInfo &graph : data.graphs) {
        if (graph.function != function || graph.parentGraph != kNoGraph) continue;
        std::int64_t total = 0;
        for (const PassInfo &pass : data.passes) total += pass.graph == graph.id ? pass.ns : 0;
        std::string title = graph.label;
        for (const FunctionInfo &one : data.functions)
            if (one.id == function) title = titles.of(one);
        out += format("%s: %d -> %d %s, %d %s, %s\n", title.c_str(), graph.appliesOriginal, graph.appliesOptimized,
                      graph.appliesOptimized == 1 ? "apply" : "applies", graph.stepCount, graph.stepCount == 1 ? "step" : "steps",
                      duration(total).c_str());
        out += OptimizerTable(data, graph, onlyChanged).text();
    }
    return out;
}

} // namespace profiler
