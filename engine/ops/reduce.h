// CAReduce: sum, product, maximum, minimum, any, all over some axes.
#pragma once

#include "engine/graph/op.h"

#include <optional>

namespace engine {

/// Largest: the maximum, of nothing -inf. What rewrites take where sums of nothing are 0.
enum class ReduceKind : std::uint8_t { Sum, Prod, Max, Min, Any, All, Largest };

class CAReduce final : public Op {
public:
    /// `axes`: sorted, non-negative; nullopt: all. dtype of the result and of the accumulator as theano-facts 1.4.
    CAReduce(ReduceKind kind, std::optional<std::vector<int>> axes, std::optional<DType> dtype = {}, std::optional<DType> accDtype = {});

    ReduceKind kind() const { return m_kind; }
    /// Throws where an array of that shape has no largest or smallest element.
    void needElements(const Dims &shape) const;
    const std::optional<std::vector<int>> &axes() const { return m_axes; }
    std::vector<int> axesFor(int rank) const;
    std::optional<DType> dtype() const { return m_dtype; }
    std::optional<DType> accDtype() const { return m_accDtype; }
    /// What the output and the accumulator are for this input.
    DType resultDType(DType input) const;
    DType accumulatorDType(DType input) const;

    std::string_view className() const override; ///< Sum, Prod, MaxAndArgmax's Max is "CAReduce" …
    std::string_view moduleName() const override { return "theano.tensor.elemwise"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::optional<Sym> inferValue(ShapeBuilder &shapes, int output, int element) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    std::vector<WorkStep> workSteps(std::span<const Type> inputs, std::span<const Type> outputs) const override;
    void perform(PerformArgs &args) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;

protected:
    std::string exactName() const override; ///< Sum{acc_dtype=float64}, Sum{axis=[1], acc_dtype=float64}
    std::string shortName() const override;
    std::string identity() const override;

private:
    ReduceKind m_kind;
    std::optional<std::vector<int>> m_axes;
    std::optional<DType> m_dtype, m_accDtype;
};

/// The dtypes that Theano chooses for an input: discrete ones sum in 64 bits, float32 accumulates in float64 …
VarRef reduce(ReduceKind kind, const VarRef &a, std::optional<std::vector<int>> axes = {}, bool keepDims = false,
              std::optional<DType> dtype = {}, std::optional<DType> accDtype = {});
VarRef sum(const VarRef &a, std::optional<std::vector<int>> axes = {}, bool keepDims = false);
VarRef mean(const VarRef &a, std::optional<std::vector<int>> axes = {}, bool keepDims = false);
/// For the largest (or smallest) element along `axes`: there has to be one.
std::vector<SizeRule> largestRules(ShapeBuilder &shapes, const std::vector<int> &axes);
/// Sorted, counted from the front; ShapeMismatch for one out of range or named twice.
std::vector<int> normalizedAxes(const char *symbol, std::span<const int> axes, int rank);

} // namespace engine
