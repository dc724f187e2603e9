// Builders of expressions: those of the notation are Python's, too; what takes other arguments than the notation has is bound by hand.
#pragma once

#include "engine/python/core/convert.h"
#include "engine/python/core/core.h"
#include "engine/python/core/type.h"
#include "engine/python/core/watch.h"

namespace python {

void addElementwiseBuilders(py::module_ &module);
void addShapeBuilders(py::module_ &module);
void addProductBuilders(py::module_ &module);
void addRandomBuilders(py::module_ &module);
/// What the notation has, too.
void addNotation(py::module_ &module);
void addPickling(py::module_ &module);
void addIndexBuilders(py::module_ &module);
void addGradient(py::module_ &module);
void addPrinting(py::module_ &module);
void addFunctions(py::module_ &module);
void addKernels(py::module_ &module);
void addOnnx(py::module_ &module);

using Operands = std::vector<Operand>;
inline std::vector<engine::VarRef> variables(const Operands &operands)
{
    std::vector<engine::VarRef> result;
    for (const Operand &operand : operands) result.push_back(operand.variable);
    return result;
}

} // namespace python
