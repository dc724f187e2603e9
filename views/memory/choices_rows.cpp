#include "views/memory/choices_rows.h"

#include "views/common/formats.h"
#include "views/common/text.h"
#include "views/session/tried.h"

#include <algorithm>
#include <cmath>

namespace views {

using profiler::MemoryAlternative;
using profiler::MemoryChoice;

namespace {

QString againText(const MemoryAlternative &plan)
{
    return plan.repeats.size() == 1
               ? tr("1 value computed again, about %1 a call by the cost model").arg(formats::timeNs(plan.repeatNs))
               : tr("%1 values computed again, about %2 a call by the cost model")
                     .arg(formats::count(static_cast<std::int64_t>(plan.repeats.size())), formats::timeNs(plan.repeatNs));
}

} // namespace

ChoicesRows::ChoicesRows(std::shared_ptr<const SessionData> of, profiler::FunctionId id)
    : session(std::move(of)), function(id), choices(profiler::memoryChoices(session->profile, id))
{
    profiler::readScript(choices, session->script.text);
}

std::int64_t ChoicesRows::scale() const
{
    constexpr std::int64_t kMostTimes = 2;
    std::int64_t most = 1;
    for (const MemoryAlternative &one : choices.all) most = std::max({most, one.bytes, measured(one).value_or(0)});
    return std::clamp<std::int64_t>(most, 1, std::max<std::int64_t>(1, kMostTimes * now()));
}

std::optional<std::int64_t> ChoicesRows::measured(const MemoryAlternative &one) const
{
    std::int64_t found = -1;
    if (one.choice == MemoryChoice::AsItIs) found = choices.plan.measuredPeakBytes;
    else if (const profiler::VerifiedRow *row = one.flags.empty() ? nullptr : session->derived<Tried>().verifiedOf(function, one.flags))
        found = row->peakBytes;
    return found >= 0 ? std::optional(found) : std::nullopt;
}

QString ChoicesRows::name(const MemoryAlternative &one) const
{
    if (one.flags.starts_with("memory_budget=") && one.choice == MemoryChoice::Least && one.flags != "memory_budget=least")
        return tr("within the budget");
    switch (one.choice) {
    case MemoryChoice::AsItIs: return tr("as it is");
    case MemoryChoice::NoInplace: return tr("no work in place");
    case MemoryChoice::NoViews: return tr("no views");
    case MemoryChoice::NoGc: return tr("allow_gc=False");
    case MemoryChoice::LeastOrder: return tr("order of least peak");
    case MemoryChoice::Float32: return tr("float32 for float64");
    case MemoryChoice::Least: return tr("computed again, not kept");
    }
    return {};
}

QString ChoicesRows::measuredText(const MemoryAlternative &one) const
{
    const auto seen = measured(one);
    if (!seen) return {};
    const double apart = *seen > 0 ? std::fabs(static_cast<double>(one.bytes - *seen)) / static_cast<double>(*seen) : 0;
    return apart < 0.0005 ? tr("measured: the same") : tr("measured %1").arg(formats::bytes(*seen));
}

QString ChoicesRows::tip(const MemoryAlternative &one) const
{
    QStringList lines{name(one)};
    lines << tr("%1 at most, as predicted; %2 of it stay taken until the next call")
                 .arg(formats::bytes(one.bytes), formats::bytes(one.betweenCalls));
    if (const QString seen = measuredText(one); !seen.isEmpty()) lines << seen;
    else if (!one.flags.empty()) lines << tr("not verified by a run yet");
    if (one.isExact) lines << tr("no order takes less");
    if (!one.repeats.empty()) lines << againText(one);
    if (!one.flags.empty()) lines << tr("flag %1").arg(text(one.flags));
    else if (!one.whyNoFlag.empty()) lines << tr("no flag does that: %1").arg(text(one.whyNoFlag));
    else lines << (one.choice == MemoryChoice::AsItIs ? tr("what ran") : tr("no flag does that: it shows what views save"));
    return lines.join(u'\n');
}

QString ChoicesRows::nameOf(const profiler::RepeatedApply &repeat) const
{
    const auto graph = session->graphs.find(repeat.apply.graph);
    const profiler::ApplyRow *row = graph == session->graphs.end() ? nullptr : graph->second->apply(raw(repeat.apply.apply));
    return row ? text(row->label) : tr("apply %1").arg(raw(repeat.apply.apply));
}

QString ChoicesRows::sentence(const MemoryAlternative &plan, std::int64_t budget) const
{
    const QString again = plan.repeats.empty() ? QString() : againText(plan);
    if (!fits(plan, budget))
        return again.isEmpty()
                   ? tr("No plan that was found takes only %1: the least is %2").arg(formats::bytes(budget), formats::bytes(plan.bytes))
                   : tr("No plan that was found takes only %1: the least is %2, with %3")
                         .arg(formats::bytes(budget), formats::bytes(plan.bytes), again);
    if (!plan.isReordered && plan.repeats.empty())
        return tr("Within %1 as it is: %2").arg(formats::bytes(budget), formats::bytes(plan.bytes));
    if (plan.repeats.empty())
        return tr("Within %1: %2 by another order, at no cost").arg(formats::bytes(budget), formats::bytes(plan.bytes));
    return plan.isReordered ? tr("Within %1: %2 by another order and %3").arg(formats::bytes(budget), formats::bytes(plan.bytes), again)
                            : tr("Within %1: %2 with %3").arg(formats::bytes(budget), formats::bytes(plan.bytes), again);
}

TextTable ChoicesRows::table(const MemoryAlternative *plan) const
{
    TextTable table;
    table.columns = {
        {tr("What"), {}, false, false, 220},
        {tr("Predicted"), tr("Most that a call takes, as the allocator counts"), true, false, 96},
        {tr("Measured"), tr("By a run with the flags"), true, false, 96},
        {tr("Between calls"), tr("Stays taken until the next call"), true, false, 104},
        {tr("Computed again"), tr("Values that are not kept"), true, false, 112},
        {tr("Cost"), tr("Of computing them again, a call, by the cost model"), true, false, 88},
        {tr("Flags"), {}, false, true, 200},
    };
    const auto add = [&](const MemoryAlternative &one, std::int64_t key) {
        const auto seen = measured(one);
        table.rows.push_back({{{name(one), 0},
                               numberCell(formats::bytes(one.bytes), static_cast<double>(one.bytes)),
                               numberCell(seen ? formats::bytes(*seen) : QStringLiteral("–"), static_cast<double>(seen.value_or(-1))),
                               numberCell(formats::bytes(one.betweenCalls), static_cast<double>(one.betweenCalls)),
                               numberCell(one.repeats.empty() ? QString() : formats::count(static_cast<std::int64_t>(one.repeats.size())),
                                          static_cast<double>(one.repeats.size())),
                               numberCell(one.repeats.empty() ? QString() : formats::timeNs(one.repeatNs), one.repeatNs),
                               {text(one.flags), 0}},
                              key});
    };
    for (std::size_t i = 0; i < choices.all.size(); ++i) add(choices.all[i], static_cast<std::int64_t>(i));
    if (!plan) return table;
    add(*plan, static_cast<std::int64_t>(choices.all.size()));
    for (const profiler::RepeatedApply &repeat : plan->repeats)
        table.rows.push_back({{{tr("again: %1").arg(nameOf(repeat)), 0},
                               numberCell(formats::bytes(repeat.bytes), static_cast<double>(repeat.bytes)),
                               numberCell({}, -1),
                               numberCell({}, -1),
                               numberCell({}, -1),
                               numberCell(formats::timeNs(repeat.ns), repeat.ns),
                               {{}, 0}},
                              kRepeats + raw(repeat.apply.apply)});
    return table;
}

} // namespace views
