#include "profiler/export/format.h"
#include "profiler/export/report_parts.h"

#include <algorithm>
#include <map>
#include <set>

namespace profiler {

namespace {

struct Phase {
    std::string name;
    std::int64_t ns = 0;
    std::int64_t validateNs = 0;
    int first = 0; // position of its first pass
    std::vector<const PassInfo *> passes;
};

std::vector<Phase> phasesOf(const ProfileData &data, GraphId graph)
{
    std::vector<Phase> phases;
    for (const PassInfo &pass : data.passes) {
        if (pass.graph != graph) continue;
        if (phases.empty() || phases.back().name != pass.phase) {
            phases.push_back({pass.phase, 0, 0, static_cast<int>(phases.size()), {}});
        }
        phases.back().ns += pass.ns;
        phases.back().validateNs += pass.validateNs;
        phases.back().passes.push_back(&pass);
    }
    return phases;
}

using RewritesOfPasses = std::map<int, std::vector<const PassRewrite *>>;

// Those that applied in each pass of a graph.
RewritesOfPasses rewritesOf(const ProfileData &data, GraphId graph)
{
    RewritesOfPasses rewrites;
    for (const PassRewrite &one : data.rewrites.ofPasses)
        if (one.graph == graph && one.applied > 0) rewrites[one.pass].push_back(&one);
    return rewrites;
}

std::string mostApplied(std::vector<const PassRewrite *> rewrites)
{
    std::stable_sort(rewrites.begin(), rewrites.end(), [](const PassRewrite *a, const PassRewrite *b) { return a->applied > b->applied; });
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(rewrites.size(), 5); ++i)
        out += format(" ('%s', %lld)", rewrites[i]->rewrite.c_str(), static_cast<long long>(rewrites[i]->applied));
    return out + (rewrites.size() > 5 ? " ..." : "");
}

std::string phaseText(RewritesOfPasses &rewrites, const Phase &phase)
{
    int start = phase.passes.front()->nodesBefore;
    int most = 0;
    for (const PassInfo *pass : phase.passes) most = std::max({most, pass->nodesBefore, pass->nodesAfter});
    std::string out = format("     %s\n       time %.3fs for %zu passes\n"
                             "       nb nodes (start, end, max) %d %d %d\n",
                             phase.name.c_str(), seconds(phase.ns), phase.passes.size(), start, phase.passes.back()->nodesAfter, most);
    int number = 0;
    for (const PassInfo *pass : phase.passes)
        out += format("        %2d - %.4fs %d - %d nodes - %s%s\n", number++, seconds(pass->ns), pass->stepCount, pass->nodesAfter,
                      pass->name.c_str(), mostApplied(rewrites[pass->index]).c_str());
    return out;
}

std::string rewriteLines(const ProfileData &data, FunctionId function)
{
    std::string used = "     times - times applied - nb node created - name:\n";
    std::string unused;
    int unusedCount = 0;
    std::int64_t unusedNs = 0;
    for (const RewriteRow &row : rewriteTable(data, {{function}, false})) {
        if (row.applied > 0) {
            used += format("     %.4fs - %lld - %lld - %s\n", seconds(row.ns), static_cast<long long>(row.applied),
                           static_cast<long long>(row.nodesCreated), row.rewrite.c_str());
            continue;
        }
        ++unusedCount;
        unusedNs += row.ns;
        if (row.ns > 0) unused += format("       %.4fs - %s\n", seconds(row.ns), row.rewrite.c_str());
    }
    return used +
           format("     %.4fs - in %d optimization that were not used (display only those "
                  "with a runtime > 0)\n",
                  seconds(unusedNs), unusedCount) +
           unused;
}

} // namespace

std::string theanoOptimizerProfile(const ProfileData &data, FunctionId function)
{
    for (const GraphInfo &graph : data.graphs) {
        if (graph.function != function || graph.parentGraph != kNoGraph) continue;
        std::vector<Phase> phases = phasesOf(data, graph.id);
        RewritesOfPasses rewrites = rewritesOf(data, graph.id);
        std::int64_t total = 0;
        std::int64_t validate = 0;
        for (const Phase &phase : phases) total += phase.ns, validate += phase.validateNs;
        std::string out = "Optimizer Profile\n-----------------\n";
        out += format(" SeqOptimizer  time %.3fs for %d/%d nodes before/after optimization\n"
                      "   %.3fs for fgraph.validate()\n"
                      "   time - (name, class, index, nodes before, nodes after) - validate time\n",
                      seconds(total), graph.appliesOriginal, graph.appliesOptimized, seconds(validate));
        std::stable_sort(phases.begin(), phases.end(), [](const Phase &a, const Phase &b) { return a.ns > b.ns; });
        for (const Phase &phase : phases) {
            out += format("   %.4fs - ('%s', '%s', %d, %d, %d) - %.4fs\n", seconds(phase.ns), phase.name.c_str(),
                          phase.passes.size() > 1 ? "EquilibriumOptimizer" : "SeqOptimizer", phase.first, phase.passes.front()->nodesBefore,
                          phase.passes.back()->nodesAfter, seconds(phase.validateNs));
            out += phaseText(rewrites, phase);
        }
        return out + rewriteLines(data, function) + "\n";
    }
    return {};
}

} // namespace profiler
