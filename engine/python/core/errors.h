// The engine's errors as Python exceptions.
#pragma once

#include "engine/python/core/core.h"

#include <exception>

namespace python {

void addErrors(py::module_ &module);
/// For code that is called by Python without pybind11: sets the Python error.
void raiseTranslated(std::exception_ptr error);

} // namespace python
