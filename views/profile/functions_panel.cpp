#include "views/profile/functions_panel.h"

#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/icons.h"
#include "views/common/text.h"
#include "views/profile/whole_run_bar.h"
#include "views/session/function_name.h"

#include <QAction>
#include <QVBoxLayout>

#include <unordered_map>

namespace views {

FunctionsPanel::FunctionsPanel(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_list(new FunctionsView(hub))
{
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, theme.px(4), 0, theme.px(4));
    layout->addWidget(m_list);
    m_whole = new WholeRunBar;
    m_whole->hide();
    layout->addWidget(m_whole);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto *steps = new QAction(themedIcon(QStringLiteral("rewrites")), tr("Show the steps of the rewriting"), this);
    connect(steps, &QAction::triggered, &hub, [&hub] { hub.showIn(QStringLiteral("steps")); });
    addAction(steps);
}

void FunctionsPanel::feed(const ViewFeed &feed)
{
    if (!feed.hasNew(FeedPart::Session)) return;
    m_list->setRows(feed.session ? functionRows(*feed.session) : std::vector<FunctionRow>{});
    m_whole->setRun(feed.session ? profiler::wholeRun(feed.session->profile) : profiler::WholeRun{});
}

namespace {

using NestedGraphs = std::unordered_map<profiler::GraphId, std::vector<const profiler::GraphInfo *>>; // by what holds them

NestedGraphs nestedGraphs(const SessionData &session)
{
    NestedGraphs nested;
    for (const profiler::GraphInfo &graph : session.profile.graphs)
        if (graph.kind != profiler::GraphKind::Composite && graph.kind != profiler::GraphKind::Function)
            nested[graph.parentGraph].push_back(&graph);
    return nested;
}

// What runs inside a Scan, or another op that holds a graph, stands below the function that holds it.
void addNested(const SessionData &session, const NestedGraphs &nested, const profiler::FunctionInfo &function, profiler::GraphId parent,
               int depth, std::vector<FunctionRow> &rows)
{
    constexpr int kDeepest = 6;
    const auto found = nested.find(parent);
    if (found == nested.end()) return;
    for (const profiler::GraphInfo *one : found->second) {
        const profiler::GraphInfo &graph = *one;
        FunctionRow row;
        row.id = raw(function.id);
        row.graph = raw(graph.id);
        row.parentApply = raw(graph.parentApply);
        row.depth = depth;
        row.name = graph.label.empty() ? FunctionsPanel::tr("inner graph") : text(graph.label);
        row.detail = formats::counted(graph.appliesOptimized, formats::Thing::Apply);
        const profiler::FunctionCosts *costs = session.costs ? session.costs->ofNested(graph.id) : nullptr;
        const std::int64_t calls = function.run.calls;
        if (costs && calls > 0 && costs->applies.totalNs > 0)
            row.figure = formats::timeNs(static_cast<double>(costs->applies.totalNs) / static_cast<double>(calls));
        row.tip = FunctionsPanel::tr("%1 inside %2: %3 as written, %4 optimized")
                      .arg(row.name, functionName(function))
                      .arg(formats::counted(graph.appliesOriginal, formats::Thing::Apply))
                      .arg(graph.appliesOptimized);
        if (!row.figure.isEmpty()) row.tip += FunctionsPanel::tr("\nits applies take %1 of a call").arg(row.figure);
        rows.push_back(std::move(row));
        if (depth < kDeepest) addNested(session, nested, function, graph.id, depth + 1, rows);
    }
}

} // namespace

std::vector<FunctionRow> functionRows(const SessionData &session)
{
    const auto tr = [](const char *source) { return FunctionsPanel::tr(source); };
    const NestedGraphs nested = nestedGraphs(session);
    std::vector<FunctionRow> rows;
    for (const profiler::FunctionInfo &function : session.functions) {
        FunctionRow row;
        row.id = raw(function.id);
        row.name = function.name.empty() && function.location.line == 0 ? tr("unnamed") : functionName(function);
        const bool compiling = function.state == "compiling";
        row.detail = compiling ? QString() : formats::counted(function.appliesOptimized, formats::Thing::Apply);
        const profiler::FunctionCosts *costs = session.costs ? session.costs->of(function.id) : nullptr;
        if (compiling) row.figure = tr("compiling");
        else if (function.state == "failed") row.figure = tr("failed");
        else if (function.run.calls == 0) row.figure = tr("not called");
        else if (costs && costs->summary.calls > 0) {
            row.figure = formats::timeNs(function.run.totalNs);
            row.detail = QStringLiteral("%1 × %2").arg(formats::count(function.run.calls), formats::timeNs(costs->nsPerCall));
        }
        row.tip = tr("%1 in %2: %3 as written, %4 optimized, %5")
                      .arg(row.name, text(function.mode))
                      .arg(formats::counted(function.appliesOriginal, formats::Thing::Apply))
                      .arg(function.appliesOptimized)
                      .arg(formats::counted(function.run.calls, formats::Thing::Call));
        if (!row.figure.isEmpty()) row.tip += tr("\n%1 in all its calls").arg(formats::timeNs(function.run.totalNs));
        if (function.location.line > 0) row.tip += tr("\ncompiled at %1:%2").arg(text(function.location.file)).arg(function.location.line);
        rows.push_back(std::move(row));
        addNested(session, nested, function, function.graph, 1, rows);
    }
    return rows;
}

} // namespace views
