// Builders of expressions, one file per family of ops.
#pragma once

#include "engine/python/core/convert.h"
#include "engine/python/core/core.h"

namespace python {

void addElementwiseBuilders(py::module_ &module);
void addShapeBuilders(py::module_ &module);
void addProductBuilders(py::module_ &module);
void addSearchBuilders(py::module_ &module);
void addCreationBuilders(py::module_ &module);
void addAxisBuilders(py::module_ &module);
void addSoftmaxBuilders(py::module_ &module);
void addPickling(py::module_ &module);
void addIndexBuilders(py::module_ &module);
void addGradient(py::module_ &module);
void addPrinting(py::module_ &module);
void addFunctions(py::module_ &module);
void addKernels(py::module_ &module);

using Operands = std::vector<Operand>;
inline std::vector<engine::VarRef> variables(const Operands &operands)
{
    std::vector<engine::VarRef> result;
    for (const Operand &operand : operands) result.push_back(operand.variable);
    return result;
}

} // namespace python
