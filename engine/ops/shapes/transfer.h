// Arrays from one memory to another: applies of their own, so that every copy between devices is seen.
#pragma once

#include "engine/graph/op/op_class.h"
#include "engine/runtime/thunks/thunk.h"

namespace engine {

class Transfer : public Op {
public:
    bool takesDeviceArrays() const override { return true; }
    OP_RULES(sizesOfFirst, notFolded, rop, cost, prepare);
};

/// From the host to a device.
class GpuFromHost final : public Transfer {
public:
    explicit GpuFromHost(DeviceId device) : m_device(device) {}
    DeviceId device() const { return m_device; }
    OP_NAME("GpuFromHost", "theano.gpuarray.basic_ops");
    OP_RULES(outputTypes, gradient, exactName);

private:
    DeviceId m_device;
};

/// From a device to the host, which waits for it.
class HostFromGpu final : public Transfer {
    OP_NAME("HostFromGpu", "theano.gpuarray.basic_ops");
    OP_RULES(outputTypes, gradient);

protected:
    std::string exactName() const override { return "HostFromGpu(gpuarray)"; }
};

/// x on that device; x itself where it is there already.
VarRef transfer(const VarRef &x, DeviceId device);
/// An array of any layout and device as one of the host's; the array itself where it is there.
Tensor fetched(const Tensor &tensor);
/// A C-contiguous copy where it lies, whatever its layout.
Tensor denseCopy(const Tensor &tensor);
/// The elements of one array into another of the same sizes on the same device, whatever their layouts.
void copyOnDevice(const Tensor &from, const Tensor &to);
/// Copies input 0 to output 0, wherever they lie.
std::unique_ptr<Thunk> transferThunk(const ThunkSpec &spec);

} // namespace engine
