// What people write as operands – variables, numbers, arrays – as variables.
#pragma once

#include "engine/python/core/core.h"

namespace python {

void addConversions(py::module_ &module);

/// Variables as they are; numbers and arrays become constants (casting policy of theano-facts 1.4). What C++ does not
/// know (lists, objects with their own conversion) goes to the Python side's as_tensor_variable. TypeError otherwise.
engine::VarRef toVariable(PyObject *object);

/// A call argument that converts itself: `Operand` in a signature accepts everything that toVariable() does.
struct Operand {
    engine::VarRef variable;
};

} // namespace python

namespace pybind11::detail {

template <>
struct type_caster<python::Operand> {
    PYBIND11_TYPE_CASTER(python::Operand, const_name("TensorLike"));
    bool load(handle source, bool)
    {
        value.variable = python::toVariable(source.ptr());
        return true;
    }
};

} // namespace pybind11::detail
