// How the time of an apply is divided over the user's lines that it stems from, each as it was reached.
#pragma once

#include "engine/graph/ir/lineage.h"
#include "engine/runtime/sizes/original_sizes.h"
#include "profiler/record/text_numbers.h"
#include "profiler/record/work_rates.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace profiler {

/// Lines of the applies of a graph, as it was rewritten.
class Lines {
public:
    using Chain = TextNumbers::OfTrace;

    Lines(const engine::FunctionGraph &graph, const engine::Lineage &lineage, TextNumbers &texts);
    /// Those that it stems from with the calls that led there, each once; they stand until the next question.
    std::span<const Chain> of(engine::ApplyId apply);
    /// Where each origin of the apply that was asked for last has its chain; -1: it has none.
    std::span<const int> places() const { return m_places; }

private:
    const Chain &chainOf(engine::ApplyId original);

    const engine::FunctionGraph &m_graph;
    const engine::Lineage &m_lineage;
    TextNumbers &m_texts;
    std::vector<Chain> m_known; // by original apply
    std::vector<bool> m_isKnown;
    std::vector<Chain> m_chains;
    std::vector<int> m_places;
    std::unordered_map<ChainId, int> m_placeOf; // of m_chains
};

/// What is to be written of applies that stem from several lines or chains.
struct DividedApplies {
    std::vector<LineShare> lines;
    std::vector<ChainShare> chains;
    /// One share for each chain.
    void add(GraphId graph, engine::ApplyId apply, std::span<const Lines::Chain> chainsOfIt, std::span<const double> shares);
};

/// Of an apply that stems from several lines, each has what its part of the work costs on this machine: every step of
/// a fused body is one of the applies as they were written, at the rate of its function, and moves the arrays that it is the first to
/// read or that it writes. What one step does for several of them is divided as they would cost one by one.
class LineShares {
public:
    /// `sizes`: arrays of the final graph whose sizes are known; others are taken for something middling.
    LineShares(const engine::FunctionGraph &graph, const engine::Lineage &lineage, TextNumbers &texts, engine::SizesByVariable sizes);

    /// Of all applies of one graph.
    DividedApplies of(GraphId graph, std::span<const engine::ApplyId> applies);

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
