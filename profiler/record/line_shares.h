// How the time of an apply is divided over the user's lines that it stems from.
#pragma once

#include "engine/graph/lineage.h"
#include "engine/runtime/original_sizes.h"
#include "profiler/record/text_numbers.h"
#include "profiler/record/work_rates.h"

#include <span>
#include <vector>

namespace profiler {

/// An apply of one line has all of its time. Of several lines each has what its part of the work costs on this machine: every step of
/// a fused body is one of the applies as they were written, at the rate of its function, and moves the arrays that it is the first to
/// read or that it writes. What one step does for several of them is divided as they would cost one by one.
class LineShares {
public:
    /// `sizes`: arrays of the final graph whose sizes are known; others are taken for something middling.
    LineShares(const engine::FunctionGraph &graph, const engine::Lineage &lineage, TextNumbers &texts, engine::SizesByVariable sizes);

    std::vector<LineShare> of(GraphId graph, engine::ApplyId apply);

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

    const engine::FunctionGraph &m_graph;
    const engine::Lineage &m_lineage;
    TextNumbers &m_texts;
    engine::SizesByVariable m_sizes;
    bool m_originalsAreSized = false;
};

} // namespace profiler
