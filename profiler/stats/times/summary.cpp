#include "profiler/stats/times/scope.h"
#include "profiler/stats/times/tables.h"

#include <algorithm>
#include <map>

namespace profiler {

ProfileSummary summarize(const ProfileData &data, const TableScope &scope)
{
    const InScope inScope(scope);
    ProfileSummary sum;
    for (const FunctionInfo &function : data.functions) {
        if (!inScope(function.id)) continue;
        ++sum.functions;
        sum.calls += function.run.calls;
        sum.callNs += function.run.totalNs;
        sum.vmNs += function.run.vmNs;
        sum.applies += function.appliesOptimized;
        sum.compile.totalNs += function.compile.totalNs;
        sum.compile.graphNs += function.compile.graphNs;
        sum.compile.optimizerNs += function.compile.optimizerNs;
        sum.compile.validateNs += function.compile.validateNs;
        sum.compile.linkerNs += function.compile.linkerNs;
        sum.compile.importNs += function.compile.importNs;
        sum.compile.makeThunkNs += function.compile.makeThunkNs;
    }
    // The applies' own sum, so that the header and the tables always agree.
    sum.thunkNs = makeTable(data, TableKind::Class, {scope.functions, false, scope.graph}).totalNs;
    if (sum.callNs > 0) {
        const double scale = 100.0 / static_cast<double>(sum.callNs);
        sum.vmPercent = scale * static_cast<double>(sum.vmNs);
        sum.thunkPercent = scale * static_cast<double>(sum.thunkNs);
        // Times of applies may be estimates from some of the calls, and come out above the calls themselves.
        sum.overheadPercent = std::max(0.0, 100.0 - sum.thunkPercent);
    }
    return sum;
}

namespace {

// The counts over the whole compile, where the session has them: passes know only of rewrites that applied.
void takeWholeCounts(const ProfileData &data, const TableScope &scope, const std::map<std::uint32_t, FunctionId> &functionOf,
                     std::map<std::string, RewriteRow> &rows)
{
    const InScope inScope(scope);
    std::map<std::string, bool> fresh;
    for (const RewriteCount &one : data.rewrites.counts) {
        const auto function = functionOf.find(raw(one.graph));
        if (function == functionOf.end() || !inScope(function->second)) continue;
        RewriteRow &row = rows[one.rewrite];
        if (!fresh[one.rewrite]) {
            const std::string phase = row.phase;
            row = {};
            row.phase = phase;
            fresh[one.rewrite] = true;
        }
        row.rewrite = one.rewrite;
        row.tried += one.tried;
        row.applied += one.applied;
        row.declined += one.declined;
        row.ns += one.ns;
        row.nodesCreated += one.nodesCreated;
    }
}

} // namespace

std::vector<RewriteRow> rewriteTable(const ProfileData &data, const TableScope &scope)
{
    const InScope inScope(scope);
    std::map<std::pair<std::uint32_t, int>, const PassInfo *> passes;
    for (const PassInfo &pass : data.passes) passes[{raw(pass.graph), pass.index}] = &pass;
    std::map<std::uint32_t, FunctionId> functionOf;
    for (const GraphInfo &graph : data.graphs) functionOf[raw(graph.id)] = graph.function;
    std::map<std::string, RewriteRow> rows;
    for (const PassRewrite &one : data.rewrites.ofPasses) {
        const auto function = functionOf.find(raw(one.graph));
        if (function == functionOf.end() || !inScope(function->second)) continue;
        RewriteRow &row = rows[one.rewrite];
        row.rewrite = one.rewrite;
        const auto pass = passes.find({raw(one.graph), one.pass});
        if (pass != passes.end() && (row.phase.empty() || (row.applied == 0 && one.applied > 0))) row.phase = pass->second->phase;
        row.tried += one.applied; // at least; the counts of the whole graph say more
        row.applied += one.applied;
        row.ns += one.ns;
        row.nodesCreated += one.nodesCreated;
    }
    takeWholeCounts(data, scope, functionOf, rows);
    std::vector<RewriteRow> result;
    for (auto &entry : rows) result.push_back(std::move(entry.second));
    std::stable_sort(result.begin(), result.end(), [](const RewriteRow &a, const RewriteRow &b) { return a.ns > b.ns; });
    return result;
}

} // namespace profiler
