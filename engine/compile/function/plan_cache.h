// The plans of a function: for each stage those of the sizes that its last calls had.
#pragma once

#include "engine/compile/function/compiled_graph.h"
#include "engine/compile/function/function_errors.h"
#include "engine/runtime/plan/plan.h"

#include <memory>
#include <span>
#include <vector>

namespace engine {

/// A stage and the plans that were made for it.
struct PlannedStage {
    Stage stage;
    std::vector<std::unique_ptr<Plan>> plans; // most recent first
    std::uint32_t plansMade = 0;

    /// The plan of the last call, null before the first.
    Plan *last() const { return plans.empty() ? nullptr : plans.front().get(); }
};

class PlanCache {
public:
    PlanCache(CompiledGraph &compiled, FunctionErrors &errors) : m_compiled(compiled), m_errors(errors) {}

    Indexed<StageId, PlannedStage> stages;

    PlannedStage &whole() { return stages.front(); }
    /// The plan for these inputs of the stage, made where none fits; an error names the apply that does not fit.
    Plan &planFor(PlannedStage &planned, std::span<const View> views);
    /// `step`, which lays out memory for the stage: an error names the apply.
    template <class Step>
    decltype(auto) blamed(const PlannedStage &planned, std::span<const View> views, Step step)
    {
        return m_errors.blamed(
            planned.stage, views, [&] { return planned.last(); }, step);
    }
    /// True: a kernel has taken over from the interpreter.
    bool takeKernels(Plan &plan);
    /// Plans like that one, of the only stage: for other threads in a loop over independent steps.
    std::span<const std::unique_ptr<Plan>> twinsOf(const Plan &plan, std::span<const View> views, std::size_t count);
    void clear();
    /// What a call keeps for the next one.
    std::size_t arenaBytes() const;

private:
    void checkPattern(const Stage &stage, std::span<const View> views) const;
    Plan &makePlan(PlannedStage &planned, std::span<const View> views);

    CompiledGraph &m_compiled;
    FunctionErrors &m_errors;
    std::uint32_t m_twinsOf = 0; // its serial
    std::vector<std::unique_ptr<Plan>> m_twins;
};

} // namespace engine
