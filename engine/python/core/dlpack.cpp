#include "engine/python/core/dlpack.h"

#include "engine/python/core/device.h"
#include "engine/python/core/foreign.h"
#include "engine/tensor/foreign_storage.h"

#include <charconv>
#include <memory>

namespace python {

namespace {

using engine::Dims;
using engine::DType;
using engine::Tensor;

// The structures of DLPack 1, which all libraries lay out alike.
struct DlDevice {
    std::int32_t type, id;
};
struct DlType {
    std::uint8_t code, bits;
    std::uint16_t lanes;
};
struct DlTensor {
    void *data;
    DlDevice device;
    std::int32_t ndim;
    DlType dtype;
    std::int64_t *shape, *strides; ///< strides in elements; null: side by side
    std::uint64_t byteOffset;
};
struct DlManaged {
    DlTensor tensor;
    void *context;
    void (*deleter)(DlManaged *);
};
struct DlVersioned {
    std::uint32_t major, minor;
    void *context;
    void (*deleter)(DlVersioned *);
    std::uint64_t flags;
    DlTensor tensor;
};

constexpr std::int32_t kCuda = 2;
constexpr std::uint64_t kReadOnly = 1;
constexpr const char *kPlainName = "dltensor", *kVersionedName = "dltensor_versioned";

struct Code {
    DType dtype;
    std::uint8_t code, bits;
};
constexpr Code kCodes[] = {
    {DType::Bool, 6, 8},     {DType::Int8, 0, 8},     {DType::Int16, 0, 16},     {DType::Int32, 0, 32},       {DType::Int64, 0, 64},
    {DType::UInt8, 1, 8},    {DType::UInt16, 1, 16},  {DType::UInt32, 1, 32},    {DType::UInt64, 1, 64},      {DType::Float16, 2, 16},
    {DType::Float32, 2, 32}, {DType::Float64, 2, 64}, {DType::Complex64, 5, 64}, {DType::Complex128, 5, 128},
};

DlType codeOf(DType dtype)
{
    for (const Code &one : kCodes)
        if (one.dtype == dtype) return {one.code, one.bits, 1};
    throw py::value_error("DLPack has no word for arrays of " + std::string(engine::nameOf(dtype)));
}

DType dtypeOf(DlType type)
{
    for (const Code &one : kCodes)
        if (one.code == type.code && one.bits == type.bits && type.lanes == 1) return one.dtype;
    throw py::value_error("the array has elements of a kind that there is no dtype for (DLPack's code " + std::to_string(type.code) +
                          " with " + std::to_string(type.bits) + " bits)");
}

/// Of "cuda1" 1.
std::int32_t numberOf(const Tensor &tensor)
{
    const std::string &name = engine::deviceOf(tensor.device()).info().name;
    std::int32_t number = -1;
    if (name.starts_with("cuda")) std::from_chars(name.data() + 4, name.data() + name.size(), number);
    if (number < 0) {
        PyErr_SetString(PyExc_BufferError, ("an array of " + name +
                                            " cannot be handed to others: DLPack takes those of CUDA; "
                                            "numpy.asarray() fetches it")
                                               .c_str());
        throw py::error_already_set();
    }
    return number;
}

/// What a capsule holds, until whoever took it says that it needs it no more.
template <class Managed>
struct Handed {
    Managed managed{};
    Tensor tensor;
    Dims shape, strides;
};

template <class Managed>
Managed *handed(const Tensor &tensor)
{
    auto own = std::make_unique<Handed<Managed>>();
    const std::int32_t number = numberOf(tensor);
    own->tensor = tensor;
    own->shape = tensor.shape();
    own->strides = tensor.strides();
    for (std::size_t axis = 0; axis < own->strides.size(); ++axis)
        own->strides[axis] /= static_cast<std::int64_t>(engine::sizeOf(tensor.dtype()));
    own->managed.tensor = {tensor.size() ? tensor.data() : nullptr,
                           {kCuda, number},
                           tensor.rank(),
                           codeOf(tensor.dtype()),
                           own->shape.data(),
                           own->strides.data(),
                           0};
    own->managed.context = own.get();
    own->managed.deleter = [](Managed *self) { delete static_cast<Handed<Managed> *>(self->context); };
    return &own.release()->managed;
}

// One that nobody took.
template <class Managed>
void dispose(PyObject *capsule, const char *name)
{
    if (!PyCapsule_IsValid(capsule, name)) return;
    auto *const managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, name));
    if (managed->deleter) managed->deleter(managed);
}

py::object capsuleOf(const Tensor &tensor, bool isVersioned)
{
    PyObject *capsule = nullptr;
    if (isVersioned) {
        DlVersioned *const managed = handed<DlVersioned>(tensor);
        managed->major = 1;
        capsule = PyCapsule_New(managed, kVersionedName, [](PyObject *self) { dispose<DlVersioned>(self, kVersionedName); });
    } else {
        capsule = PyCapsule_New(handed<DlManaged>(tensor), kPlainName, [](PyObject *self) { dispose<DlManaged>(self, kPlainName); });
    }
    if (!capsule) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(capsule);
}

/// Memory that somebody else made on a device, and lets go when we need it no more.
template <class Managed>
class TakenStorage final : public engine::ForeignStorage {
public:
    TakenStorage(void *data, std::size_t bytes, engine::DeviceId device, Managed *managed)
        : ForeignStorage(data, bytes, device), m_managed(managed)
    {}
    bool isWritable() const override { return true; }

private:
    void dispose() override
    {
        if (m_managed->deleter) m_managed->deleter(m_managed);
        delete this;
    }
    Managed *m_managed;
};

class OwnedStorage final : public engine::ForeignStorage {
public:
    OwnedStorage(void *data, std::size_t bytes, engine::DeviceId device, PyObject *owner)
        : ForeignStorage(data, bytes, device), m_owner(Py_NewRef(owner))
    {}
    bool isWritable() const override { return true; }

private:
    void dispose() override
    {
        releaseAnywhere(m_owner);
        delete this;
    }
    PyObject *m_owner;
};

Dims stridesOf(const Dims &shape, const std::int64_t *given, DType dtype, std::int64_t unit)
{
    if (!given) return engine::contiguousStrides(shape, engine::sizeOf(dtype));
    Dims strides(std::span(given, shape.size()));
    for (std::size_t axis = 0; axis < strides.size(); ++axis) strides[axis] *= unit;
    return strides;
}

// From the first to the last byte; negative steps begin further behind.
std::size_t reachOf(const Dims &shape, const Dims &strides, DType dtype)
{
    return static_cast<std::size_t>(engine::byteRange(shape, strides, engine::sizeOf(dtype)).end);
}

template <class Managed>
py::object taken(py::handle capsule, const char *name, const char *used)
{
    auto *const managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (!managed) throw py::error_already_set();
    const DlTensor &from = managed->tensor;
    if (from.device.type != kCuda)
        throw py::value_error("the array lies on no card of CUDA (DLPack's device " + std::to_string(from.device.type) + ")");
    engine::Device &device = engine::deviceOf(deviceNamed("cuda" + std::to_string(from.device.id)));
    const DType dtype = dtypeOf(from.dtype);
    const Dims shape(std::span(from.shape, static_cast<std::size_t>(from.ndim)));
    const Dims strides = stridesOf(shape, from.strides, dtype, static_cast<std::int64_t>(engine::sizeOf(dtype)));
    void *const data = static_cast<char *>(from.data) + from.byteOffset;
    if constexpr (std::is_same_v<Managed, DlVersioned>) {
        if (managed->major != 1)
            throw py::value_error("the array is of DLPack " + std::to_string(managed->major) + ", and 1 is understood");
        if (managed->flags & kReadOnly) throw py::value_error("the array may only be read, and functions may write to theirs: copy it");
    }
    if (PyCapsule_SetName(capsule.ptr(), used) != 0) throw py::error_already_set();
    engine::StorageRef storage(new TakenStorage<Managed>(data, reachOf(shape, strides, dtype), device.id(), managed));
    {
        py::gil_scoped_release release;
        device.waitForOthers();
    }
    return deviceArrayOf(Tensor(dtype, shape, strides, data, std::move(storage)));
}

} // namespace

void addDlpack(py::module_ &module)
{
    module.def("dlpack_device", [](const DeviceArray &array) { return py::make_tuple(kCuda, numberOf(array.tensor)); });
    module.def("to_dlpack", [](const DeviceArray &array, bool isVersioned) { return capsuleOf(array.tensor, isVersioned); });
    module.def("from_dlpack", [](py::object capsule) {
        if (PyCapsule_IsValid(capsule.ptr(), kVersionedName)) return taken<DlVersioned>(capsule, kVersionedName, "used_dltensor_versioned");
        if (PyCapsule_IsValid(capsule.ptr(), kPlainName)) return taken<DlManaged>(capsule, kPlainName, "used_dltensor");
        throw py::type_error("this is no capsule of DLPack, or it was taken already: each can be taken once");
    });
    // Memory of somebody else's on a device, who is kept alive.
    module.def("array_at", [](const std::string &name, std::uintptr_t address, const std::vector<std::int64_t> &sizes,
                              const std::optional<std::vector<std::int64_t>> &steps, const std::string &dtypeName, py::object owner) {
        engine::Device &device = engine::deviceOf(deviceNamed(name));
        const std::optional<DType> dtype = engine::dtypeFromName(dtypeName);
        if (!dtype) throw py::type_error("there are no arrays of " + dtypeName + " here");
        const Dims shape{std::span<const std::int64_t>(sizes)};
        const Dims strides = stridesOf(shape, steps ? steps->data() : nullptr, *dtype, 1);
        void *const data = reinterpret_cast<void *>(address);
        engine::StorageRef storage(new OwnedStorage(data, reachOf(shape, strides, *dtype), device.id(), owner.ptr()));
        {
            py::gil_scoped_release release;
            device.waitForOthers();
        }
        return deviceArrayOf(Tensor(*dtype, shape, strides, data, std::move(storage)));
    });
}

} // namespace python
