// Arrays that are made of a rule: ranges, identities, diagonals.
#include "engine/python/core/build.h"

#include "engine/ops/compose.h"
#include "engine/ops/creation.h"
#include "engine/python/core/trace.h"
#include "engine/python/core/type.h"
#include "engine/tensor/errors.h"

namespace python {

void addCreationBuilders(py::module_ &module)
{
    using Trace = py::call_guard<TraceScope>;
    module.def(
        "arange",
        [](const Operand &start, const Operand &stop, const Operand &step, const std::string &dtype) {
            return engine::arange(start.variable, stop.variable, step.variable, dtypeFromText(dtype));
        },
        Trace());
    module.def(
        "eye",
        [](const Operand &n, const Operand &m, const Operand &k, const std::string &dtype) {
            return engine::eye(n.variable, m.variable, k.variable, dtypeFromText(dtype));
        },
        Trace());
    module.def(
        "tri",
        [](const Operand &n, const Operand &m, const Operand &k, const std::string &dtype) {
            return engine::tri(n.variable, m.variable, k.variable, dtypeFromText(dtype));
        },
        Trace());
    module.def(
        "diag", [](const Operand &a, int offset) { return engine::diag(a.variable, offset); }, Trace());
    module.def(
        "diagonal", [](const Operand &a, int offset, int axis1, int axis2) { return engine::diagonal(a.variable, offset, axis1, axis2); },
        Trace());
    module.def(
        "trace", [](const Operand &a) { return engine::trace(a.variable); }, Trace());
}

} // namespace python
