// Python objects inside the engine: values that are no tensors, and what lives with a node.
#pragma once

#include "engine/python/core/core.h"
#include "engine/tensor/value.h"

namespace python {

class PyForeign final : public engine::ForeignObject {
public:
    /// Takes a new reference.
    explicit PyForeign(PyObject *object) : m_object(Py_NewRef(object)) {}
    ~PyForeign() override { releaseAnywhere(m_object); }
    PyObject *object() const { return m_object; }
    std::string text() const override;
    bool equals(const engine::ForeignObject &other) const override;

private:
    PyObject *m_object;
};

void addValueClasses(py::module_ &module);

inline engine::Value foreignValue(PyObject *object) { return engine::Value(engine::ForeignRef(new PyForeign(object))); }
/// Borrowed; null if the value holds no Python object.
PyObject *foreignObject(const engine::ForeignRef &ref);

} // namespace python
