// OpFromGraph: a user's sub-graph as one op. Its inner graph is compiled as a nested function graph.
#pragma once

#include "engine/graph/op/op_class.h"

#include <functional>

namespace engine {

/// Runs a graph by itself.
using GraphEvaluator = std::function<void(std::span<const Value> inputs, std::span<Value> outputs)>;
/// compile/ gives it before main() begins.
bool setEvaluatorMaker(GraphEvaluator (*make)(const InnerGraph &graph, const std::string &name));

class OpFromGraph final : public Op {
public:
    /// Every free input of `outputs` must be among `inputs`; shared variables are not allowed (pass them as inputs).
    OpFromGraph(std::vector<VarRef> inputs, std::vector<VarRef> outputs, std::string name, bool isInline = false);
    bool isInline() const { return m_inline; }
    OP_NAME("OpFromGraph", "theano.compile.builders");
    OP_RULES(outputTypes, inferShape, gradient, rop, connectionPattern, exactName, shortName);
    bool worksOnValues() const override { return true; }
    bool takesDeviceArrays() const override { return true; }
    void performValues(std::span<const Value> inputs, std::span<Value> outputs) const override;
    const InnerGraph *inner() const override { return &m_inner; }

private:
    InnerGraph m_inner;
    std::string m_title;
    bool m_inline;
    mutable std::shared_ptr<const GraphEvaluator> m_evaluator; // made when it is first asked for
};

OpRef opFromGraph(std::vector<VarRef> inputs, std::vector<VarRef> outputs, std::string name = {}, bool isInline = false);

} // namespace engine
