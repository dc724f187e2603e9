// Pooling: one number for each window of the last two or three axes, and its gradients.
#pragma once

#include "engine/graph/op/op_class.h"

namespace engine {

enum class PoolPass : std::uint8_t {
    Forward,     ///< inputs image, window, steps, border
    Gradient,    ///< image, (max: what came out,) gradient of what came out, window, steps, border → gradient of the image
    MaxGradGrad, ///< image, what came out, an array like the image, window … → that array where the largest stand
};
enum class PoolMode : std::uint8_t {
    Max,
    Sum,
    AverageWithBorder,
    AverageWithoutBorder,
};

struct PoolInfo {
    PoolPass pass = PoolPass::Forward;
    PoolMode mode = PoolMode::Max;
    int axes = 2;
    bool ignoreBorder = false; ///< windows that reach over the end are left out

    /// Arrays before window, steps and border, which are vectors of integers.
    int arrays() const { return pass == PoolPass::Forward ? 1 : pass == PoolPass::Gradient && mode != PoolMode::Max ? 2 : 3; }
};

class Pooling final : public Op {
public:
    explicit Pooling(PoolInfo info) : m_info(info) {}
    const PoolInfo &info() const { return m_info; }

    std::string_view className() const override;
    std::string_view moduleName() const override { return "theano.tensor.signal.pool"; }
    OP_RULES(outputTypes, inferShape, gradient, rop, connectionPattern, cost, perform, prepare, onDevices, readsInputOnHost);

protected:
    std::string exactName() const override;
    std::string shortName() const override;
    std::string identity() const override;

private:
    PoolInfo m_info;
};

/// `arrays` as PoolInfo says, then window, steps, border.
VarRef pooling(const PoolInfo &info, std::vector<VarRef> inputs);

} // namespace engine
