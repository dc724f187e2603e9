#include "profiler/stats/flame.h"

#include "profiler/session/device_kind.h"
#include "profiler/stats/ground.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace profiler {

namespace {

struct Branch {
    FlameNode node;
    std::vector<Branch> children;
};

// Time and calls of an apply by what ran it.
struct Runs {
    std::map<std::string, std::pair<double, std::int64_t>> byRunner;
    double ns = 0;
    std::int64_t calls = 0;
};

class Maker {
public:
    explicit Maker(const ProfileData &data) : m_data(data)
    {
        for (const ApplyStats &stats : data.stats) {
            Runs &runs = m_runs[{stats.graph, stats.apply}];
            auto &[ns, calls] = runs.byRunner[stats.tier];
            ns += static_cast<double>(stats.totalNs);
            calls += stats.calls;
            runs.ns += static_cast<double>(stats.totalNs);
            runs.calls += stats.calls;
        }
        for (const SourceLink &link : data.sources) m_links[{link.graph, link.apply}].push_back(&link);
        for (const ApplyRow &apply : data.applies) m_applies[raw(apply.graph)].push_back(&apply);
    }

    Branch make() const
    {
        Branch all;
        for (const FunctionInfo &function : m_data.functions) {
            if (function.run.calls == 0 || function.graph == kNoGraph) continue;
            Branch one = ofFunction(function);
            if (one.node.ns <= 0) continue;
            all.node.ns += one.node.ns;
            all.node.calls += function.run.calls;
            all.children.push_back(std::move(one));
        }
        return all;
    }

private:
    Branch ofFunction(const FunctionInfo &function) const
    {
        Branch result;
        result.node.kind = FlameKind::Function;
        result.node.name = function.name;
        result.node.function = function.id;
        result.node.calls = function.run.calls;
        std::map<SourceLine, Branch> lines;
        const auto applies = m_applies.find(raw(function.graph));
        if (applies == m_applies.end()) return result;
        for (const ApplyRow *apply : applies->second) {
            const ApplyKey key{apply->graph, apply->apply};
            const auto runs = m_runs.find(key);
            if (!apply->inOptimized || runs == m_runs.end() || runs->second.ns <= 0) continue;
            const auto add = [&](const SourceLine &source, double share, bool estimated) {
                if (share <= 0) return;
                Branch &line = lines[source];
                line.node.kind = FlameKind::Line;
                line.node.function = function.id;
                line.node.source = source;
                line.node.ns += runs->second.ns * share;
                line.node.calls += runs->second.calls;
                line.node.estimated = line.node.estimated || estimated;
                line.children.push_back(ofApply(*apply, function.id, runs->second, share, estimated));
            };
            const auto links = m_links.find(key);
            double shares = 0;
            if (links != m_links.end())
                for (const SourceLink *link : links->second) shares += std::max(0.0, link->share);
            if (shares <= 0) add({}, 1, false);
            else
                for (const SourceLink *link : links->second) add(link->source, std::max(0.0, link->share) / shares, link->estimated);
        }
        for (auto &[source, line] : lines) {
            result.node.ns += line.node.ns;
            result.children.push_back(std::move(line));
        }
        return result;
    }
    static Branch ofApply(const ApplyRow &apply, FunctionId function, const Runs &runs, double share, bool estimated)
    {
        Branch result;
        FlameNode &node = result.node;
        node.kind = FlameKind::Apply;
        node.name = apply.friendly.empty() ? apply.op : apply.friendly;
        node.detail = apply.label.empty() ? apply.op : apply.label;
        node.function = function;
        node.apply = {apply.graph, apply.apply};
        node.device = apply.device;
        node.ns = runs.ns * share;
        node.calls = runs.calls;
        node.estimated = estimated;
        for (const auto &[runner, time] : runs.byRunner) {
            if (time.first <= 0) continue;
            Branch run;
            run.node = node;
            run.node.kind = FlameKind::Runner;
            run.node.name = isTransferClass(apply.opClass.str()) ? "copy" : runner;
            run.node.ns = time.first * share;
            run.node.calls = time.second;
            result.children.push_back(std::move(run));
        }
        return result;
    }

    const ProfileData &m_data;
    std::unordered_map<ApplyKey, Runs, ApplyKeyHash> m_runs;
    std::unordered_map<ApplyKey, std::vector<const SourceLink *>, ApplyKeyHash> m_links;
    std::unordered_map<std::uint32_t, std::vector<const ApplyRow *>> m_applies;
};

void flatten(Branch &branch, std::size_t parent, int depth, double start, double all, std::vector<FlameNode> &nodes)
{
    const std::size_t here = nodes.size();
    FlameNode node = std::move(branch.node);
    node.parent = parent;
    node.depth = depth;
    node.startNs = start;
    node.share = node.ns / all;
    nodes.push_back(std::move(node));
    std::stable_sort(branch.children.begin(), branch.children.end(),
                     [](const Branch &a, const Branch &b) { return a.node.ns > b.node.ns; });
    for (Branch &child : branch.children) {
        const double ns = child.node.ns;
        flatten(child, here, depth + 1, start, all, nodes);
        start += ns;
    }
    nodes[here].end = nodes.size();
}

} // namespace

Flame makeFlame(const ProfileData &data)
{
    Flame flame;
    Branch all = Maker(data).make();
    if (all.node.ns > 0) flatten(all, 0, 0, 0, all.node.ns, flame.nodes);
    return flame;
}

std::size_t Flame::findFunction(FunctionId function) const
{
    for (std::size_t i = 0; i < nodes.size(); i = i == 0 ? 1 : nodes[i].end)
        if (nodes[i].kind == FlameKind::Function && nodes[i].function == function) return i;
    return 0;
}

std::size_t Flame::findApply(const ApplyKey &apply) const
{
    std::size_t best = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].kind == FlameKind::Apply && nodes[i].apply == apply && (best == 0 || nodes[i].ns > nodes[best].ns)) best = i;
    return best;
}

std::size_t Flame::findLine(FunctionId function, const SourceLine &source) const
{
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].kind == FlameKind::Line && nodes[i].function == function && nodes[i].source == source) return i;
    return 0;
}

FlameHits findInFlame(const Flame &flame, std::string_view words, const std::vector<std::string> &more)
{
    FlameHits hits;
    hits.isHit.assign(flame.nodes.size(), 0);
    const std::string wanted = lowered(words);
    if (wanted.empty()) return hits;
    double countedTo = 0; // what lies within a hit is counted with it
    for (std::size_t i = 0; i < flame.nodes.size(); ++i) {
        const FlameNode &node = flame.nodes[i];
        const auto holds = [&](std::string_view text) { return lowered(text).find(wanted) != std::string::npos; };
        if (!holds(node.name) && !holds(node.detail) && !(i < more.size() && holds(more[i]))) continue;
        hits.isHit[i] = 1;
        ++hits.count;
        if (node.startNs + node.ns <= countedTo) continue;
        hits.ns += node.ns;
        countedTo = node.startNs + node.ns;
    }
    if (!flame.nodes.empty()) hits.share = hits.ns / flame.nodes[0].ns;
    return hits;
}

} // namespace profiler
