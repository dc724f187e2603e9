#include "engine/python/core/build.h"

#include "engine/ops/dot.h"
#include "engine/ops/graph_op.h"
#include "engine/python/core/trace.h"

namespace python {

void addProductBuilders(py::module_ &module)
{
    using Trace = py::call_guard<TraceScope>;
    module.def(
        "dot", [](const Operand &a, const Operand &b) { return engine::dot(a.variable, b.variable); }, Trace());
    module.def(
        "tensordot",
        [](const Operand &a, const Operand &b, const std::vector<int> &axesA, const std::vector<int> &axesB) {
            return engine::tensordot(a.variable, b.variable, axesA, axesB);
        },
        Trace());
    module.def(
        "outer", [](const Operand &a, const Operand &b) { return engine::outer(a.variable, b.variable); }, Trace());
    module.def(
        "batched_dot", [](const Operand &a, const Operand &b) { return engine::batchedDot(a.variable, b.variable); }, Trace());
    module.def("op_from_graph", [](std::vector<engine::VarRef> inputs, std::vector<engine::VarRef> outputs, const std::string &name,
                                   bool isInline) { return engine::opFromGraph(std::move(inputs), std::move(outputs), name, isInline); });
}

} // namespace python
