#include "profiler/export/memory_choices_report.h"

#include "engine/liveness/sizes.h"
#include "profiler/export/format.h"
#include "profiler/export/report_parts.h"

#include <nlohmann/json.hpp>

namespace profiler {
namespace {

std::string apart(std::int64_t now, std::int64_t from)
{
    return from <= 0 ? std::string() : format("%+.1f%%", 100.0 * static_cast<double>(now - from) / static_cast<double>(from));
}

std::string againText(const MemoryAlternative &one)
{
    return format("%s computed again, about %.1f us a call by the cost model",
                  counted(static_cast<std::int64_t>(one.repeats.size()), "value").c_str(), one.repeatNs * 1e-3);
}

std::string howOf(const MemoryAlternative &one)
{
    std::string how = one.flags;
    if (one.choice == MemoryChoice::NoViews) how = "no flag: only to see what views save";
    if (!one.whyNoFlag.empty()) how = "no flag: " + one.whyNoFlag;
    if (one.choice == MemoryChoice::LeastOrder) how += one.isExact ? "  (no order takes less)" : "  (the best that was found)";
    if (one.choice == MemoryChoice::Least) how += one.repeats.empty() ? "  (nothing is worth it)" : "  (" + againText(one) + ")";
    return how;
}

std::string repeatLines(const ProfileData &data, const MemoryAlternative &one)
{
    std::string out;
    constexpr std::size_t kShown = 20;
    for (std::size_t i = 0; i < one.repeats.size() && i < kShown; ++i)
        out += format("    %10s  %8.1f us  %s\n", liveness::sizeText(one.repeats[i].bytes).c_str(), one.repeats[i].ns * 1e-3,
                      elided(applyName(data, one.repeats[i].apply), 100).c_str());
    if (one.repeats.size() > kShown) out += format("    ... and %zu more\n", one.repeats.size() - kShown);
    return out;
}

} // namespace

std::string memoryChoicesReport(const ProfileData &data, const MemoryChoices &choices, const std::string &title,
                                const MeasuredChoices &measured)
{
    std::string out = "Memory of " + title + "\n";
    if (!choices.whyNone.empty()) return out + "  " + choices.whyNone + "\n";
    const std::int64_t now = choices.all.front().bytes;
    out += format("  what a call takes at most, as the allocator counts%s%s\n", choices.plan.key.empty() ? "" : ", of ",
                  elided(choices.plan.key, 60).c_str());
    out += format("  %-24s %10s %8s %10s %8s %12s  %s\n", "", "predicted", "", "measured", "apart", "between", "flags");
    for (const MemoryAlternative &one : choices.all) {
        std::int64_t seen = -1;
        if (const auto found = measured.find(one.choice); found != measured.end()) seen = found->second;
        else if (one.choice == MemoryChoice::AsItIs) seen = choices.plan.measuredPeakBytes;
        out += format("  %-24s %10s %8s %10s %8s %12s  %s\n", one.name.c_str(), liveness::sizeText(one.bytes).c_str(),
                      one.choice == MemoryChoice::AsItIs ? "" : apart(one.bytes, now).c_str(),
                      seen < 0 ? "-" : liveness::sizeText(seen).c_str(), seen < 0 ? "" : apart(one.bytes, seen).c_str(),
                      liveness::sizeText(one.betweenCalls).c_str(), howOf(one).c_str());
    }
    if (choices.beside.workBytes > 0)
        out += format("  %s of each are what applies hold for themselves and for the graphs inside of them\n",
                      liveness::sizeText(choices.beside.workBytes).c_str());
    if (choices.beside.inplaceWorkBytes > 0)
        out += format("  without work in place %s less of that\n", liveness::sizeText(choices.beside.inplaceWorkBytes).c_str());
    for (const auto &[device, bytes] : choices.otherDevices)
        out += format("  Beside it %s of arrays on %s at most, as planned: they are not in the numbers above\n",
                      liveness::sizeText(bytes).c_str(), device.c_str());
    out += repeatLines(data, choices.all.back());
    return out;
}

std::string budgetReport(const ProfileData &data, const MemoryChoices &choices, std::int64_t budget)
{
    if (!choices.whyNone.empty()) return "  " + choices.whyNone + "\n";
    const MemoryAlternative plan = planForBudget(choices, budget);
    if (plan.bytes > budget)
        return format("  No plan that was found takes only %s: the least is %s%s\n", liveness::sizeText(budget).c_str(),
                      liveness::sizeText(plan.bytes).c_str(), plan.repeats.empty() ? "" : (", with " + againText(plan)).c_str());
    if (!plan.isReordered && plan.repeats.empty())
        return format("  Within %s as it is: %s\n", liveness::sizeText(budget).c_str(), liveness::sizeText(plan.bytes).c_str());
    std::string out =
        format("  Within %s: %s by another order", liveness::sizeText(budget).c_str(), liveness::sizeText(plan.bytes).c_str());
    if (!plan.repeats.empty()) out += " and " + againText(plan) + ": what each takes, what it costs, what makes it";
    out += "\n" + repeatLines(data, plan);
    return out + "  theano.function(..., memory_budget=" + std::to_string(budget) + ") or the flag " + plan.flags + " uses it\n";
}

nlohmann::json memoryChoicesJson(const MemoryChoices &choices, const std::string &title, std::optional<std::int64_t> budget,
                                 const MeasuredChoices &measured)
{
    const auto described = [](const MemoryAlternative &one) {
        nlohmann::json row{{"name", one.name},
                           {"flags", one.flags},
                           {"why_no_flag", one.whyNoFlag},
                           {"predicted_bytes", one.bytes},
                           {"between_calls_bytes", one.betweenCalls},
                           {"repeat_ns", one.repeatNs},
                           {"reordered", one.isReordered},
                           {"live_bytes", one.live},
                           {"exact", one.isExact}};
        row["again"] = nlohmann::json::array();
        for (const RepeatedApply &repeat : one.repeats)
            row["again"].push_back(
                {{"apply", raw(repeat.apply.apply)}, {"variable", raw(repeat.variable)}, {"bytes", repeat.bytes}, {"ns", repeat.ns}});
        return row;
    };
    nlohmann::json out{{"function", title}, {"alternatives", nlohmann::json::array()}};
    if (!choices.whyNone.empty()) out["why_none"] = choices.whyNone;
    for (const MemoryAlternative &one : choices.all) {
        nlohmann::json row = described(one);
        if (const auto seen = measured.find(one.choice); seen != measured.end()) row["measured_bytes"] = seen->second;
        else if (one.choice == MemoryChoice::AsItIs && choices.plan.measuredPeakBytes >= 0)
            row["measured_bytes"] = choices.plan.measuredPeakBytes;
        out["alternatives"].push_back(std::move(row));
    }
    if (budget && choices.whyNone.empty()) {
        const MemoryAlternative plan = planForBudget(choices, *budget);
        out["budget"] = described(plan);
        out["budget"]["budget_bytes"] = *budget;
        out["budget"]["fits"] = plan.bytes <= *budget;
    }
    return out;
}

} // namespace profiler
