#include "views/profile/summary_content.h"

#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/text.h"
#include "views/session/cost_texts.h"

#include <algorithm>

namespace views {
namespace {

QString qualityOf(const SessionData &session)
{
    QString quality;
    if (!session.info.simulated.empty())
        quality = tr("%1 is a simulation on the processor: its times say nothing of a card.").arg(text(session.info.simulated)) +
                  QLatin1Char(' ');
    switch (session.costs->clock()) {
    case profiler::ClockKind::Device:
        quality += tr("By the device's clock: the parts above. By the host's clock: the tables, where an apply has what it waits for the "
                      "device, too.");
        break;
    case profiler::ClockKind::Blocking:
        quality += tr("Host clock with CUDA_LAUNCH_BLOCKING=1: each apply waits for its kernel, so times are "
                      "attributed correctly and include launch cost.");
        break;
    case profiler::ClockKind::Host:
        quality += tr("Host clock around every apply. The work is done when the apply returns, so the times are its own.");
        break;
    }
    for (const profiler::Drop &drop : session.drops)
        quality += QLatin1Char(' ') + tr("%1 %2 were left out: %3.").arg(formats::count(drop.count), text(drop.what), text(drop.reason));
    return quality;
}

} // namespace

ProfileSummary summaryOf(const SessionData &session, profiler::FunctionId function, bool canRun)
{
    ProfileSummary summary;
    const profiler::FunctionCosts *costs = session.costs->of(function);
    if (!costs) return summary;
    const profiler::ProfileSummary &sum = costs->summary;
    const profiler::SpentTimes &spent = costs->spent;
    summary.seconds = seconds(sum.thunkNs);
    summary.calls = sum.calls;
    const std::int64_t split = spent.gpuNs + spent.transferNs + spent.cpuNs;
    const std::int64_t all = std::max(split, sum.thunkNs);
    const auto part = [&](const QString &label, char letter, std::int64_t ns, Color color, bool hatched) {
        const double share = all > 0 ? static_cast<double>(ns) / static_cast<double>(all) : 0;
        summary.parts.push_back({label, QLatin1Char(letter), seconds(ns), share, color, hatched});
    };
    if (spent.anyGpu || spent.transferNs > 0) {
        const bool isSimulated = !session.info.simulated.empty();
        part(isSimulated ? tr("GPU ops, simulated") : tr("GPU ops"), 'G', spent.gpuNs, Color::Gpu, false);
        part(isSimulated ? tr("Transfers, simulated") : tr("Transfers"), 'T', spent.transferNs, Color::Transfer, true);
    }
    part(tr("CPU ops"), 'C', spent.cpuNs, Color::Cpu, false);
    if (session.costs->clock() == profiler::ClockKind::Device && split < sum.thunkNs)
        part(tr("Launching, waiting"), 'W', sum.thunkNs - split, Color::BorderStrong, true);
    summary.whole = tr("Whole calls %1 · in fn %2 · compile %3 · %4 in %5")
                        .arg(formats::timeNs(sum.callNs), formats::percent(sum.vmPercent / 100), formats::timeNs(sum.compile.totalNs))
                        .arg(formats::counted(sum.applies, formats::Thing::Apply))
                        .arg(formats::counted(sum.functions, formats::Thing::Function));
    summary.quality = qualityOf(session);
    for (const profiler::Advice &advice : session.costs->advice()) {
        AdviceCard card;
        card.icon = QStringLiteral("bulb");
        card.ink = Color::Info;
        card.title = text(advice.text);
        card.text = text(advice.evidence);
        card.gain = text(profiler::gainText(advice));
        if (advice.place.line > 0) card.place = {text(advice.place.file), advice.place.line};
        if (!advice.nodes.empty()) {
            const OwnApply shown = ownApplyOf(session.profile, advice.nodes.front());
            if (shown.function != profiler::kNoFunction) {
                card.apply = raw(shown.apply);
                card.function = raw(shown.function);
            }
        }
        card.setting = text(advice.setting);
        if (!canRun) card.missing = tr("There is no script to run, or it runs already");
        summary.advice.push_back(card);
    }
    return summary;
}

OwnApply ownApplyOf(const profiler::ProfileData &profile, profiler::ApplyKey apply)
{
    for (;;) {
        const auto graph =
            std::find_if(profile.graphs.begin(), profile.graphs.end(), [&](const auto &each) { return each.id == apply.graph; });
        if (graph == profile.graphs.end()) return {};
        if (graph->parentGraph == profiler::kNoGraph) return {graph->function, apply.apply};
        apply = {graph->parentGraph, graph->parentApply};
    }
}

} // namespace views
