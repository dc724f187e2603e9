#include "profiler/export/html_export.h"

#include "profiler/export/format.h"
#include "profiler/export/report.h"
#include "profiler/session/codec/printable.h"
#include "profiler/session/store/reader.h"
#include "profiler/stats/advice/advice.h"
#include "profiler/stats/times/tables.h"

#include <ctime>
#include <unordered_map>

namespace profiler {

namespace {

constexpr const char *kStyle = R"(
:root { color-scheme: light dark; --ink: #1f2933; --paper: #ffffff; --faint: #667; --rule: #d5d9e0; --bar: #3f7fbf; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ec; --paper: #16191d; --faint: #9aa5b1; --rule: #333a44; --bar: #6ca6dd; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid var(--rule); } h3 { font-size: 1rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .15rem .6rem; border-bottom: 1px solid var(--rule); vertical-align: top; }
td.n, th.n { text-align: right; white-space: nowrap; }
td.name { font-family: ui-monospace, monospace; font-size: .85rem; overflow-wrap: anywhere; }
.bar { display: inline-block; height: .7rem; background: var(--bar); }
pre { overflow: auto; font-size: .8rem; } .faint { color: var(--faint); } .picture { overflow: auto; background: #fff; }
details { margin: .5rem 0; } summary { cursor: pointer; })";

std::string escaped(const std::string &text)
{
    std::string out;
    for (const char c : printable(text)) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
    return out;
}

// The drawing without what stands before it: an XML declaration is none of HTML's. Scripts are not let in.
std::string inlineSvg(const std::string &svg)
{
    const std::size_t at = svg.find("<svg");
    if (at == std::string::npos || svg.find("<script") != std::string::npos) return {};
    return svg.substr(at);
}

std::string cell(const std::string &text, const char *kind = "")
{
    return std::string("<td") + (*kind ? std::string(" class=\"") + kind + "\"" : std::string()) + ">" + text + "</td>";
}

std::string costTable(const Table &table, std::size_t limit)
{
    std::string out = "<table><tr><th class=n>share</th><th></th><th class=n>time</th><th class=n>per call</th>"
                      "<th class=n>median</th><th class=n>99%</th><th class=n>calls</th><th>name</th></tr>\n";
    std::size_t shown = 0;
    for (const TableRow &row : table.rows) {
        if (shown++ == limit) break;
        out += "<tr>" + cell(format("%.1f%%", row.percent), "n") +
               cell(format("<span class=bar style=\"width:%.1fem\"></span>", row.percent / 12)) +
               cell(format("%.3f ms", static_cast<double>(row.ns) * 1e-6), "n") + cell(format("%.3f us", row.nsPerCall * 1e-3), "n") +
               cell(format("%.3f us", row.medianNs * 1e-3), "n") + cell(format("%.3f us", row.p99Ns * 1e-3), "n") +
               cell(std::to_string(row.calls), "n") + cell(escaped(row.name), "name") + "</tr>\n";
    }
    out += "</table>\n";
    if (table.rows.size() > limit) out += format("<p class=faint>and %zu more</p>\n", table.rows.size() - limit);
    return out;
}

std::string functionTable(const ProfileData &data)
{
    std::string out = "<table><tr><th>function</th><th class=n>applies</th><th class=n>steps</th><th class=n>compile</th>"
                      "<th class=n>calls</th><th class=n>per call</th><th class=n>in ops</th></tr>\n";
    for (const FunctionInfo &one : data.functions) {
        const double calls = static_cast<double>(std::max<std::int64_t>(one.run.calls, 1));
        out += "<tr>" + cell(escaped(shortTitle(one)), "name") +
               cell(format("%d &rarr; %d", one.appliesOriginal, one.appliesOptimized), "n") + cell(std::to_string(one.stepCount), "n") +
               cell(format("%.1f ms", static_cast<double>(one.compile.totalNs) * 1e-6), "n") + cell(std::to_string(one.run.calls), "n") +
               cell(format("%.3f us", static_cast<double>(one.run.totalNs) / calls * 1e-3), "n") +
               cell(format("%.1f%%", percentOf(one.run.thunkNs, one.run.totalNs)), "n") + "</tr>\n";
    }
    return out + "</table>\n";
}

std::string lineRows(const ProfileData &data)
{
    const auto time = [](double percent, std::int64_t ns) {
        return cell(format("%.1f%%", percent), "n") + cell(format("%.3f ms", static_cast<double>(ns) * 1e-6), "n");
    };
    std::string out = "<table><tr><th class=n>share</th><th class=n>own time</th><th class=n>calls</th><th class=n>share</th>"
                      "<th class=n>with what it calls</th><th>line</th></tr>\n";
    for (const LineRow &row : lineTable(data))
        out += "<tr>" + time(row.percent, row.ns) + cell(std::to_string(row.calls), "n") + time(row.withCallsPercent, row.withCallsNs) +
               cell(row.source.file.empty() ? "from no line"
                                            : escaped(row.source.file) + ":" + std::to_string(row.source.line) +
                                                  (row.estimated ? " <span class=faint>(estimated)</span>" : ""),
                    "name") +
               "</tr>\n";
    return out + "</table>\n";
}

std::string picture(const char *title, const std::string &svg, const std::string &text)
{
    const std::string drawing = inlineSvg(svg);
    return std::string("<details><summary>") + title + "</summary>\n" +
           (drawing.empty() ? "<pre>" + escaped(text) + "</pre>" : "<div class=picture>" + drawing + "</div>") + "</details>\n";
}

std::string stepTable(const std::vector<StepInfo> &steps)
{
    std::string out = "<details><summary>" + std::to_string(steps.empty() ? 0 : steps.size() - 1) +
                      " steps</summary><table><tr><th class=n>step</th><th>phase</th><th>rewrite</th>"
                      "<th class=n>us</th><th class=n>applies</th><th>reason</th></tr>\n";
    for (const StepInfo &step : steps)
        if (step.index > 0)
            out += "<tr>" + cell(std::to_string(step.index), "n") + cell(escaped(step.phase)) + cell(escaped(step.rewrite), "name") +
                   cell(format("%.1f", static_cast<double>(step.ns) * 1e-3), "n") +
                   cell(format("%d &rarr; %d", step.nodesBefore, step.nodesAfter), "n") + cell(escaped(step.reason)) + "</tr>\n";
    return out + "</table></details>\n";
}

} // namespace

std::string htmlPage(const ProfileData &data, const ScriptInfo &script, const std::vector<HtmlGraph> &graphs)
{
    const std::string title = data.info.label.empty() ? script.path : data.info.label;
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
                      escaped(title) + "</title>\n<style>" + kStyle + "</style></head>\n<body>\n<h1>" + escaped(title) + "</h1>\n";
    if (!data.info.command.empty()) out += "<p><code>" + escaped(data.info.command) + "</code></p>\n";
    if (const std::string note = sessionWarning(data.info); !note.empty()) out += "<p><strong>" + escaped(note) + "</strong></p>\n";
    const ProfileSummary sum = summarize(data);
    out += format("<p>%d functions, %lld calls in %.3f s: %.3f s in ops (%.1f%%). Compiling took %.3f s.</p>\n", sum.functions,
                  static_cast<long long>(sum.calls), seconds(sum.callNs), seconds(sum.thunkNs), sum.thunkPercent,
                  seconds(sum.compile.totalNs));
    out += "<h2>Lines</h2>\n" + lineRows(data);
    const std::vector<Advice> advice = advise(data);
    if (!advice.empty()) {
        out += "<h2>Tips</h2>\n<ul>\n";
        for (const Advice &one : advice)
            out += "<li>" + escaped(one.text) + ".<br><span class=faint>" + escaped(one.evidence) + "</span></li>\n";
        out += "</ul>\n";
    }
    out += "<h2>Functions</h2>\n" + functionTable(data);
    out += "<h2>Ops</h2>\n" + costTable(makeTable(data, TableKind::Op), 30);
    out += "<h2>Applies</h2>\n" + costTable(makeTable(data, TableKind::Apply), 60);
    out += "<h2>Graphs</h2>\n";
    std::unordered_map<FunctionId, const FunctionInfo *> functions;
    for (const FunctionInfo &function : data.functions) functions.emplace(function.id, &function);
    for (const HtmlGraph &graph : graphs) {
        if (const auto function = functions.find(graph.function); function != functions.end())
            out += "<h3>" + escaped(shortTitle(*function->second)) + "</h3>\n";
        out += picture("Original graph", graph.originalSvg, graph.originalText);
        out += picture("Optimized graph", graph.optimizedSvg, graph.optimizedText);
        out += stepTable(graph.steps);
    }
    if (!script.text.empty())
        out +=
            "<h2>Script</h2>\n<details><summary>" + escaped(script.path) + "</summary><pre>" + escaped(script.text) + "</pre></details>\n";
    out += "<h2>Report</h2>\n<details><summary>as Theano prints it</summary><pre>" + escaped(profileReport(data)) +
           "</pre></details>\n<h2>Machine</h2>\n<table>\n";
    for (const NameValue &fact : data.machine.facts)
        out += "<tr>" + cell(escaped(fact.name)) + cell(escaped(fact.value), "name") + "</tr>\n";
    for (const Roof &roof : data.machine.roofs)
        out += "<tr>" + cell(escaped(roof.device + " " + roof.name)) +
               cell(format("%.4g %s", roof.value, escaped(roof.unit).c_str()), "name") + "</tr>\n";
    out += "</table>\n";
    if (!data.drops.empty()) {
        out += "<p class=faint>Left out:";
        for (const Drop &drop : data.drops)
            out += format(" %lld %s (%s);", static_cast<long long>(drop.count), escaped(drop.what).c_str(), escaped(drop.reason).c_str());
        out += "</p>\n";
    }
    return out + "<p class=faint>Written by croton " + escaped(data.info.crotonVersion) + ".</p>\n</body></html>\n";
}

} // namespace profiler
