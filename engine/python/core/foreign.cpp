#include "engine/python/core/foreign.h"

#include "engine/compile/debug/debug_walk.h"

#include <unordered_map>

namespace python {

namespace {

/// What a class of values with a state of their own has in place of == and of being shared.
struct ValueClass {
    PyObject *equal, *copy;
};

std::unordered_map<PyTypeObject *, ValueClass> &valueClasses()
{
    static auto *map = new std::unordered_map<PyTypeObject *, ValueClass>;
    return *map;
}

const ValueClass *classOf(PyObject *object)
{
    const auto found = valueClasses().find(Py_TYPE(object));
    return found == valueClasses().end() ? nullptr : &found->second;
}

engine::ForeignRef copyOfObject(const engine::ForeignRef &ref)
{
    Gil lock;
    PyObject *object = foreignObject(ref);
    const ValueClass *own = object ? classOf(object) : nullptr;
    return own ? engine::ForeignRef(new PyForeign(py::handle(own->copy)(py::handle(object)).ptr())) : ref;
}

} // namespace

void addValueClasses(py::module_ &module)
{
    module.def("register_value_class", [](py::type cls, py::object equal, py::object copy) {
        valueClasses()[reinterpret_cast<PyTypeObject *>(cls.release().ptr())] = {equal.release().ptr(), copy.release().ptr()};
    });
    engine::setObjectCopier(copyOfObject);
}

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
    if (const ValueClass *own = classOf(m_object))
        return py::cast<bool>(py::handle(own->equal)(py::handle(m_object), py::handle(foreign->m_object)));
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
