#include "engine/python/core/foreign.h"

namespace python {

void releaseAnywhere(PyObject *object)
{
    if (!object || !Py_IsInitialized()) return;
    if (PyGILState_Check()) {
        Py_DECREF(object);
        return;
    }
    Gil lock;
    Py_DECREF(object);
}

std::string PyForeign::text() const
{
    Gil lock;
    PyObject *text = PyObject_Str(m_object);
    const char *bytes = text ? PyUnicode_AsUTF8(text) : nullptr;
    std::string result = bytes ? bytes : Py_TYPE(m_object)->tp_name;
    Py_XDECREF(text);
    PyErr_Clear(); // an object that cannot be printed goes by its type
    return result;
}

bool PyForeign::equals(const engine::ForeignObject &other) const
{
    const auto *foreign = dynamic_cast<const PyForeign *>(&other);
    if (!foreign) return false;
    if (foreign->m_object == m_object) return true;
    Gil lock;
    if (Py_TYPE(m_object) != Py_TYPE(foreign->m_object)) return false;
    const int equal = PyObject_RichCompareBool(m_object, foreign->m_object, Py_EQ);
    if (equal < 0) PyErr_Clear(); // arrays have no single truth value: not known to be equal
    return equal == 1;
}

PyObject *foreignObject(const engine::ForeignRef &ref)
{
    const auto *foreign = dynamic_cast<const PyForeign *>(ref.get());
    return foreign ? foreign->object() : nullptr;
}

} // namespace python
