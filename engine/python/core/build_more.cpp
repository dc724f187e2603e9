// Joining, ranges, order, running sums, softmax: the wider families.
#include "engine/python/core/build.h"

#include "engine/ops/argmax.h"
#include "engine/ops/compose.h"
#include "engine/ops/creation.h"
#include "engine/ops/cumulative.h"
#include "engine/ops/dot.h"
#include "engine/ops/index_advanced.h"
#include "engine/ops/join.h"
#include "engine/ops/repeat.h"
#include "engine/ops/softmax.h"
#include "engine/ops/sort.h"
#include "engine/python/core/trace.h"
#include "engine/python/core/type.h"
#include "engine/tensor/errors.h"

namespace python {

using Axes = std::optional<std::vector<int>>;
using Axis = std::optional<int>;
using Trace = py::call_guard<TraceScope>;

namespace {

void addSearches(py::module_ &module)
{
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

void addCreation(py::module_ &module)
{
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

void addJoining(py::module_ &module)
{
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
    module.def(
        "batched_dot", [](const Operand &a, const Operand &b) { return engine::batchedDot(a.variable, b.variable); }, Trace());
    module.def("scalar_constant_value", [](const engine::VarRef &variable) { return engine::scalarConstantValue(variable); });
}

void addSoftmax(py::module_ &module)
{
    module.def(
        "softmax", [](const Operand &x) { return engine::softmax(x.variable); }, Trace());
    module.def(
        "log_softmax", [](const Operand &x) { return engine::logSoftmax(x.variable); }, Trace());
    module.def(
        "categorical_crossentropy",
        [](const Operand &p, const Operand &t) { return engine::categoricalCrossentropy(p.variable, t.variable); }, Trace());
    module.def(
        "crossentropy_softmax_argmax",
        [](const Operand &x, const Operand &b, const Operand &y) {
            return engine::crossentropySoftmaxArgmax(x.variable, b.variable, y.variable);
        },
        Trace());
}

} // namespace

void addMoreBuilders(py::module_ &module)
{
    addSearches(module);
    addCreation(module);
    addJoining(module);
    addSoftmax(module);
}

} // namespace python
