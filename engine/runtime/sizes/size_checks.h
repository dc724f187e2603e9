// Sizes that had to agree in applies that rewrites took away: what does not fit is an error, also where no result needs it.
#pragma once

#include "engine/runtime/plan/plan.h"
#include "engine/tensor/errors.h"

namespace engine {

class SizeChecks {
public:
    /// Of all original applies of the graph that are gone, as far as their sizes follow from those of its inputs.
    /// `dropped`: by original apply, what need not fit; empty: all has to.
    explicit SizeChecks(const FunctionGraph &graph, const std::vector<bool> &dropped = {});

    bool isEmpty() const { return m_checks.empty(); }
    /// Do values of inputs matter, too? Otherwise calls with arrays of the same sizes need one check.
    bool readsValues() const { return m_readsValues; }
    /// Do those of the first inputs?
    bool readsValuesOfFirst(std::size_t inputs) const;
    /// Throws ShapeMismatch; `failure` then names the apply. `inputs`: by input of the graph, what is no array is not looked at.
    void run(std::span<const View> inputs, ApplyFailure &failure);

private:
    struct Check {
        ApplyId apply;
        SizeRule rule;
    };
    std::vector<std::optional<Tensor>> operandsOf(ApplyId apply) const;

    const FunctionGraph &m_graph;
    ShapeProgram m_program;
    std::vector<std::uint32_t> m_arrays; ///< places of the program's inputs among those of the graph
    std::vector<Check> m_checks;
    bool m_readsValues = false;
    std::vector<View> m_views;
};

} // namespace engine
