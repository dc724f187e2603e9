// What is made of other ops.
#include "engine/python/core/build.h"

#include "engine/ops/elements/compose.h"

namespace python {

void addComposeBuilders(py::module_ &module)
{
    build(module, "var", engine::variance);
    build(module, "std", engine::standardDeviation);
    build(module, "ptp", engine::peakToPeak);
    build(module, "norm", engine::norm);
    build(module, "relu", engine::relu);
    build(module, "leaky_relu", engine::leakyRelu);
    build(module, "elu", engine::elu);
    build(module, "selu", engine::selu);
    build(module, "hard_sigmoid", engine::hardSigmoid);
    build(module, "softsign", engine::softsign);
    build(module, "binary_crossentropy", engine::binaryCrossentropy);
    build(module, "sigmoid_binary_crossentropy", engine::sigmoidBinaryCrossentropy);
    build(module, "squeeze", engine::squeeze);
    build(module, "swapaxes", engine::swapAxes);
    build(module, "roll", engine::roll);
    module.def("scalar_constant_value", engine::scalarConstantValue, py::call_guard<PendingGuard>());
}

} // namespace python
