// What a step did, as the journal keeps it: what it matched, what it made, and what became of all that it removed.
#include "engine/graph/ir/editor.h"

#include <algorithm>

namespace engine {
namespace {

std::uint32_t sizeOf(const auto &list) { return static_cast<std::uint32_t>(list.size()); }

Range since(const auto &list, std::uint32_t first) { return {first, sizeOf(list) - first}; }

} // namespace

Editor::Mark &Editor::mark(ApplyId apply)
{
    if (raw(apply) >= m_marks.size()) m_marks.resize(m_graph.applyCount() + m_graph.applyCount() / 4);
    Mark &mark = m_marks[raw(apply)];
    if (mark.step != stepNow()) mark = {stepNow()};
    return mark;
}

std::string_view Editor::kept(std::string_view text)
{
    std::string_view &last = m_texts[(text.size() + (text.empty() ? 0u : static_cast<unsigned char>(text.back()))) % std::size(m_texts)];
    if (last.data() == nullptr || last != text) last = internText(text);
    return last;
}

// What the step made and replaced again itself never stood in a graph that anybody saw.
bool Editor::isFleeting(VarId id) const
{
    const ApplyId owner = m_graph.var(id).owner;
    return owner != kNoApply && !m_graph.apply(owner).live && m_graph.apply(owner).step == stepNow();
}

// Replacements as they look from outside of the step, and what they lead to.
void Editor::settleReplacements()
{
    const auto settled = [&](VarId id) {
        for (std::size_t hops = 0; isFleeting(id); ++hops) {
            const auto next = std::find_if(m_open.replacements.rbegin(), m_open.replacements.rend(),
                                           [&](const Replacement &r) { return r.before == id; });
            if (next == m_open.replacements.rend() || hops > m_open.replacements.size()) return kNoVar;
            id = next->after;
        }
        return id;
    };
    m_lasting.clear();
    m_targets.clear();
    for (const Replacement &r : m_open.replacements) {
        const VarId after = settled(r.after);
        if (after == kNoVar) continue;
        if (std::find(m_targets.begin(), m_targets.end(), after) == m_targets.end()) m_targets.push_back(after);
        if (after != r.before && !isFleeting(r.before)) m_lasting.push_back({r.before, after});
    }
}

// Most steps remove one or two applies and looked at as few; where there are many, marks spare the searching.
bool Editor::markWhatWasSaid()
{
    if (m_removed.size() * (m_open.touched.size() + m_open.roots.size()) <= 64) return false;
    for (ApplyId id : m_open.touched) mark(id).isTouched = true;
    for (const auto &[apply, kind] : m_open.roots) {
        mark(apply).isRoot = true;
        mark(apply).kind = kind;
    }
    return true;
}

Editor::Mark Editor::searchWhatWasSaid(ApplyId id) const
{
    Mark said;
    said.isTouched = std::find(m_open.touched.begin(), m_open.touched.end(), id) != m_open.touched.end();
    for (const auto &[apply, kind] : m_open.roots)
        if (apply == id) {
            said.isRoot = true;
            said.kind = kind;
        }
    return said;
}

// What became of each apply that the step removed; those that live on in others are what it matched.
void Editor::writeFates()
{
    auto &journal = m_graph.m_journal;
    const bool areMarked = markWhatWasSaid();
    const FateKind rootKind = m_open.roots.empty() ? FateKind::Replaced : m_open.roots.back().second;
    // Most of what a step removes lives on in all that it made instead: they share one list.
    const Range everyTarget{sizeOf(journal.m_heirs), sizeOf(m_targets)};
    journal.m_heirs.insert(journal.m_heirs.end(), m_targets.begin(), m_targets.end());
    for (ApplyId id : m_removed) {
        Fate fate{id, FateKind::Dead, {}};
        const Mark said = areMarked ? mark(id) : searchWhatWasSaid(id);
        if (said.isRoot) {
            fate.kind = said.kind;
            if (m_lasting.size() == 1 && m_targets.size() == 1) {
                fate.to = everyTarget;
            } else {
                const std::uint32_t first = sizeOf(journal.m_heirs);
                for (VarId out : m_graph.apply(id).outputs)
                    for (const Replacement &r : m_lasting)
                        if (r.before == out) journal.m_heirs.push_back(r.after);
                fate.to = since(journal.m_heirs, first);
                if (fate.to.count == 0) fate.to = everyTarget;
            }
            if (fate.to.count == 0) fate.kind = FateKind::Dead;
        } else if (said.isTouched && !m_targets.empty()) {
            fate.kind = rootKind == FateKind::Merged ? FateKind::Replaced : rootKind;
            fate.to = everyTarget;
        }
        if (fate.kind != FateKind::Dead) journal.m_applies.push_back(id);
        journal.m_fates.push_back(fate);
    }
}

// A root that lives on through another output, or an edit without a replacement: what was looked at.
void Editor::writeOtherMatches(std::uint32_t firstMatched)
{
    auto &applies = m_graph.m_journal.m_applies;
    const auto isMatched = [&](ApplyId id) { return std::find(applies.begin() + firstMatched, applies.end(), id) != applies.end(); };
    for (const auto &[apply, kind] : m_open.roots)
        if (m_graph.apply(apply).step != stepNow() && !isMatched(apply)) applies.push_back(apply);
    if (applies.size() > firstMatched) return;
    for (ApplyId id : m_open.touched)
        if (m_graph.apply(id).step != stepNow()) applies.push_back(id);
}

void Editor::writeStep(std::string_view reason)
{
    auto &journal = m_graph.m_journal;
    settleReplacements();
    const std::uint32_t firstFate = sizeOf(journal.m_fates), firstMatched = sizeOf(journal.m_applies);
    writeFates();
    writeOtherMatches(firstMatched);
    const std::uint32_t firstMade = sizeOf(journal.m_applies);
    for (ApplyId made : m_open.made)
        if (m_graph.apply(made).live) journal.m_applies.push_back(made);
    const std::uint32_t firstReplacement = sizeOf(journal.m_replacements);
    journal.m_replacements.insert(journal.m_replacements.end(), m_lasting.begin(), m_lasting.end());

    Step &step = journal.steps.emplace_back();
    step.region = {firstMatched, firstMade - firstMatched};
    step.produced = since(journal.m_applies, firstMade);
    step.replacements = since(journal.m_replacements, firstReplacement);
    step.fates = since(journal.m_fates, firstFate);
    step.phase = m_open.phase;
    step.pass = m_open.pass;
    step.rewrite = m_open.rewrite;
    step.reason = kept(reason);
    step.firstEdit = static_cast<std::uint32_t>(m_open.firstEdit);
    step.lastEdit = sizeOf(journal.edits);
    step.appliesBefore = m_open.liveBefore;
    step.appliesAfter = m_graph.m_liveApplies;
    step.nanoseconds = m_stepNs;
}

} // namespace engine
