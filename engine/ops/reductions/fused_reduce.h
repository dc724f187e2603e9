// A reduction that computes its elements on the way: Sum{axis=[1], acc_dtype=float64}{sqr}. Only rewrites make it.
#pragma once

#include "engine/graph/op/op_class.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/reductions/reduce.h"

namespace engine {

class FusedReduce final : public Op {
public:
    /// What CAReduce `reduce` makes of the one output of Elemwise `elements`.
    FusedReduce(const OpRef &elements, const OpRef &reduce);

    const Elemwise &elements() const { return static_cast<const Elemwise &>(*m_elements); }
    const CAReduce &reduce() const { return static_cast<const CAReduce &>(*m_reduce); }

    /// The reduction's, so that reports and scripts find it where it was.
    std::string_view className() const override { return m_reduce->className(); }
    std::string_view moduleName() const override { return m_reduce->moduleName(); }
    OP_RULES(outputTypes, inferShape, cost, workSteps, perform, prepare, exactName, shortName, identity, onDevices, readsInputOnHost,
             deviceName, deviceClass);
    const InnerGraph *inner() const override { return m_elements->inner(); }

private:
    OpRef m_elements, m_reduce;
};

} // namespace engine
