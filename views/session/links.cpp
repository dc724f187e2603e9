#include "views/session/links.h"

#include <algorithm>

namespace views {
Links::Links(std::shared_ptr<const GraphData> graph) : m_graph(std::move(graph))
{
    const auto number = [](std::size_t i) { return static_cast<std::uint32_t>(i); };
    for (std::size_t i = 0; i < m_graph->lineage.size(); ++i) {
        const profiler::LineageRow &row = m_graph->lineage[i];
        m_outOf.add(raw(row.from), number(i));
        if (row.to != profiler::kNoApply) m_into.add(raw(row.to), number(i));
    }
    for (const profiler::OriginRow &row : m_graph->origins) {
        if (row.originGraph != m_graph->info.id) continue;
        m_origins.add(raw(row.apply), raw(row.originApply));
        m_offspring.add(raw(row.originApply), raw(row.apply));
    }
    for (std::size_t i = 0; i < m_graph->sourceLinks.size(); ++i) m_lines.add(raw(m_graph->sourceLinks[i].apply), number(i));
    for (const profiler::StepInfo &step : m_graph->steps)
        for (const auto *applies : {&step.matched, &step.produced})
            for (profiler::ApplyId apply : *applies)
                if (step.index > 0) m_steps.add(raw(apply), number(static_cast<std::size_t>(step.index)));
    for (Lists *lists : {&m_into, &m_outOf, &m_origins, &m_offspring, &m_lines, &m_steps}) lists->finish();
}

void Links::Lists::finish()
{
    const auto before = [](const auto &a, const auto &b) { return a.first < b.first; };
    if (!std::is_sorted(m_entries.begin(), m_entries.end(), before)) std::stable_sort(m_entries.begin(), m_entries.end(), before);
    m_entries.shrink_to_fit();
}

std::span<const std::pair<std::uint32_t, std::uint32_t>> Links::Lists::of(std::uint32_t key) const
{
    const auto first = std::partition_point(m_entries.begin(), m_entries.end(), [key](const auto &entry) { return entry.first < key; });
    const auto last = std::partition_point(first, m_entries.end(), [key](const auto &entry) { return entry.first == key; });
    return {first, last};
}

std::set<std::uint32_t> Links::closure(const std::set<std::uint32_t> &start, bool backwards) const
{
    std::set<std::uint32_t> seen = start;
    std::vector<std::uint32_t> open(start.begin(), start.end());
    const auto &edges = backwards ? m_into : m_outOf;
    while (!open.empty()) {
        const std::uint32_t now = open.back();
        open.pop_back();
        for (const auto &[key, index] : edges.of(now)) {
            const profiler::LineageRow &row = m_graph->lineage[index];
            const profiler::ApplyId next = backwards ? row.from : row.to;
            if (next != profiler::kNoApply && seen.insert(raw(next)).second) open.push_back(raw(next));
        }
    }
    return seen;
}

std::set<std::uint32_t> Links::originalsOf(std::uint32_t apply) const
{
    std::set<std::uint32_t> result;
    for (const auto &[key, origin] : m_origins.of(apply)) result.insert(origin);
    if (!result.empty()) return result;
    for (std::uint32_t each : closure({apply}, true)) {
        const profiler::ApplyRow *row = m_graph->apply(each);
        if (row && row->inOriginal) result.insert(each);
    }
    return result;
}

std::set<std::uint32_t> Links::descendantsOf(std::uint32_t original, int step) const
{
    if (step >= 0 && step < m_graph->info.stepCount) return livingAt({original}, step);
    std::set<std::uint32_t> result;
    for (const auto &[key, each] : m_offspring.of(original)) {
        const profiler::ApplyRow *row = m_graph->apply(each);
        if (row && row->inOptimized) result.insert(each);
    }
    if (!result.empty()) return result;
    for (std::uint32_t each : closure({original}, false)) {
        const profiler::ApplyRow *row = m_graph->apply(each);
        if (row && row->inOptimized) result.insert(each);
    }
    return result;
}

// What lives at a step between: an id made up to then and not yet replaced.
std::set<std::uint32_t> Links::livingAt(const std::set<std::uint32_t> &originals, int step) const
{
    std::set<std::uint32_t> result;
    for (std::uint32_t each : closure(originals, false)) {
        const auto made = m_into.of(each), gone = m_outOf.of(each);
        const auto isMade = [&](const auto &entry) { return m_graph->lineage[entry.second].step <= step; };
        const auto isLeft = [&](const auto &entry) { return m_graph->lineage[entry.second].step > step; };
        const bool before = made.empty() || std::any_of(made.begin(), made.end(), isMade);
        const bool after = gone.empty() || std::any_of(gone.begin(), gone.end(), isLeft);
        if (before && after) result.insert(each);
    }
    return result;
}

std::vector<profiler::SourceLink> Links::linesOf(std::uint32_t apply) const
{
    std::vector<profiler::SourceLink> result;
    auto add = [&](std::uint32_t id) {
        for (const auto &[key, index] : m_lines.of(id)) {
            const profiler::SourceLink &link = m_graph->sourceLinks[index];
            const bool known = std::any_of(result.begin(), result.end(), [&](const auto &each) { return each.source == link.source; });
            if (!known) result.push_back(link);
        }
    };
    add(apply);
    if (result.empty())
        for (std::uint32_t original : originalsOf(apply)) add(original);
    std::sort(result.begin(), result.end(), [](const auto &a, const auto &b) { return a.source < b.source; });
    return result;
}

std::set<std::uint32_t> Links::appliesOnLine(const std::string &file, int line, Side side) const
{
    std::set<std::uint32_t> result;
    const auto add = [&](profiler::ApplyId apply) {
        const profiler::ApplyRow *row = m_graph->apply(raw(apply));
        if (row && (side == Side::Original ? row->inOriginal : row->inOptimized)) result.insert(raw(apply));
    };
    for (const profiler::SourceLink &link : m_graph->sourceLinks)
        if (link.source.line == line && link.source.file == file) add(link.apply);
    // Callers come first, so one look at each chain says whether it passes the line.
    const profiler::Chains &chains = *m_graph->chains;
    std::vector<char> passes(chains.size());
    for (std::uint32_t i = 0; i < passes.size(); ++i) {
        const profiler::ChainId chain{i}, caller = chains.callerOf(chain);
        const profiler::SourceLine &here = chains.lineOf(chain);
        passes[i] = (here.line == line && here.file == file) || (caller != profiler::kNoChain && passes[raw(caller)]);
    }
    for (const profiler::ChainShare &one : m_graph->chainShares)
        if (chains.has(one.chain) && passes[raw(one.chain)]) add(one.apply);
    return result;
}

std::set<profiler::ChainId> Links::chainsOf(std::uint32_t apply) const
{
    std::set<profiler::ChainId> result;
    const auto add = [&](std::uint32_t id) {
        for (const profiler::ChainShare &one : profiler::chainsOf(m_graph->chainShares, profiler::ApplyId{id})) result.insert(one.chain);
    };
    add(apply);
    if (result.empty())
        for (const std::uint32_t original : originalsOf(apply)) add(original);
    return result;
}

std::vector<profiler::SourceLine> Links::callersOf(std::uint32_t apply) const { return callersOf(chainsOf(apply)); }

std::vector<profiler::SourceLine> Links::callersOf(profiler::VariableId variable) const
{
    std::set<profiler::ChainId> chains;
    for (const profiler::VariableChain &one : m_graph->variableChains)
        if (one.variable == variable) chains.insert(one.chain);
    return callersOf(chains);
}

std::vector<profiler::SourceLine> Links::callersOf(const std::set<profiler::ChainId> &own) const
{
    const profiler::Chains &chains = *m_graph->chains;
    std::vector<profiler::SourceLine> result;
    std::set<std::uint32_t> known;
    for (const profiler::ChainId chain : own) known.insert(chains.numberOf(chain));
    for (const profiler::ChainId chain : own)
        for (profiler::ChainId call = chains.callerOf(chain); chains.has(call); call = chains.callerOf(call))
            if (known.insert(chains.numberOf(call)).second) result.push_back(chains.lineOf(call));
    return result;
}

void Links::addLines(std::uint32_t apply, Linked &linked) const
{
    const auto refOf = [](const profiler::SourceLine &line) { return SourceRef{QString::fromStdString(line.file), line.line}; };
    for (const profiler::SourceLink &link : linesOf(apply)) linked.lines.insert(refOf(link.source));
    const profiler::Chains &chains = *m_graph->chains;
    std::set<std::uint32_t> known;
    for (const profiler::ChainId chain : chainsOf(apply)) {
        std::set<profiler::SharedText> files; // of a chain that crosses several, the innermost line of each belongs to the apply most
        for (profiler::ChainId call = chain; chains.has(call); call = chains.callerOf(call)) {
            const bool isNearest = files.insert(chains.lineOf(call).file).second;
            if (isNearest) linked.lines.insert(refOf(chains.lineOf(call)));
            else if (known.insert(chains.numberOf(call)).second) linked.callers.insert(refOf(chains.lineOf(call)));
        }
    }
    linked.callers.subtract(linked.lines);
}

std::vector<Birth> Links::birthsOf(std::uint32_t apply) const
{
    std::set<int> steps;
    for (std::uint32_t each : closure({apply}, true)) {
        for (const auto &[key, index] : m_into.of(each))
            if (m_graph->lineage[index].fate != profiler::Fate::Kept && m_graph->lineage[index].step > 0)
                steps.insert(m_graph->lineage[index].step);
    }
    std::vector<Birth> births;
    for (int step : steps) {
        if (step >= static_cast<int>(m_graph->steps.size())) continue;
        const profiler::StepInfo &info = m_graph->steps[static_cast<std::size_t>(step)];
        births.push_back({step, info.phase, info.rewrite, info.reason});
    }
    return births;
}

std::vector<int> Links::stepsTouching(std::uint32_t apply) const
{
    std::vector<int> result;
    for (const auto &[key, step] : m_steps.of(apply))
        if (result.empty() || result.back() != static_cast<int>(step)) result.push_back(static_cast<int>(step));
    return result;
}

std::vector<int> Links::stepsFrom(const std::set<std::uint32_t> &originals) const
{
    std::set<int> result;
    for (std::uint32_t each : closure(originals, false))
        for (const auto &[key, step] : m_steps.of(each)) result.insert(static_cast<int>(step));
    return {result.begin(), result.end()};
}

std::optional<std::uint32_t> Links::applyOf(const NodeRef &node) const
{
    if (!node.isValid()) return std::nullopt;
    if (node.kind == NodeKind::Apply) return static_cast<std::uint32_t>(node.id);
    const profiler::VariableRow *row = m_graph->variable(node.id);
    if (row && row->owner != profiler::kNoApply) return raw(row->owner);
    return std::nullopt;
}

Linked Links::linkedTo(const Selection &selection) const
{
    Linked linked;
    const NodeRef node = selection.node;
    const int step = selection.step;
    auto addNodes = [&](Side side, const std::set<std::uint32_t> &applies) {
        for (std::uint32_t apply : applies) linked.nodes.insert({side, NodeKind::Apply, apply});
    };
    if (const auto apply = applyOf(node)) {
        const std::set<std::uint32_t> originals = node.side == Side::Original ? std::set<std::uint32_t>{*apply} : originalsOf(*apply);
        if (node.side == Side::Original) addNodes(Side::Optimized, descendantsOf(*apply, step));
        else addNodes(Side::Original, originals);
        addLines(*apply, linked);
        linked.steps = stepsTouching(*apply);
        for (const Birth &birth : birthsOf(*apply)) linked.steps.push_back(birth.step);
        std::sort(linked.steps.begin(), linked.steps.end());
        linked.steps.erase(std::unique(linked.steps.begin(), linked.steps.end()), linked.steps.end());
    } else if (node.isValid()) {
        // Inputs, shared variables and constants keep their id on both sides.
        linked.nodes.insert({node.side == Side::Original ? Side::Optimized : Side::Original, node.kind, node.id});
    }
    if (selection.source.isValid()) {
        const std::string file = selection.source.file.toStdString();
        const std::set<std::uint32_t> originals = appliesOnLine(file, selection.source.line, Side::Original);
        addNodes(Side::Original, originals);
        if (step == Selection::kLastStep || step >= m_graph->info.stepCount) {
            addNodes(Side::Optimized, appliesOnLine(file, selection.source.line, Side::Optimized));
        } else {
            addNodes(Side::Optimized, livingAt(originals, step));
        }
        linked.lines.insert(selection.source);
        if (!node.isValid()) linked.steps = stepsFrom(originals);
    }
    return linked;
}

} // namespace views
