#pragma once

#include "engine/python/core/core.h"

namespace python {

/// A Python type made from its slots; the flags are those beside the default ones.
inline PyTypeObject *heapType(const char *name, std::size_t size, unsigned long flags, PyType_Slot *slots)
{
    PyType_Spec spec{name, static_cast<int>(size), 0, static_cast<unsigned>(Py_TPFLAGS_DEFAULT | flags), slots};
    auto *type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    if (!type) throw pybind11::error_already_set();
    return type;
}

} // namespace python
