// A reduction that computes its elements on the way: Sum{axis=[1], acc_dtype=float64}{sqr}. Only rewrites make it.
#pragma once

#include "engine/ops/elementwise.h"
#include "engine/ops/reduce.h"

namespace engine {

class FusedReduce final : public Op {
public:
    /// What CAReduce `reduce` makes of the one output of Elemwise `elements`.
    FusedReduce(OpRef elements, OpRef reduce);

    const Elemwise &elements() const { return static_cast<const Elemwise &>(*m_elements); }
    const CAReduce &reduce() const { return static_cast<const CAReduce &>(*m_reduce); }

    /// The reduction's, so that reports and scripts find it where it was.
    std::string_view className() const override { return m_reduce->className(); }
    std::string_view moduleName() const override { return m_reduce->moduleName(); }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    std::vector<WorkStep> workSteps(std::span<const Type> inputs, std::span<const Type> outputs) const override;
    void perform(PerformArgs &args) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;
    const InnerGraph *inner() const override { return m_elements->inner(); }

protected:
    std::string exactName() const override;
    std::string shortName() const override;
    std::string identity() const override;

private:
    OpRef m_elements, m_reduce;
};

} // namespace engine
