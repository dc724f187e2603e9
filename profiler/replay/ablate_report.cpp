#include "engine/liveness/sizes.h"
#include "profiler/export/format.h"
#include "profiler/export/json_text.h"
#include "profiler/replay/ablate.h"
#include "profiler/replay/replay_report.h"

#include <algorithm>
#include <cmath>

namespace profiler {
namespace {

std::string namesOf(const AblationRow &row)
{
    if (row.kind == AblationKind::Nothing) return "nothing left out";
    if (row.kind == AblationKind::All) return "all of them";
    std::string text;
    for (const std::string &name : row.leftOut) text += (text.empty() ? "" : " + ") + name;
    return text;
}

std::string signedTime(double ns) { return (ns < 0 ? "-" : "+") + timeText(ns < 0 ? -ns : ns); }

std::string errorText(const AblationRow &row)
{
    if (row.notFinite > 0) return format("%lld not finite", static_cast<long long>(row.notFinite));
    return format("%.3g ulp", row.ulp);
}

std::string differenceText(const Ablation &ablation, const AblationRow &row)
{
    return row.kind == AblationKind::Nothing ? "" : signedTime(ablation.worth(row)) + (row.counts ? " *" : "  ");
}

std::string line(const Ablation &ablation, const AblationRow &row, int place, int width)
{
    std::string out = format("  %-*s ", width, namesOf(row).c_str());
    if (!row.error.empty()) return out + whyNoNumbers(row.error);
    if (row.sameAs == 0 && row.kind != AblationKind::Nothing) return out + "the same graph: others do what it does\n";
    out += format("%10s %12s %5s %10s %10s %7lld  %s", timeText(row.ns).c_str(), differenceText(ablation, row).c_str(),
                  place ? std::to_string(place).c_str() : "", liveness::sizeText(row.peakBytes).c_str(),
                  timeText(static_cast<double>(row.compileNs)).c_str(), static_cast<long long>(row.applies), errorText(row).c_str());
    if (row.sameAs > 0) out += " (the graph of: " + namesOf(ablation.rows[static_cast<std::size_t>(row.sameAs)]) + ")";
    return out + "\n";
}

} // namespace

std::string busyNote(const Ablation &ablation)
{
    if (ablation.busy.empty()) return {};
    return ablation.busy + (ablation.isJudged
                                ? ", and the differences are judged all the same (--anyway)"
                                : ", so nothing is said of which differences are more than chance: run it again when it is quiet");
}

std::string ablationText(const Ablation &ablation)
{
    const AblationRow &base = ablation.nothing();
    std::string out = format("%s, call %lld", ablation.view.functionName.c_str(), static_cast<long long>(base.call));
    if (!ablation.mode.empty()) out += ", " + ablation.mode;
    out += format(": what each %s is worth\n", base.by.c_str());
    for (const std::string &note : ablation.notes) out += "  " + note + "\n";
    if (!ablation.busy.empty()) out += "  " + busyNote(ablation) + "\n";
    int width = 18;
    for (const AblationRow &row : ablation.rows) width = std::max(width, static_cast<int>(namesOf(row).size()));
    out += format("\n  %-*s %10s %12s %5s %10s %10s %7s  %s\n", width, "left out", "a call", "difference  ", "place", "peak", "compile",
                  "applies", "error");
    const std::vector<int> places = placesOf(ablation.rows);
    for (std::size_t i = 0; i < places.size(); ++i)
        if (ablation.rows[i].kind != AblationKind::Pair) out += line(ablation, ablation.rows[i], places[i], width);
    if (ablation.isJudged)
        out += format("  * more than chance, by Mann-Whitney with Holm's correction (p < 0.01), more than copies of it differ, and at\n"
                      "    least %g %% of the call. What is apart by less than that has one place.\n",
                      100 * kLeastTimeShare);
    out += "  error: largest difference of an output from " + base.reference + ".\n";
    out += format("\n  sum of the single differences  %s\n", signedTime(ablation.sumOfSingles()).c_str());
    out += format("  all of them left out           %s\n", signedTime(ablation.total()).c_str());
    const bool hasPairs = std::ranges::any_of(ablation.rows, [](const AblationRow &row) { return row.kind == AblationKind::Pair; });
    const bool isExplained = std::fabs(ablation.sumOfSingles() - ablation.total()) < kLeastTimeShare * base.ns;
    if (!hasPairs && isExplained) return out;
    if (!hasPairs) return out + "  What lies between the two no single one explains: --pairs leaves out two at a time.\n";
    out += format("\n  %-*s %10s %12s   what neither alone explains\n", width, "two left out", "a call", "difference  ");
    for (const AblationRow &row : ablation.rows) {
        if (row.kind != AblationKind::Pair) continue;
        out += format("  %-*s ", width, namesOf(row).c_str());
        if (!row.error.empty()) out += whyNoNumbers(row.error);
        else
            out += format("%10s %12s   %s\n", timeText(row.ns).c_str(), differenceText(ablation, row).c_str(),
                          signedTime(ablation.interaction(row)).c_str());
    }
    return out;
}

std::string ablationJson(const Ablation &ablation)
{
    using nlohmann::ordered_json;
    ordered_json rows = ordered_json::array();
    const std::vector<int> places = placesOf(ablation.rows);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const AblationRow &row = ablation.rows[i];
        ordered_json one{{"kind", kindName(row.kind)},
                         {"left_out", row.leftOut},
                         {"fired", row.fired},
                         {"ns", row.ns},
                         {"difference_ns", ablation.worth(row)},
                         {"p", row.p},
                         {"counts", row.counts},
                         {"peak_bytes", row.peakBytes},
                         {"compile_ns", row.compileNs},
                         {"applies", row.applies},
                         {"ulp", row.ulp},
                         {"not_finite", row.notFinite}};
        if (row.sameAs >= 0) one["same_as"] = row.sameAs;
        if (places[i] > 0) one["place"] = places[i];
        if (row.firstStep >= 0) one["first_step"] = row.firstStep;
        if (!row.error.empty()) one["error"] = row.error;
        if (row.kind == AblationKind::Pair) one["interaction_ns"] = ablation.interaction(row);
        rows.push_back(std::move(one));
    }
    const ordered_json json{{"function", ablation.view.functionName},
                            {"call", ablation.nothing().call},
                            {"by", ablation.nothing().by},
                            {"mode", ablation.mode},
                            {"reference", ablation.nothing().reference},
                            {"sum_of_singles_ns", ablation.sumOfSingles()},
                            {"total_ns", ablation.total()},
                            {"notes", ablation.notes},
                            {"busy", ablation.busy},
                            {"judged", ablation.isJudged},
                            {"rows", rows}};
    return jsonText(json);
}

} // namespace profiler
