// Devices and their arrays as Python objects.
#pragma once

#include "engine/device/device.h"
#include "engine/python/core/core.h"

#include <optional>

namespace python {

/// An array that lives on a device.
struct DeviceArray {
    engine::Tensor tensor;
};

void addDevices(py::module_ &module);
void addDevicePrograms(py::module_ &module);

/// Throws ValueError where there is none in this process.
engine::DeviceId deviceNamed(const std::string &name);
py::object deviceArrayOf(const engine::Tensor &tensor);
/// Nothing: it is no array of a device.
std::optional<engine::Tensor> deviceTensorOf(PyObject *object);
engine::Tensor hostCopy(const engine::Tensor &tensor);
engine::Tensor sent(const engine::Tensor &tensor, engine::DeviceId device);
/// A dense copy on the same device.
engine::Tensor copiedThere(const engine::Tensor &tensor);

} // namespace python
