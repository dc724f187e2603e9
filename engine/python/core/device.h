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

/// While it lives, what this thread gives to a device belongs to the op that is run: a kernel of its own, a copy.
class WithinOp {
public:
    WithinOp() { ++s_depth; }
    ~WithinOp() { --s_depth; }
    WithinOp(const WithinOp &) = delete;
    WithinOp &operator=(const WithinOp &) = delete;
    static bool holds() { return s_depth > 0; }

private:
    inline static thread_local int s_depth = 0;
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
engine::Tensor copiedOnDevice(const engine::Tensor &tensor);

} // namespace python
