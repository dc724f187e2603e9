// Variables and applies as Python objects: one object a node while anybody holds it, and its attributes come back
// with it when it is asked for again.
#pragma once

#include "engine/python/core/core.h"

namespace python {

/// The layout of a Python object that stands for T (Variable, Apply).
template <class T>
struct NodeObject {
    PyObject_HEAD T *node; ///< a counted reference
    PyObject *dict;
    PyObject *weak;
};

/// Adds VariableBase and ApplyBase to the module, and the functions that know them.
void addNodes(py::module_ &module);

/// Lets an existing Python variable stand for another node: the variable that a user op made becomes the output of
/// its apply.
void rebind(PyObject *face, const engine::VarRef &variable);

} // namespace python
