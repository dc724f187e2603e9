#include "app/studio/costs.h"

#include "profiler/stats/advice.h"
#include "profiler/stats/tables.h"
#include "views/common/formats.h"

#include <QCoreApplication>

#include <set>

namespace app {
namespace {

using profiler::FunctionId;
using profiler::TableKind;
using views::Color;
namespace formats = views::formats;

constexpr double kNs = 1e-9;
constexpr std::int64_t kDoubtfulCalls = 5;

QString tr(const char *text) { return QCoreApplication::translate("Costs", text); }
QString text(const std::string &value) { return QString::fromStdString(value); }
double ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

struct Places {
    std::map<profiler::ApplyKey, const profiler::ApplyRow *> applies;
    std::set<profiler::ApplyKey> transfers;

    explicit Places(const SessionData &session) {
        for (const profiler::ApplyRow &row : session.profile.applies)
            applies.emplace(profiler::ApplyKey{row.graph, row.apply}, &row);
        for (const profiler::Transfer &transfer : session.profile.transfers)
            transfers.insert({transfer.graph, transfer.apply});
    }
    void place(views::CostRow &row, const std::vector<profiler::ApplyKey> &nodes) const {
        bool copy = false;
        bool gpu = false;
        for (const profiler::ApplyKey &node : nodes) {
            copy = copy || transfers.count(node) > 0;
            const auto found = applies.find(node);
            if (found == applies.end())
                continue;
            gpu = gpu || (!found->second->device.empty() && found->second->device != "cpu");
            if (row.friendly.isEmpty())
                row.friendly = text(found->second->friendly);
        }
        row.where = copy ? tr("copy") : gpu ? tr("GPU") : tr("CPU");
        row.ink = copy ? Color::Transfer : gpu ? Color::Gpu : Color::Cpu;
        row.fill = copy ? Color::SoftTransfer : gpu ? Color::SoftGpu : Color::SoftCpu;
        row.hatched = copy;
    }
};

QString qualityOf(const profiler::TableRow &row) {
    const QString clock = row.deviceNs      ? tr("device clock")
                          : row.blockingNs ? tr("host clock, blocking")
                                           : tr("host clock");
    return tr("%1 calls, %2; median %3, 95 %% below %4, standard deviation %5")
        .arg(formats::count(row.calls), clock, formats::time(row.medianNs * kNs), formats::time(row.p95Ns * kNs),
             formats::time(row.deviationNs * kNs))
        .replace("%%", "%");
}

std::vector<views::CostRow> rowsOf(const SessionData &session, const profiler::Table &table, TableKind kind,
                                   const Places &places) {
    std::vector<views::CostRow> rows;
    double slowestCall = 0;
    for (const profiler::TableRow &each : table.rows)
        slowestCall = std::max(slowestCall, each.nsPerCall);
    const double largest = table.rows.empty() ? 0 : static_cast<double>(table.rows.front().ns);
    for (const profiler::TableRow &each : table.rows) {
        views::CostRow row;
        row.name = text(each.name);
        row.share = each.percent / 100;
        row.cumulative = each.cumulativePercent / 100;
        row.seconds = static_cast<double>(each.ns) * kNs;
        row.secondsText = formats::timeLike(row.seconds, largest * kNs);
        row.perCall = each.nsPerCall * kNs;
        row.shareOfLargest = ratio(static_cast<double>(each.ns), largest);
        row.perCallOfLargest = ratio(each.nsPerCall, slowestCall);
        row.code = text(each.type);
        row.calls = each.calls;
        row.applies = each.applies;
        row.id = each.position;
        row.quality = qualityOf(each);
        row.doubtful = each.calls > 0 && each.calls < kDoubtfulCalls;
        if (const profiler::FunctionInfo *function = session.function(raw(each.function)))
            row.function = text(function->name);
        places.place(row, each.nodes);
        if (kind != TableKind::Apply)
            row.friendly.clear();
        for (const profiler::ApplyKey &node : each.nodes)
            row.members.push_back(raw(node.apply));
        rows.push_back(std::move(row));
    }
    return rows;
}

/// Members of a row: the slowest first, so that choosing a row leads to what made it large.
void orderMembers(std::vector<views::CostRow> &rows, const std::map<std::int64_t, double> &seconds) {
    for (views::CostRow &row : rows)
        std::stable_sort(row.members.begin(), row.members.end(), [&](std::int64_t a, std::int64_t b) {
            const auto at = [&](std::int64_t id) {
                const auto found = seconds.find(id);
                return found == seconds.end() ? 0.0 : found->second;
            };
            return at(a) > at(b);
        });
}

views::ProfileSummary summaryOf(const SessionData &session, const profiler::TableScope &scope,
                                const profiler::Table &classes) {
    const profiler::ProfileSummary sum = profiler::summarize(session.profile, scope);
    const profiler::SpentTimes spent = profiler::spentTimes(classes);
    views::ProfileSummary summary;
    summary.seconds = static_cast<double>(sum.thunkNs) * kNs;
    summary.calls = sum.calls;
    auto part = [&](const QString &label, char letter, std::int64_t ns, double percent, Color color, bool hatched) {
        summary.parts.push_back({label, QLatin1Char(letter), static_cast<double>(ns) * kNs, percent / 100, color, hatched});
    };
    if (spent.anyGpu || spent.transferNs > 0) {
        part(tr("GPU ops"), 'G', spent.gpuNs, spent.gpuPercent, Color::Gpu, false);
        part(tr("Transfers"), 'T', spent.transferNs, spent.transferPercent, Color::Transfer, true);
    }
    part(tr("CPU ops"), 'C', spent.cpuNs, spent.cpuPercent, Color::Cpu, false);
    summary.whole = (sum.functions == 1 ? tr("Whole calls %1 · in fn %2 · compile %3 · %4 in %5 function")
                                        : tr("Whole calls %1 · in fn %2 · compile %3 · %4 in %5 functions"))
                        .arg(formats::time(static_cast<double>(sum.callNs) * kNs),
                             formats::percent(sum.vmPercent / 100),
                             formats::time(static_cast<double>(sum.compile.totalNs) * kNs))
                        .arg(formats::applies(sum.applies))
                        .arg(sum.functions);
    bool blocking = false;
    bool device = false;
    for (const profiler::ApplyStats &stats : session.profile.stats) {
        blocking = blocking || stats.blockingNs.has_value();
        device = device || stats.deviceNs.has_value();
    }
    summary.quality =
        device    ? tr("Device clock: each apply has the time its kernels took, without the wait of the host.")
        : blocking ? tr("Host clock with CUDA_LAUNCH_BLOCKING=1: each apply waits for its kernel, so times are "
                        "attributed correctly and include launch cost.")
                   : tr("Host clock around every apply. The work is done when the apply returns, so the times are its own.");
    for (const profiler::Drop &drop : session.drops)
        summary.quality += QLatin1Char(' ') + tr("%1 %2 were left out: %3.")
                                                  .arg(formats::count(drop.count), text(drop.what), text(drop.reason));
    return summary;
}

void addAdvice(const SessionData &session, Costs &costs) {
    for (const profiler::Advice &advice : profiler::advise(session.profile)) {
        views::AdviceCard card;
        card.icon = QStringLiteral("bulb");
        card.ink = Color::Info;
        card.title = text(advice.text);
        card.text = text(advice.evidence);
        if (!advice.nodes.empty())
            card.apply = raw(advice.nodes.front().apply);
        for (auto &[id, summary] : costs.summaries)
            summary.advice.push_back(card);
    }
}

QString sharesText(const profiler::Table &table) {
    QStringList parts;
    double shown = 0;
    for (std::size_t i = 0; i < table.rows.size() && i < 3; ++i) {
        const profiler::TableRow &row = table.rows[i];
        QString name = text(row.name);
        name = name.mid(name.lastIndexOf('.') + 1);
        parts << QStringLiteral("%1 <b>%2</b>").arg(name.toHtmlEscaped(), formats::percent(row.percent / 100));
        shown = row.cumulativePercent;
    }
    if (table.rows.size() > 3)
        parts << QStringLiteral("%1 %2").arg(tr("other"), formats::percent((100 - shown) / 100));
    return parts.join(QStringLiteral("&nbsp;&nbsp; "));
}

void addLines(const SessionData &session, Costs &costs, FunctionId id, const profiler::TableScope &scope) {
    const std::vector<profiler::LineRow> lines = profiler::lineTable(session.profile, scope);
    std::int64_t longest = 0;
    for (const profiler::LineRow &line : lines)
        if (line.source.line > 0)
            longest = std::max(longest, line.ns);
    for (const profiler::LineRow &line : lines) {
        if (line.source.line <= 0)
            continue;
        views::LineMark mark;
        mark.fraction = ratio(static_cast<double>(line.ns), static_cast<double>(longest));
        mark.estimated = line.estimated;
        mark.tip = tr("%1 in all, %2 of the time in thunks").arg(formats::time(static_cast<double>(line.ns) * kNs),
                                                                formats::percent(line.percent / 100));
        if (line.estimated)
            mark.tip += QStringLiteral("\n") + tr("A part is estimated: fused kernels are split by the cost model");
        costs.lines[{id, line.source.file}].insert(line.source.line, mark);
    }
}

void addScope(const SessionData &session, Costs &costs, FunctionId id, const Places &places) {
    profiler::TableScope scope;
    if (id != profiler::kNoFunction)
        scope.functions = {id};
    const profiler::Table classes = profiler::makeTable(session.profile, TableKind::Class, scope);
    const profiler::Table ops = profiler::makeTable(session.profile, TableKind::Op, scope);
    const profiler::Table applies = profiler::makeTable(session.profile, TableKind::Apply, scope);
    costs.classes[id] = rowsOf(session, classes, TableKind::Class, places);
    costs.ops[id] = rowsOf(session, ops, TableKind::Op, places);
    costs.applyRows[id] = rowsOf(session, applies, TableKind::Apply, places);
    std::map<std::int64_t, double> seconds;
    double slowest = 0;
    double fastest = -1;
    for (const profiler::TableRow &row : applies.rows)
        slowest = std::max(slowest, row.nsPerCall * kNs);
    for (const profiler::TableRow &row : applies.rows) {
        ApplyCost cost;
        cost.seconds = static_cast<double>(row.ns) * kNs;
        cost.perCall = row.nsPerCall * kNs;
        cost.calls = row.calls;
        cost.share = row.percent / 100;
        cost.shareOfSlowest = ratio(cost.perCall, slowest);
        cost.quality = qualityOf(row);
        if (cost.calls > 0)
            fastest = fastest < 0 ? cost.perCall : std::min(fastest, cost.perCall);
        for (const profiler::ApplyKey &node : row.nodes) {
            seconds[raw(node.apply)] = cost.seconds;
            if (id != profiler::kNoFunction)
                costs.applies[node] = cost;
        }
    }
    orderMembers(costs.classes[id], seconds);
    orderMembers(costs.ops[id], seconds);
    costs.ends[id] = {fastest, slowest};
    costs.summaries[id] = summaryOf(session, scope, classes);
    costs.shares[id] = classes.totalNs > 0 ? sharesText(classes) : QString();
    const profiler::ProfileSummary sum = profiler::summarize(session.profile, scope);
    if (sum.calls > 0) {
        costs.outside[id] = tr("Outside thunks %1").arg(formats::percent(sum.overheadPercent / 100));
        costs.perCall[id] = formats::time(ratio(static_cast<double>(sum.callNs), static_cast<double>(sum.calls)) * kNs);
    }
    addLines(session, costs, id, scope);
    if (id == profiler::kNoFunction && sum.calls > 0)
        costs.finished = tr("%1 calls in %2").arg(formats::count(sum.calls), formats::time(static_cast<double>(sum.callNs) * kNs));
}

} // namespace

std::shared_ptr<const Costs> costsOf(const SessionData &session) {
    auto costs = std::make_shared<Costs>();
    const Places places(session);
    addScope(session, *costs, profiler::kNoFunction, places);
    for (const profiler::FunctionInfo &function : session.functions)
        addScope(session, *costs, function.id, places);
    addAdvice(session, *costs);
    return costs;
}

std::vector<views::FunctionRow> functionRows(const SessionData &session) {
    std::vector<views::FunctionRow> rows;
    for (const profiler::FunctionInfo &function : session.functions) {
        views::FunctionRow row;
        row.id = raw(function.id);
        row.name = function.name.empty() ? tr("unnamed") : text(function.name);
        const bool compiling = function.state == "compiling";
        row.detail = compiling ? QString() : formats::applies(function.appliesOptimized);
        const auto perCall = session.costs ? session.costs->perCall.find(function.id) : decltype(session.costs->perCall.find(function.id)){};
        if (compiling)
            row.figure = tr("compiling");
        else if (function.state == "failed")
            row.figure = tr("failed");
        else if (function.run.calls == 0)
            row.figure = tr("not called");
        else if (session.costs && perCall != session.costs->perCall.end())
            row.figure = perCall->second;
        row.tip = tr("%1 in %2: %3 applies as written, %4 optimized, %5 calls")
                      .arg(row.name, text(function.mode))
                      .arg(function.appliesOriginal)
                      .arg(function.appliesOptimized)
                      .arg(formats::count(function.run.calls));
        if (function.location.line > 0)
            row.tip += tr("\ncompiled at line %1").arg(function.location.line);
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace app
