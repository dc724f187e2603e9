// What every file of the extension module includes: Python, pybind11, the lock, and the casters that let
// bindings speak of VarRef, ApplyRef, OpRef and Type.
#pragma once

#include <Python.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "engine/graph/ir/expression.h"
#include "engine/graph/ir/type.h"
#include "engine/graph/op/op.h"

namespace python {

namespace py = pybind11;

/// Holds the global interpreter lock for a while, from any thread.
class Gil {
public:
    Gil() : m_state(PyGILState_Ensure()) {}
    ~Gil() { PyGILState_Release(m_state); }
    Gil(const Gil &) = delete;
    Gil &operator=(const Gil &) = delete;

private:
    PyGILState_STATE m_state;
};

/// Gives one reference back on a thread that may do so; after the end of the interpreter nothing happens.
void releaseAnywhere(PyObject *object);

// --- nodes (node.cpp) ---------------------------------------------------------------------------------
/// The one Python object of a node, new reference; None for a null ref.
PyObject *wrap(const engine::VarRef &variable);
PyObject *wrap(const engine::ApplyRef &apply);
bool isVariable(PyObject *object);
bool isApply(PyObject *object);
/// Borrowed from the Python object, which keeps it alive.
engine::Variable *variableOf(PyObject *object);
engine::Apply *applyOf(PyObject *object);

// --- types (type.cpp) and ops (op.cpp) ----------------------------------------------------------------
PyObject *wrap(engine::Type type);
bool isType(PyObject *object);
engine::Type typeOf(PyObject *object);
/// Is it of a class that a user wrote? The engine takes such types for plain objects.
bool isOwnType(PyObject *object);
/// Has the variable answer with this type, of a class that a user wrote.
void keepOwnType(PyObject *face, PyObject *type);
PyObject *wrap(const engine::OpRef &op);
bool isOp(PyObject *object);
engine::OpRef opOf(PyObject *object);

} // namespace python

namespace pybind11::detail {

template <class Native, bool (*check)(PyObject *), Native (*unwrap)(PyObject *)>
struct NodeCaster {
    bool load(handle source, bool)
    {
        if (source.is_none()) {
            value = Native{};
            return true;
        }
        if (!check(source.ptr())) return false;
        value = unwrap(source.ptr());
        return true;
    }
    Native value{};
};

inline engine::VarRef castVariable(PyObject *object) { return engine::VarRef(python::variableOf(object)); }
inline engine::ApplyRef castApply(PyObject *object) { return engine::ApplyRef(python::applyOf(object)); }

#define CROTON_PYTHON_CASTER(Native, check, unwrap, label)                                                                                 \
    template <>                                                                                                                            \
    struct type_caster<Native> : NodeCaster<Native, check, unwrap> {                                                                       \
        static constexpr auto name = const_name(label);                                                                                    \
        template <class T>                                                                                                                 \
        using cast_op_type = pybind11::detail::movable_cast_op_type<T>;                                                                    \
        operator Native *() { return &this->value; }                                                                                       \
        operator Native &() { return this->value; }                                                                                        \
        operator Native &&() && { return std::move(this->value); }                                                                         \
        static handle cast(const Native &source, return_value_policy, handle) { return python::wrap(source); }                             \
    }

CROTON_PYTHON_CASTER(engine::VarRef, python::isVariable, castVariable, "Variable");
CROTON_PYTHON_CASTER(engine::ApplyRef, python::isApply, castApply, "Apply");
CROTON_PYTHON_CASTER(engine::OpRef, python::isOp, python::opOf, "Op");
CROTON_PYTHON_CASTER(engine::Type, python::isType, python::typeOf, "Type");

#undef CROTON_PYTHON_CASTER

} // namespace pybind11::detail
