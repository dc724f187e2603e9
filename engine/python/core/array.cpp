#include "engine/python/core/array.h"

#include "engine/graph/op/op.h"
#include "engine/python/core/device.h"
#include "engine/python/core/foreign.h"
#include "engine/python/core/heap_type.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/foreign_storage.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL croton_numpy
#include <numpy/arrayobject.h>

#include <algorithm>
#include <array>
#include <mutex>

namespace python {

using engine::Dims;
using engine::DType;
using engine::Tensor;
using engine::Value;

namespace {

static_assert(sizeof(npy_intp) == sizeof(std::int64_t));

/// Memory of a NumPy array; any thread may drop the last reference.
class ArrayStorage final : public engine::ForeignStorage {
public:
    explicit ArrayStorage(PyObject *array)
        : ForeignStorage(PyArray_DATA(reinterpret_cast<PyArrayObject *>(array)),
                         static_cast<std::size_t>(PyArray_NBYTES(reinterpret_cast<PyArrayObject *>(array)))),
          m_array(Py_NewRef(array))
    {}
    PyObject *array() const { return m_array; }
    bool isWritable() const override { return PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject *>(m_array)); }

private:
    void dispose() override
    {
        releaseAnywhere(m_array);
        delete this;
    }
    PyObject *m_array;
};

/// What an array over pool memory has as its base.
struct StorageObject {
    PyObject_HEAD const engine::Storage *storage;
};
PyTypeObject *s_storageType = nullptr;

void deallocStorage(PyObject *object)
{
    reinterpret_cast<StorageObject *>(object)->storage->release();
    PyTypeObject *type = Py_TYPE(object);
    PyObject_Free(object);
    Py_DECREF(type);
}

constexpr std::array<int, engine::kDTypeCount> kNumbers{NPY_BOOL,   NPY_INT8,   NPY_INT16, NPY_INT32, NPY_INT64,  NPY_UINT8,  NPY_UINT16,
                                                        NPY_UINT32, NPY_UINT64, NPY_HALF,  NPY_FLOAT, NPY_DOUBLE, NPY_CFLOAT, NPY_CDOUBLE};

PyArrayObject *as(PyObject *object) { return reinterpret_cast<PyArrayObject *>(object); }

/// The caller's own array, if the tensor is all of it; null if not.
PyObject *borrowedArray(const Tensor &tensor)
{
    const engine::Storage *storage = tensor.storage().get();
    if (!storage || storage->memory() == engine::Memory::Ours) return nullptr;
    const auto *borrowed = dynamic_cast<const ArrayStorage *>(storage);
    if (!borrowed || !PyArray_CheckExact(borrowed->array())) return nullptr;
    const auto window = windowOf(borrowed->array());
    const auto rank = static_cast<std::size_t>(tensor.rank());
    const bool isAll = window && window->data == tensor.data() && window->dtype == tensor.dtype() && window->rank == tensor.rank() &&
                       std::equal(window->shape, window->shape + rank, tensor.shape().data()) &&
                       std::equal(window->strides, window->strides + rank, tensor.strides().data());
    return isAll ? borrowed->array() : nullptr;
}

} // namespace

void importNumpy()
{
    if (_import_array() < 0) throw py::error_already_set();
    PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(deallocStorage)}, {0, nullptr}};
    s_storageType = heapType("croton._core.Storage", sizeof(StorageObject), Py_TPFLAGS_DISALLOW_INSTANTIATION, slots);
}

bool isArray(PyObject *object) { return PyArray_Check(object); }
bool isWritable(PyObject *array) { return PyArray_ISWRITEABLE(as(array)); }

void copyInto(PyObject *target, PyObject *source)
{
    const bool isSame =
        PyArray_DATA(as(target)) == PyArray_DATA(as(source)) &&
        std::equal(PyArray_STRIDES(as(target)), PyArray_STRIDES(as(target)) + PyArray_NDIM(as(target)), PyArray_STRIDES(as(source)));
    if (!isSame && PyArray_CopyInto(as(target), as(source)) < 0) throw py::error_already_set();
}

int numpyNumber(DType dtype) { return kNumbers[static_cast<std::size_t>(dtype)]; }

std::optional<DType> fromNumpyNumber(int number)
{
    switch (number) {
    case NPY_BOOL: return DType::Bool;
    case NPY_HALF: return DType::Float16;
    case NPY_FLOAT: return DType::Float32;
    case NPY_DOUBLE: return DType::Float64;
    case NPY_CFLOAT: return DType::Complex64;
    case NPY_CDOUBLE: return DType::Complex128;
    case NPY_BYTE: return DType::Int8;
    case NPY_UBYTE: return DType::UInt8;
    case NPY_SHORT: return DType::Int16;
    case NPY_USHORT: return DType::UInt16;
    case NPY_INT: return DType::Int32;
    case NPY_UINT: return DType::UInt32;
    case NPY_LONG: return sizeof(long) == 8 ? DType::Int64 : DType::Int32;
    case NPY_ULONG: return sizeof(long) == 8 ? DType::UInt64 : DType::UInt32;
    case NPY_LONGLONG: return DType::Int64;
    case NPY_ULONGLONG: return DType::UInt64;
    case NPY_LONGDOUBLE:
    case NPY_CLONGDOUBLE:
    default: return std::nullopt;
    }
}

std::optional<ArrayWindow> windowOf(PyObject *object)
{
    PyArrayObject *array = as(object);
    const auto dtype = fromNumpyNumber(PyArray_TYPE(array));
    if (!dtype || !PyArray_ISALIGNED(array) || !PyArray_ISNOTSWAPPED(array)) return std::nullopt;
    static_assert(std::is_same_v<npy_intp, std::int64_t> || sizeof(npy_intp) == 8);
    return ArrayWindow{*dtype, PyArray_NDIM(array), reinterpret_cast<const std::int64_t *>(PyArray_DIMS(array)),
                       reinterpret_cast<const std::int64_t *>(PyArray_STRIDES(array)), PyArray_DATA(array)};
}

Tensor tensorOf(PyObject *object)
{
    auto window = windowOf(object);
    py::object copy;
    if (!window) {
        const auto dtype = fromNumpyNumber(PyArray_TYPE(as(object)));
        if (!dtype)
            throw py::type_error("arrays of dtype " + py::cast<std::string>(py::str(py::handle(object).attr("dtype"))) +
                                 " cannot be used in expressions");
        copy = py::reinterpret_steal<py::object>(
            PyArray_FROM_OTF(object, numpyNumber(*dtype), NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED));
        if (!copy) throw py::error_already_set();
        object = copy.ptr();
        window = windowOf(object);
        ENGINE_ASSERT(window.has_value(), "an aligned copy has a window");
    }
    const auto rank = static_cast<std::size_t>(window->rank);
    return Tensor(window->dtype, Dims(std::span(window->shape, rank)), Dims(std::span(window->strides, rank)), window->data,
                  engine::StorageRef(new ArrayStorage(object)));
}

py::object arrayOf(const Tensor &tensor, bool writable)
{
    const engine::Storage *storage = tensor.storage().get();
    writable = writable && !(storage && memoryNow(*storage) == engine::Memory::ReadOnly);
    PyArray_Descr *descr = PyArray_DescrFromType(numpyNumber(tensor.dtype()));
    PyObject *array = PyArray_NewFromDescr(&PyArray_Type, descr, tensor.rank(), reinterpret_cast<const npy_intp *>(tensor.shape().data()),
                                           reinterpret_cast<const npy_intp *>(tensor.strides().data()), tensor.data(),
                                           writable ? NPY_ARRAY_WRITEABLE : 0, nullptr);
    if (!array) throw py::error_already_set();
    if (storage) {
        auto *base = PyObject_New(StorageObject, s_storageType);
        if (!base) throw py::error_already_set();
        storage->retain();
        base->storage = storage;
        PyArray_SetBaseObject(as(array), reinterpret_cast<PyObject *>(base));
    }
    return py::reinterpret_steal<py::object>(array);
}

Value toValue(engine::Type type, PyObject *object)
{
    if (!type.isTensor()) return foreignValue(object);
    if (const auto there = deviceTensorOf(object)) {
        if (there->device() == type.device() && there->dtype() == type.dtype() && there->rank() == type.rank()) return *there;
        throw py::type_error("expected a value of type " + type.text() + ", got an array of dtype " +
                             std::string(engine::nameOf(there->dtype())) + " with shape " + there->shape().text() + " on " +
                             engine::deviceOf(there->device()).info().name);
    }
    if (!isArray(object)) throw py::type_error("expected an array of type " + type.text() + ", got " + Py_TYPE(object)->tp_name);
    Tensor tensor = tensorOf(object);
    if (tensor.dtype() != type.dtype() || tensor.rank() != type.rank())
        throw py::type_error("expected a value of type " + type.text() + ", got an array of dtype " +
                             std::string(engine::nameOf(tensor.dtype())) + " with shape " + tensor.shape().text());
    if (isOnDevice(type)) return sent(tensor, type.device());
    return tensor;
}

py::object toPython(const Value &value, bool share)
{
    if (value.isTensor() && value.tensor().device() != engine::DeviceId::Host)
        return deviceArrayOf(share ? value.tensor() : copiedOnDevice(value.tensor()));
    if (share && value.isTensor())
        if (PyObject *array = borrowedArray(value.tensor())) return py::reinterpret_borrow<py::object>(array);
    if (value.isTensor()) return arrayOf(share ? value.tensor() : value.tensor().copy());
    if (PyObject *object = foreignObject(value.object())) return py::reinterpret_borrow<py::object>(object);
    return py::none();
}

} // namespace python
