#include "engine/python/core/build.h"

#include "engine/ops/dot.h"
#include "engine/ops/graph_op.h"

namespace python {

void addProductBuilders(py::module_ &module)
{
    build(module, "dot", engine::dot);
    build(module, "tensordot", engine::tensordot);
    build(module, "outer", engine::outer);
    build(module, "batched_dot", engine::batchedDot);
    module.def("op_from_graph", engine::opFromGraph);
}

} // namespace python
