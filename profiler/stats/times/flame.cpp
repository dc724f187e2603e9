#include "profiler/stats/times/flame.h"

#include "profiler/stats/times/ground.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace profiler {

namespace {

struct Branch {
    FlameNode node;
    std::vector<Branch> children;
};

// A line with those that it called. What an apply gives to it is known when the next one comes: its chains may part beneath.
struct LineBranch {
    Branch branch;
    std::map<std::uint32_t, LineBranch> callees; // by numbers of lines
    double share = 0;                            // of the apply that came last
    const ApplyRow *last = nullptr;

    void take(const ApplyRow *apply, double part)
    {
        if (last != apply) settle();
        last = apply;
        share += part;
    }
    void settle()
    {
        constexpr double kWhole = 1 - 1e-6;
        branch.node.estimated = branch.node.estimated || (last && share < kWhole);
        share = 0;
    }
    void finish()
    {
        settle();
        for (auto &[number, callee] : callees) {
            callee.finish();
            branch.children.push_back(std::move(callee.branch));
        }
    }
};

// Time and calls of an apply by what ran it.
struct Runs {
    std::map<std::string, std::pair<double, std::int64_t>> byRunner;
    double ns = 0;
    std::int64_t calls = 0;
};

class Maker {
public:
    explicit Maker(const ProfileData &data) : m_data(data), m_walk(*data.chains.all)
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
        m_lines = data.chains.all->lines();
        for (std::size_t i = 0; i < m_lines.size(); ++i) m_numbers.try_emplace(m_lines[i], static_cast<std::uint32_t>(i));
        for (const SourceLink &link : data.sources)
            if (m_numbers.try_emplace(link.source, static_cast<std::uint32_t>(m_lines.size())).second) m_lines.push_back(link.source);
        if (m_numbers.try_emplace(SourceLine{}, static_cast<std::uint32_t>(m_lines.size())).second) m_lines.emplace_back();
        for (const ApplyRow &apply : data.applies) m_applies[raw(apply.graph)].push_back(&apply);
    }

    Branch make()
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
    Branch ofFunction(const FunctionInfo &function)
    {
        Branch result;
        result.node.kind = FlameKind::Function;
        result.node.name = shortTitle(function);
        result.node.function = function.id;
        result.node.calls = function.run.calls;
        LineBranch all;
        const auto ofGraph = m_data.chains.ofApplies.of(function.graph);
        const auto applies = m_applies.find(raw(function.graph));
        if (applies == m_applies.end()) return result;
        for (const ApplyRow *apply : applies->second) {
            const ApplyKey key{apply->graph, apply->apply};
            const auto runs = m_runs.find(key);
            if (!apply->inOptimized || runs == m_runs.end() || runs->second.ns <= 0) continue;
            // `path`: numbers of lines, the innermost first.
            const auto add = [&](const std::vector<std::uint32_t> &path, double share, bool estimated) {
                if (share <= 0) return;
                LineBranch *line = &all;
                for (std::size_t i = path.size(); i-- > 0;) {
                    line = &line->callees[path[i]];
                    FlameNode &node = line->branch.node;
                    node.kind = FlameKind::Line;
                    node.function = function.id;
                    node.source = m_lines[path[i]];
                    node.ns += runs->second.ns * share;
                    node.calls = std::max(node.calls, runs->second.calls); // once a call, however many applies it made
                    line->take(apply, share);
                }
                result.node.ns += runs->second.ns * share;
                line->branch.children.push_back(ofApply(*apply, function.id, runs->second, share, estimated));
            };
            std::map<std::vector<std::uint32_t>, double> parts; // chains that call themselves differ in depth alone
            for (const ChainShare &one : chainsOf(*ofGraph, apply->apply)) parts[pathOf(one.chain)] += std::max(0.0, one.share);
            if (const auto links = m_links.find(key); parts.empty() && links != m_links.end())
                for (const SourceLink *link : links->second) parts[{m_numbers.at(link->source)}] += std::max(0.0, link->share);
            double shares = 0;
            for (const auto &[path, share] : parts) shares += share;
            if (shares <= 0) add({m_numbers.at(SourceLine{})}, 1, false);
            else
                for (const auto &[path, share] : parts) add(path, share / shares, parts.size() > 1);
        }
        all.finish();
        result.children = std::move(all.branch.children);
        return result;
    }
    // Numbers of its lines, the innermost first. Many applies have the same chain.
    const std::vector<std::uint32_t> &pathOf(ChainId chain)
    {
        const auto [known, isNew] = m_paths.try_emplace(chain);
        if (isNew) m_walk.each(chain, [&](std::uint32_t line) { known->second.push_back(line); });
        return known->second;
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
            run.node.name = roleOf(apply) == OpRole::Transfer ? "copy" : runner;
            run.node.ns = time.first * share;
            run.node.calls = time.second;
            result.children.push_back(std::move(run));
        }
        return result;
    }

    const ProfileData &m_data;
    ChainWalk m_walk;
    std::unordered_map<ChainId, std::vector<std::uint32_t>> m_paths;
    std::unordered_map<ApplyKey, Runs, ApplyKeyHash> m_runs;
    std::unordered_map<ApplyKey, std::vector<const SourceLink *>, ApplyKeyHash> m_links;
    std::vector<SourceLine> m_lines; // those of chains first, with their numbers there
    std::map<SourceLine, std::uint32_t> m_numbers;
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
    std::size_t best = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].kind == FlameKind::Line && nodes[i].function == function && nodes[i].source == source &&
            (best == 0 || nodes[i].ns > nodes[best].ns))
            best = i;
    return best;
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
