#include "app/studio/run/carried.h"

#include <QFileInfo>

#include <algorithm>

namespace app {

using namespace views;

namespace {

/// The function of that name; of several the one that is the same of them in order.
const profiler::FunctionInfo *functionLike(const profiler::FunctionInfo &wanted, const SessionData &from, const SessionData &to)
{
    const auto named = [&wanted](const profiler::FunctionInfo &each) { return each.name == wanted.name; };
    const auto place = std::count_if(from.functions.begin(), from.functions.end(),
                                     [&](const profiler::FunctionInfo &each) { return named(each) && raw(each.id) < raw(wanted.id); });
    std::ptrdiff_t seen = 0;
    for (const profiler::FunctionInfo &each : to.functions)
        if (named(each) && seen++ == place) return &each;
    return nullptr;
}

NodeRef nodeLike(const NodeRef &node, const GraphData &from, const GraphData &to)
{
    if (node.kind == NodeKind::Variable) {
        const profiler::VariableRow *old = from.variable(node.id), *same = to.variable(node.id);
        return old && same && old->name == same->name && old->type == same->type ? node : NodeRef();
    }
    const profiler::ApplyRow *old = from.apply(node.id), *same = to.apply(node.id);
    if (!old) return {};
    if (same && same->op == old->op) return node;
    const bool original = node.side == Side::Original;
    const auto place = [original](const profiler::ApplyRow &row) { return original ? row.originalIndex : row.optimizedIndex; };
    for (const profiler::ApplyRow &row : to.applies)
        if (row.op == old->op && place(row) == place(*old)) return {node.side, node.kind, raw(row.apply)};
    return {};
}

SourceRef lineLike(const SourceRef &line, const SessionData &from, const SessionData &to)
{
    if (!line.isValid()) return {};
    const std::string file = line.file.toStdString();
    if (file == from.script.path) return {QString::fromStdString(to.script.path), line.line};
    for (const std::string &each : to.sourceFiles())
        if (QFileInfo(QString::fromStdString(each)).fileName() == QFileInfo(line.file).fileName())
            return {QString::fromStdString(each), line.line};
    return {};
}

} // namespace

Selection carried(const Selection &selection, const SessionData &from, const SessionData &to)
{
    Selection next;
    next.workspace = selection.workspace;
    next.place = selection.place;
    next.source = lineLike(selection.source, from, to);
    const profiler::FunctionInfo *old = from.function(selection.function);
    const profiler::FunctionInfo *function = old ? functionLike(*old, from, to) : nullptr;
    if (!function) {
        if (const profiler::FunctionInfo *busiest = to.busiestFunction()) next.function = raw(busiest->id);
        return next;
    }
    next.function = raw(function->id);
    const auto graphBefore = from.graphOf(selection.function, selection.graph);
    auto graph = to.graphOf(next.function, selection.graph);
    if (selection.graph >= 0 && graph && graphBefore && graph->info.label == graphBefore->info.label) {
        next.graph = selection.graph;
        next.parentApply = selection.parentApply;
    } else if (selection.graph >= 0) { // its own graph is what there is
        return next;
    }
    if (!graph || !graphBefore) return next;
    const auto rewriteOf = [](const GraphData &data, int step) {
        return static_cast<std::size_t>(step) < data.steps.size() ? data.steps[static_cast<std::size_t>(step)].rewrite.str()
                                                                  : std::string();
    };
    const int step = selection.step;
    if (step >= 0 && step <= graph->info.stepCount && rewriteOf(*graph, step) == rewriteOf(*graphBefore, step)) next.step = step;
    if (selection.node.isValid()) next.node = nodeLike(selection.node, *graphBefore, *graph);
    return next;
}

bool haveOneShape(const SessionData &a, const SessionData &b)
{
    const auto alike = [&](const profiler::FunctionInfo &x, const profiler::FunctionInfo &y) {
        if (x.id != y.id || x.name != y.name || x.graph != y.graph) return false;
        const auto one = a.graphOf(raw(x.id)), other = b.graphOf(raw(y.id));
        if (!one || !other) return !one && !other;
        return one->info.stepCount == other->info.stepCount &&
               std::equal(one->applies.begin(), one->applies.end(), other->applies.begin(), other->applies.end(),
                          [](const profiler::ApplyRow &p, const profiler::ApplyRow &q) { return p.apply == q.apply && p.op == q.op; });
    };
    return std::equal(a.functions.begin(), a.functions.end(), b.functions.begin(), b.functions.end(), alike);
}

} // namespace app
