// Softmax and what is compared with it.
#include "engine/python/core/build.h"

#include "engine/ops/reductions/softmax.h"

namespace python {

void addSoftmaxBuilders(py::module_ &module)
{
    build(module, "softmax", engine::softmax);
    build(module, "log_softmax", engine::logSoftmax);
    build(module, "categorical_crossentropy", engine::categoricalCrossentropy);
    build(module, "crossentropy_softmax_argmax", engine::crossentropySoftmaxArgmax);
}

} // namespace python
