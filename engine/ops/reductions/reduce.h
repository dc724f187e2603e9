// CAReduce: sum, product, maximum, minimum, any, all over some axes.
#pragma once

#include "engine/graph/op/op_class.h"
#include "engine/rt/rt.h"

#include <array>
#include <optional>

namespace engine {

/// Largest: the maximum, of nothing -inf. What rewrites take where sums of nothing are 0.
enum class ReduceKind : std::uint8_t { Sum, Prod, Max, Min, Any, All, Largest };
inline constexpr std::array kReduceNames{"sum", "prod", "max", "min", "any", "all", "largest"};

class CAReduce final : public Op {
public:
    /// `axes`: sorted, non-negative; nullopt: all. dtype of the result and of the accumulator as theano-facts 1.4.
    CAReduce(ReduceKind kind, std::optional<std::vector<int>> axes, std::optional<DType> dtype = {}, std::optional<DType> accDtype = {});

    ReduceKind kind() const { return m_kind; }
    /// Throws where an array of that shape has no largest or smallest element.
    void needElements(const Dims &shape) const;
    const std::optional<std::vector<int>> &axes() const { return m_axes; }
    std::vector<int> axesFor(int rank) const;
    Dims keptShape(const Dims &shape) const;
    RtReduce primitive() const;
    std::optional<DType> dtype() const { return m_dtype; }
    std::optional<DType> accDtype() const { return m_accDtype; }
    /// What the output and the accumulator are for this input.
    DType resultDType(DType input) const;
    DType accumulatorDType(DType input) const;

    std::string_view className() const override; ///< Sum, Prod, MaxAndArgmax's Max is "CAReduce" …
    std::string_view moduleName() const override { return "theano.tensor.elemwise"; }
    OP_RULES(outputTypes, inferShape, sizeRules, inferValue, gradient, rop, cost, workSteps, perform, prepare, exactName, shortName,
             identity, onDevices, deviceName, deviceClass);

private:
    ReduceKind m_kind;
    std::optional<std::vector<int>> m_axes;
    std::optional<DType> m_dtype, m_accDtype;
};

/// The dtypes that Theano chooses for an input: discrete ones sum in 64 bits, float32 accumulates in float64 …
VarRef reduce(ReduceKind kind, const VarRef &a, std::optional<std::vector<int>> axes = {}, bool keepDims = false,
              std::optional<DType> dtype = {}, std::optional<DType> accDtype = {});
VarRef sum(const VarRef &a, std::optional<std::vector<int>> axes = {}, bool keepDims = false);
VarRef mean(const VarRef &a, std::optional<std::vector<int>> axes = {}, bool keepDims = false, std::optional<DType> dtype = {},
            std::optional<DType> accDtype = {});
/// For the largest (or smallest) element along `axes`: there has to be one.
std::vector<SizeRule> largestRules(ShapeBuilder &shapes, const std::vector<int> &axes);
/// What was reduced, put back: axes of size 1 in the places of the reduced ones, which are sorted.
VarRef spread(const VarRef &reduced, const std::vector<int> &axes, int rank);
/// Sorted, counted from the front; ShapeMismatch for one out of range or named twice.
std::vector<int> normalizedAxes(const char *symbol, std::span<const int> axes, int rank);

} // namespace engine
