// Softmax and what is compared with it.
#include "engine/python/core/build.h"

#include "engine/ops/softmax.h"
#include "engine/python/core/trace.h"

namespace python {

void addSoftmaxBuilders(py::module_ &module)
{
    using Trace = py::call_guard<TraceScope>;
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

} // namespace python
