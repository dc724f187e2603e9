// Arrays of devices for other libraries, and theirs for us, without a copy: DLPack and __cuda_array_interface__.
#pragma once

#include "engine/python/core/core.h"

namespace python {

void addDlpack(py::module_ &module);

} // namespace python
