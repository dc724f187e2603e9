// Types and dtypes of the Python face.
#pragma once

#include "engine/python/core/core.h"

#include <string>

namespace python {

void addTypes(py::module_ &module);
/// A dtype by NumPy's name; "floatX" is the configured one. Throws TypeError's exception.
engine::DType dtypeFromText(const std::string &name);

} // namespace python
