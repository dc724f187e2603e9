// New arrays from a value and sizes; copies at the borders of a function.
#pragma once

#include "engine/graph/op/op_class.h"

namespace engine {

/// value broadcast to the sizes: inputs value, n0, n1, … (0-d integers).
class Alloc final : public Op {
    OP_NAME("Alloc");
    // would only turn a recipe into megabytes
    OP_RULES(outputTypes, inferShape, sizeRules, inferValue, notFolded, gradient, rop, firstConnected, perform, prepare, onDevices,
             deviceName, readsInputOnHost);
};

/// Memory whose contents nobody reads: inputs n0, n1, …
class AllocEmpty final : public Op {
public:
    explicit AllocEmpty(DType dtype) : m_dtype(dtype) {}
    DType dtype() const { return m_dtype; }
    bool leavesElementsOpen() const override { return true; }
    OP_NAME("AllocEmpty");
    OP_RULES(outputTypes, inferShape, notFolded, gradient, notConnected, perform, prepare, onDevices, deviceName, readsInputOnHost);

protected:
    std::string exactName() const override { return "AllocEmpty{dtype='" + std::string(nameOf(m_dtype)) + "'}"; }

private:
    DType m_dtype;
};

/// A deep copy: what a function returns when an output would alias an input.
class DeepCopyOp final : public Op {
    OP_NAME("DeepCopyOp", "theano.compile.ops");
    OP_RULES(outputTypes, sizesOfFirst, perform, prepare);
    bool takesDeviceArrays() const override { return true; }
};

VarRef alloc(const VarRef &value, std::span<const VarRef> sizes);

} // namespace engine
