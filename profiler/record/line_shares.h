// How the time of an apply is divided over the user's lines that it stems from.
#pragma once

#include "engine/graph/lineage.h"
#include "engine/runtime/original_sizes.h"
#include "profiler/record/text_numbers.h"
#include "profiler/record/work_rates.h"

#include <span>
#include <vector>

namespace profiler {

/// Lines of the applies of a graph, as it was rewritten.
class Lines {
public:
    Lines(const engine::FunctionGraph &graph, const engine::Lineage &lineage, TextNumbers &texts);
    /// Those that it stems from, each once; they stand until the next question.
    std::span<const SourceRef> of(engine::ApplyId apply);
    /// Where each origin of the apply that was asked for last has its line; -1: it has none.
    std::span<const int> places() const { return m_places; }

private:
    const SourceRef &lineOf(engine::ApplyId original);

    const engine::FunctionGraph &m_graph;
    const engine::Lineage &m_lineage;
    TextNumbers &m_texts;
    std::vector<SourceRef> m_known; // by original apply
    std::vector<bool> m_isKnown;
    std::vector<SourceRef> m_lines;
    std::vector<int> m_places;
};

/// Of an apply that stems from several lines, each has what its part of the work costs on this machine: every step of
/// a fused body is one of the applies as they were written, at the rate of its function, and moves the arrays that it is the first to
/// read or that it writes. What one step does for several of them is divided as they would cost one by one.
class LineShares {
public:
    /// `sizes`: arrays of the final graph whose sizes are known; others are taken for something middling.
    LineShares(const engine::FunctionGraph &graph, const engine::Lineage &lineage, TextNumbers &texts, engine::SizesByVariable sizes);

    /// Of all applies of one graph.
    std::vector<LineShare> of(GraphId graph, std::span<const engine::ApplyId> applies);

private:
    using Weights = std::vector<double>; // by origin, in the order of the lineage

    struct Arrays {
        std::vector<SizedArray> inputs, outputs;
        std::vector<engine::Type> inputTypes, outputTypes;
        double elements = 0; ///< of the largest one
        double bytes = 0;
    };

    Arrays arraysOf(engine::ApplyId apply) const;
    SizedArray sized(engine::VarId var) const;
    Weights weightsOf(engine::ApplyId apply, std::span<const engine::ApplyId> origins);
    /// As it was written, alone.
    double ownNs(engine::ApplyId original);
    double computeOwnNs(engine::ApplyId original);
    double elementNs(const engine::WorkStep &step);

    const engine::FunctionGraph &m_graph;
    const engine::Lineage &m_lineage;
    Lines m_lines;
    engine::SizesByVariable m_sizes;
    bool m_originalsAreSized = false;
    std::vector<double> m_own; // by original apply; -1: not asked for yet
    struct Rate {
        engine::WorkStep step;
        double ns = 0;
        int asked = 0;
    };
    std::vector<Rate> m_rates;
};

} // namespace profiler
