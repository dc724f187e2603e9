// Rewrites that are written in Python, run by the engine's driver.
#pragma once

#include "engine/compile/request/mode.h"
#include "engine/python/core/core.h"

namespace python {

void addRewrites(py::module_ &module);

/// A Settings of croton/compile/requests.py (compile.cpp).
engine::Mode modeOf(py::handle settings);

} // namespace python
