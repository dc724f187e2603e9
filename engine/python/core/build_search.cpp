// The largest, the order, the places of values.
#include "engine/python/core/build.h"

#include "engine/ops/argmax.h"
#include "engine/ops/index_advanced.h"
#include "engine/ops/sort.h"
#include "engine/python/core/trace.h"

namespace python {

void addSearchBuilders(py::module_ &module)
{
    using Trace = py::call_guard<TraceScope>;
    using Axes = std::optional<std::vector<int>>;
    using Axis = std::optional<int>;
    module.def(
        "argmax", [](const Operand &a, const Axes &axes, bool keep) { return engine::argmax(a.variable, axes, keep); }, Trace());
    module.def(
        "argmin", [](const Operand &a, const Axes &axes, bool keep) { return engine::argmin(a.variable, axes, keep); }, Trace());
    module.def(
        "max_and_argmax", [](const Operand &a, const Axes &axes, bool keep) { return engine::maxAndArgmax(a.variable, axes, keep); },
        Trace());
    module.def(
        "sort", [](const Operand &a, Axis axis) { return engine::sort(a.variable, axis); }, Trace());
    module.def(
        "argsort", [](const Operand &a, Axis axis) { return engine::argsort(a.variable, axis); }, Trace());
    module.def(
        "searchsorted",
        [](const Operand &sorted, const Operand &values, bool right) {
            return engine::searchsorted(sorted.variable, values.variable, right);
        },
        Trace());
    module.def(
        "unique", [](const Operand &a) { return engine::unique(a.variable); }, Trace());
    module.def(
        "nonzero", [](const Operand &a) { return engine::nonzero(a.variable); }, Trace());
}

} // namespace python
