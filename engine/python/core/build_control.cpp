// Choices.
#include "engine/python/core/build.h"

#include "engine/ops/loops/control.h"

namespace python {

void addControlBuilders(py::module_ &module)
{
    module.def("if_else_op", [](int count, const std::string &name) { return engine::makeOp<engine::IfElse>(count, name); });
}

} // namespace python
