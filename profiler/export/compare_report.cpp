#include "profiler/export/compare_report.h"

#include "engine/liveness/sizes.h"
#include "profiler/export/format.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace profiler {

using nlohmann::json;

namespace {

std::string microsText(double ns) { return format("%.3f", ns * 1e-3); }

// The headings of pairedLine(), in its widths.
std::string pairedTitles(const char *name)
{
    return format("  %12s %12s %11s %9s %8s %9s   %6s %11s  %s\n", "A us/call", "B us/call", "B-A us", "measured", "judged", "p", "share",
                  "memory", name);
}

std::string pairedLine(const ComparedRow &row, const std::string &name)
{
    std::string bytes = row.deltaBytes == 0 ? "-" : liveness::sizeText(std::abs(row.deltaBytes));
    if (row.deltaBytes != 0) bytes = (row.deltaBytes < 0 ? "-" : "+") + bytes;
    return format("  %12s %12s %+11.3f %+8.1f%% %+7.1f%% %9.2g %s %5.1f%% %11s  ", microsText(row.a.nsPerCall).c_str(),
                  microsText(row.b.nsPerCall).c_str(), row.deltaNs * 1e-3, 100 * row.rawRelative, 100 * row.relative, row.p,
                  row.significant ? "*" : " ", 100 * row.share, bytes.c_str()) +
           name + "\n";
}

std::string applyPairName(const ComparedRow &row, std::size_t width)
{
    return row.function + ": " + elided(row.a.name, width) + (row.a.name == row.b.name ? "" : "  |  " + elided(row.b.name, width));
}

std::string neverRanText(const Comparison &comparison)
{
    std::string out;
    for (const ComparedRow &row : comparison.functions)
        if (row.a.present && row.b.present && row.neverRanA != row.neverRanB)
            out += "  " + row.function + (row.neverRanA ? " was called in B and never in A\n" : " was called in A and never in B\n");
    return out.empty() ? out : "\nNot compared\n" + out;
}

// Of one side, functions first.
std::string onlyText(const Comparison &comparison, bool inA, const CompareReportOptions &options)
{
    std::string lines;
    int listed = 0;
    for (const auto *rows : {&comparison.functions, &comparison.applies})
        for (const ComparedRow &row : *rows) {
            const bool neverRan = row.neverRanA || row.neverRanB, isFunction = rows == &comparison.functions;
            if (row.a.present != inA || row.b.present == inA || (neverRan && !isFunction) || ++listed > options.rows) continue;
            const ComparedSide &side = inA ? row.a : row.b;
            lines += format("  %12s  ", neverRan ? "never called" : microsText(side.nsPerCall).c_str()) + row.function +
                     (isFunction ? std::string() : ": " + elided(side.name, options.width)) + "\n";
        }
    if (lines.empty()) return {};
    if (listed > options.rows) lines += format("   ... (%d more)\n", listed - options.rows);
    return std::string("\nOnly in ") + (inA ? "A" : "B") + format("\n  %12s  function: apply\n", "us/call") + lines;
}

json sideJson(const ComparedSide &side)
{
    if (!side.present) return nullptr;
    json out{{"name", side.name}, {"calls", side.calls}, {"ns", side.ns}, {"nsPerCall", side.nsPerCall}, {"samples", side.samples}};
    if (side.bytes >= 0) out["bytes"] = side.bytes;
    return out;
}

json comparedJson(const ComparedRow &row)
{
    return {{"function", row.function},
            {"a", sideJson(row.a)},
            {"b", sideJson(row.b)},
            {"share", row.share},
            {"deltaNs", row.deltaNs},
            {"rawRelative", row.rawRelative},
            {"relative", row.relative},
            {"deltaBytes", row.deltaBytes},
            {"p", row.p},
            {"significant", row.significant},
            {"neverRanA", row.neverRanA},
            {"neverRanB", row.neverRanB}};
}

} // namespace

std::string compareReport(const Comparison &comparison, const CompareReportOptions &options)
{
    std::string out;
    if (!comparison.warningA.empty()) out += "A: " + comparison.warningA + "\n";
    if (!comparison.warningB.empty()) out += "B: " + comparison.warningB + "\n";
    if (comparison.settings.empty()) out += "Flags and machine are the same.\n";
    else
        for (const Difference &one : comparison.settings)
            out += one.name + ": " + (one.a.empty() ? "(nothing)" : one.a) + "  |  " + (one.b.empty() ? "(nothing)" : one.b) + "\n";
    if (comparison.commonShift != 1)
        out += format("All applies of B are %.1f%% %s: the machine was busy otherwise, or one change touches them all. %s\n"
                      "Recording both again tells which it is.\n",
                      100 * std::abs(comparison.commonShift - 1), comparison.commonShift > 1 ? "slower" : "faster",
                      comparison.runs >= 6 ? "It counts." : "Applies are judged without it, functions with it.");
    const std::string only = neverRanText(comparison) + onlyText(comparison, true, options) + onlyText(comparison, false, options);
    if (!hasPairedFunction(comparison)) return out + only;
    out += "\nFunctions\n" + pairedTitles("function");
    for (const ComparedRow &row : comparison.functions)
        if (row.isPaired()) out += pairedLine(row, row.function);
    out += "\nApplies\n" + pairedTitles("function: apply (A, and B where it differs)");
    int shown = 0;
    int left = 0;
    for (const ComparedRow &row : comparison.applies) {
        if (!row.isPaired()) continue;
        if (shown < options.rows || row.significant) {
            out += pairedLine(row, applyPairName(row, options.width));
            ++shown;
        } else {
            ++left;
        }
    }
    if (left > 0) out += format("   ... (remaining %d applies changed less)\n", left);
    out += only;
    const CompareOptions &rule = comparison.options;
    out += format(
        "\n%d of the applies changed significantly (*: Mann-Whitney on %s, Holm, at least %g%%, %g%% where operands\nexceed the innermost cache, and %g%% of its function).\n",
        comparison.alarms, comparison.byRun ? format("%d runs or more", comparison.runs).c_str() : "single calls",
        100 * (comparison.byRun ? rule.leastRelative : rule.leastOfOneRun), 100 * rule.leastOfPlace, 100 * rule.leastOfFunction);
    if (!comparison.byRun)
        out += "Both sides hold few runs, and two runs of one program differ by some percent through the places of their arrays in\n"
               "memory: croton profile --runs 12 tells smaller changes from it.\n";
    return out;
}

json compareJson(const Comparison &comparison)
{
    json out{{"commonShift", comparison.commonShift},
             {"runs", comparison.runs},
             {"alarms", comparison.alarms},
             {"warningA", comparison.warningA},
             {"warningB", comparison.warningB},
             {"worstRegression", worstRegression(comparison)},
             {"settings", json::array()},
             {"functions", json::array()},
             {"applies", json::array()}};
    for (const Difference &one : comparison.settings) out["settings"].push_back({{"name", one.name}, {"a", one.a}, {"b", one.b}});
    for (const ComparedRow &row : comparison.functions) out["functions"].push_back(comparedJson(row));
    for (const ComparedRow &row : comparison.applies) out["applies"].push_back(comparedJson(row));
    return out;
}

} // namespace profiler
