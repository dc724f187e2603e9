// Arrays from one memory to another: applies of their own, so that every copy between devices is seen.
#pragma once

#include "engine/graph/op.h"
#include "engine/runtime/thunk.h"

namespace engine {

class Transfer : public Op {
public:
    bool takesDeviceArrays() const override { return true; }
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;
    bool canFold() const override { return false; }
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
};

/// From the host to a device.
class GpuFromHost final : public Transfer {
public:
    explicit GpuFromHost(DeviceId device) : m_device(device) {}
    DeviceId device() const { return m_device; }
    std::string_view className() const override { return "GpuFromHost"; }
    std::string_view moduleName() const override { return "theano.gpuarray.basic_ops"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;

protected:
    std::string exactName() const override;

private:
    DeviceId m_device;
};

/// From a device to the host, which waits for it.
class HostFromGpu final : public Transfer {
public:
    std::string_view className() const override { return "HostFromGpu"; }
    std::string_view moduleName() const override { return "theano.gpuarray.basic_ops"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;

protected:
    std::string exactName() const override { return "HostFromGpu(gpuarray)"; }
};

/// x on that device; x itself where it is there already.
VarRef transfer(const VarRef &x, DeviceId device);
/// Copies input 0 to output 0, wherever they lie.
std::unique_ptr<Thunk> transferThunk(const ThunkSpec &spec);

} // namespace engine
