#include "profiler/export/compare_report.h"

#include "profiler/export/format.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace profiler {

using nlohmann::json;

namespace {

std::string microsText(double ns) { return format("%.3f", ns * 1e-3); }

std::string changeColumns(const ComparedRow &row)
{
    return format("%+11.3f %+8.1f%% %+7.1f%%", row.deltaNs * 1e-3, 100 * row.rawRelative, 100 * row.relative);
}

std::string pairedLine(const ComparedRow &row, std::size_t width)
{
    std::string out = format("  %12s %12s ", microsText(row.a.nsPerCall).c_str(), microsText(row.b.nsPerCall).c_str());
    out += changeColumns(row) + format(" %9.2g %s ", row.p, row.significant ? "*" : " ");
    out += format("%5.1f%% ", 100 * row.share);
    if (row.deltaBytes != 0) out += format("%+lldB ", static_cast<long long>(row.deltaBytes));
    return out + elided(row.a.name, width) + (row.a.name == row.b.name ? "" : "  |  " + elided(row.b.name, width)) + "\n";
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
            {"significant", row.significant}};
}

} // namespace

std::string compareReport(const Comparison &comparison, const CompareReportOptions &options)
{
    const char *titles = "      A us/call    B us/call      B-A us measured  judged         p    share  ";
    std::string out;
    if (comparison.settings.empty()) out += "Flags and machine are the same.\n\n";
    else
        for (const Difference &one : comparison.settings)
            out += one.name + ": " + (one.a.empty() ? "(nothing)" : one.a) + "  |  " + (one.b.empty() ? "(nothing)" : one.b) + "\n";
    if (comparison.commonShift != 1)
        out += format("All applies of B are %.1f%% %s: the machine was busy otherwise, or one change touches them all. %s\n"
                      "Recording both again tells which it is.\n",
                      100 * std::abs(comparison.commonShift - 1), comparison.commonShift > 1 ? "slower" : "faster",
                      comparison.runs >= 6 ? "It counts." : "Applies are judged without it, functions with it.");
    out += std::string("\nFunctions\n") + titles + "name\n";
    for (const ComparedRow &row : comparison.functions)
        if (row.a.present && row.b.present) out += pairedLine(row, options.width);
    out += std::string("\nApplies\n") + titles + "name (A, and B where it differs)\n";
    int shown = 0;
    int left = 0;
    for (const ComparedRow &row : comparison.applies) {
        if (!row.a.present || !row.b.present) continue;
        if (shown < options.rows || row.significant) {
            out += pairedLine(row, options.width);
            ++shown;
        } else {
            ++left;
        }
    }
    out += format("   ... (remaining %d applies changed less)\n", left);
    for (const bool inA : {true, false}) {
        std::string lines;
        int listed = 0;
        for (const auto *rows : {&comparison.functions, &comparison.applies})
            for (const ComparedRow &row : *rows)
                if (row.a.present == inA && row.b.present != inA && ++listed <= options.rows) {
                    const ComparedSide &side = inA ? row.a : row.b;
                    lines += format("  %12s  ", microsText(side.nsPerCall).c_str()) + row.function +
                             (rows == &comparison.functions ? std::string() : ": " + elided(side.name, options.width)) + "\n";
                }
        if (listed > options.rows) lines += format("   ... (%d more)\n", listed - options.rows);
        if (!lines.empty()) out += std::string("\nOnly in ") + (inA ? "A" : "B") + "  (us/call)\n" + lines;
    }
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
