// Devices and their arrays as Python objects.
#include "engine/python/core/device.h"

#include "engine/device/offers.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/python/core/array.h"
#include "engine/python/core/type.h"
#include "engine/python/core/watch.h"
#include "engine/tensor/errors.h"

namespace python {

using engine::DeviceId;
using engine::Tensor;

namespace {

PyObject *s_arrayClass = nullptr; ///< what Python derives from DeviceArray

py::tuple tupleOf(const engine::Dims &dims)
{
    py::tuple result(dims.size());
    for (std::size_t i = 0; i < dims.size(); ++i) result[i] = dims[i];
    return result;
}

} // namespace

DeviceId deviceNamed(const std::string &name)
{
    if (name == "cpu") return DeviceId::Host;
    engine::Device *device = engine::findDevice(name);
    if (!device) throw py::value_error("there is no device '" + name + "' in this process");
    return device->id();
}

py::object deviceArrayOf(const Tensor &tensor)
{
    py::object array = py::cast(DeviceArray{tensor});
    return s_arrayClass ? py::reinterpret_borrow<py::object>(s_arrayClass)(array) : array;
}

std::optional<Tensor> deviceTensorOf(PyObject *object)
{
    if (!py::isinstance<DeviceArray>(object)) return std::nullopt;
    return py::cast<const DeviceArray &>(py::handle(object)).tensor;
}

Tensor hostCopy(const Tensor &tensor)
{
    py::gil_scoped_release release;
    return engine::fetched(tensor);
}

Tensor sent(const Tensor &tensor, DeviceId device)
{
    py::gil_scoped_release release;
    return engine::onDevice(tensor, device);
}

Tensor copiedOnDevice(const Tensor &tensor) { return engine::denseCopy(tensor); }

void addDevices(py::module_ &module)
{
    py::class_<DeviceArray>(module, "DeviceArray")
        .def(py::init<const DeviceArray &>())
        .def_property_readonly("shape", [](const DeviceArray &self) { return tupleOf(self.tensor.shape()); })
        .def_property_readonly("strides", [](const DeviceArray &self) { return tupleOf(self.tensor.strides()); })
        .def_property_readonly("ndim", [](const DeviceArray &self) { return self.tensor.rank(); })
        .def_property_readonly("size", [](const DeviceArray &self) { return self.tensor.size(); })
        .def_property_readonly("nbytes", [](const DeviceArray &self) { return self.tensor.bytes(); })
        .def_property_readonly("gpudata", [](const DeviceArray &self) { return reinterpret_cast<std::uintptr_t>(self.tensor.data()); })
        .def_property_readonly("device", [](const DeviceArray &self) { return engine::deviceOf(self.tensor.device()).info().name; })
        .def_property_readonly("_dtype", [](const DeviceArray &self) { return std::string(engine::nameOf(self.tensor.dtype())); })
        .def("_fetch", [](const DeviceArray &self) { return arrayOf(hostCopy(self.tensor)); })
        .def("_copy", [](const DeviceArray &self) { return deviceArrayOf(copiedOnDevice(self.tensor)); })
        .def("sync", [](const DeviceArray &self) {
            py::gil_scoped_release release;
            engine::deviceOf(self.tensor.device()).stream().finish();
        });
    module.def("register_device_array", [](py::object cls) { s_arrayClass = cls.release().ptr(); });
    module.def("is_name_of_device", [](const std::string &name) { return engine::isNameOfDevice(name); });
    // (name, hardware, reason): of what cannot be had the reason.
    module.def("offered_devices", [] {
        py::list result;
        for (const engine::DeviceOffer &offer : engine::offeredDevices())
            result.append(py::make_tuple(offer.name, offer.hardware, offer.reason));
        return result;
    });
    // Opens it, and functions run there from now on.
    module.def("use_device", [](const std::string &name) {
        engine::Device &device = engine::openDevice(name);
        device.stream();
        engine::chooseDevice(device.id());
        return py::make_tuple(device.info().name, device.info().hardware);
    });
    module.def("has_device", [](const std::string &name) { return name == "cpu" || engine::findDevice(name) != nullptr; });
    // Why that device has no library of convolutions; empty: it has one.
    module.def("convolution_problem", [](const std::string &name) { return engine::deviceOf(deviceNamed(name)).whyNoConvolutions(); });
    // Of that library: as the device's module was built, and as it is there.
    module.def("convolution_versions", [](const std::string &name) {
        const engine::Device::LibraryVersions versions = engine::deviceOf(deviceNamed(name)).convolutionVersions();
        return py::make_tuple(versions.built, versions.opened);
    });
    module.def("chosen_device", [] { return engine::deviceOf(engine::chosenDevice()).info().name; });
    module.def("send",
               [](const std::string &name, py::object array) { return deviceArrayOf(sent(tensorOf(array.ptr()), deviceNamed(name))); });
    module.def("type_device",
               [](engine::Type type) { return engine::deviceOf(type.isTensor() ? type.device() : DeviceId::Host).info().name; });
    module.def("type_on", [](engine::Type type, const std::string &name) { return type.on(deviceNamed(name)); });
    module.def(
        "contiguous", [](const engine::VarRef &x) { return engine::contiguous(x); }, py::call_guard<BuildScope>());
    module.def(
        "transfer", [](const engine::VarRef &x, const std::string &name) { return engine::transfer(x, deviceNamed(name)); },
        py::call_guard<BuildScope>());
}

} // namespace python
