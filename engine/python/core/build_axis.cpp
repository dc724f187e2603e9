// Along one axis: joined, split, repeated, added up.
#include "engine/python/core/build.h"

#include "engine/ops/cumulative.h"
#include "engine/ops/join.h"
#include "engine/ops/repeat.h"
#include "engine/python/core/trace.h"

namespace python {

void addAxisBuilders(py::module_ &module)
{
    using Trace = py::call_guard<TraceScope>;
    using Axis = std::optional<int>;
    module.def(
        "join", [](int axis, const Operands &arrays) { return engine::join(axis, variables(arrays)); }, Trace());
    module.def(
        "split",
        [](const Operand &x, const Operand &sizes, int count, int axis) { return engine::split(x.variable, sizes.variable, count, axis); },
        Trace());
    module.def(
        "repeat", [](const Operand &a, const Operand &repeats, Axis axis) { return engine::repeat(a.variable, repeats.variable, axis); },
        Trace());
    module.def(
        "cumsum", [](const Operand &a, Axis axis) { return engine::cumsum(a.variable, axis); }, Trace());
    module.def(
        "cumprod", [](const Operand &a, Axis axis) { return engine::cumprod(a.variable, axis); }, Trace());
}

} // namespace python
