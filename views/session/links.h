#pragma once

#include "views/common/selection_hub.h"
#include "views/session/session_data.h"

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace views {

/// One step that had a part in making an apply.
struct Birth {
    int step = 0;
    std::string phase;
    std::string rewrite;
    std::string reason;
};

/// Answers by lineage what belongs to what in one graph. Works on any step, also for nodes that lived only in between.
class Links {
public:
    explicit Links(std::shared_ptr<const GraphData> graph);

    const GraphData &graph() const { return *m_graph; }

    /// Original applies an apply stems from (itself when it is an original one).
    std::set<std::uint32_t> originalsOf(std::uint32_t apply) const;
    /// Applies of the graph at `step` (the end when negative) that stem from an original apply.
    std::set<std::uint32_t> descendantsOf(std::uint32_t original, int step = -1) const;
    std::set<std::uint32_t> livingAt(const std::set<std::uint32_t> &originals, int step) const;
    /// Source lines of an apply: its own, else those of its originals.
    std::vector<profiler::SourceLink> linesOf(std::uint32_t apply) const;
    /// Lines that called those, the innermost first, each once.
    std::vector<profiler::SourceLine> callersOf(std::uint32_t apply) const;
    /// Of an input, a shared variable or a constant.
    std::vector<profiler::SourceLine> callersOf(profiler::VariableId variable) const;
    /// Applies of a side that were made on a source line, or beneath it.
    std::set<std::uint32_t> appliesOnLine(const std::string &file, int line, Side side) const;
    /// Steps that made the apply, by going back through the lineage, in order.
    std::vector<Birth> birthsOf(std::uint32_t apply) const;
    /// All steps that matched or produced it.
    std::vector<int> stepsTouching(std::uint32_t apply) const;
    /// All steps that matched or produced one of them, or what became of it.
    std::vector<int> stepsFrom(const std::set<std::uint32_t> &originals) const;

    /// Everything that belongs to the selection: the linked rings, lines and steps.
    Linked linkedTo(const Selection &selection) const;
    /// The apply a node stands for: itself, or the owner of a variable.
    std::optional<std::uint32_t> applyOf(const NodeRef &node) const;

private:
    /// Lists of numbers by number, in eight bytes an entry.
    class Lists {
    public:
        void add(std::uint32_t key, std::uint32_t value) { m_entries.emplace_back(key, value); }
        void finish();
        std::span<const std::pair<std::uint32_t, std::uint32_t>> of(std::uint32_t key) const;

    private:
        std::vector<std::pair<std::uint32_t, std::uint32_t>> m_entries; // by key, each list as it was added
    };
    /// The lines of an apply as they were reached: its own, else those of its originals.
    std::set<profiler::ChainId> chainsOf(std::uint32_t apply) const;
    std::vector<profiler::SourceLine> callersOf(const std::set<profiler::ChainId> &chains) const;
    void addLines(std::uint32_t apply, Linked &linked) const;
    std::set<std::uint32_t> closure(const std::set<std::uint32_t> &start, bool backwards) const;

    std::shared_ptr<const GraphData> m_graph;
    Lists m_into;  // lineage rows by `to`
    Lists m_outOf; // by `from`
    Lists m_origins, m_offspring, m_lines;
    Lists m_steps; // that matched or produced an apply
};

} // namespace views
