// NumPy arrays and tensors: the same memory seen from both sides.
#pragma once

#include "engine/python/core/core.h"
#include "engine/tensor/value.h"

#include <optional>

namespace python {

/// Loads NumPy's table of functions; once, when the module is loaded.
void importNumpy();

bool isArray(PyObject *object);
bool isWritable(PyObject *array);
/// Writes the elements of an array into another of the same shape and dtype, unless they share them.
void copyInto(PyObject *target, PyObject *source);
/// NumPy's number for a dtype and back; nullopt: no dtype of ours (strings, objects …).
int numpyNumber(engine::DType dtype);
std::optional<engine::DType> fromNumpyNumber(int number);

/// The window that an array is, if it is aligned, in native byte order and of one of our dtypes.
struct ArrayWindow {
    engine::DType dtype;
    int rank;
    const std::int64_t *shape;
    const std::int64_t *strides;
    void *data;
};
std::optional<ArrayWindow> windowOf(PyObject *array);

/// A tensor on the array's memory, which it keeps alive; a copy where the memory cannot be used as it is.
engine::Tensor tensorOf(PyObject *array);
/// An array on the tensor's memory, which it keeps alive.
py::object arrayOf(const engine::Tensor &tensor, bool writable = true);

/// Checked by the Python side already: an array of the type's dtype, or any object for other types.
engine::Value toValue(engine::Type type, PyObject *object);
/// `share`: an array on the value's memory, else a copy.
py::object toPython(const engine::Value &value, bool share);

} // namespace python
