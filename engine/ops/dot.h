// Matrix products: Dot as people write it, and the BLAS forms that rewrites make of it.
#pragma once

#include "engine/graph/op.h"

namespace engine {

/// 1-d and 2-d products of any dtypes.
class Dot final : public Op {
public:
    std::string_view className() const override { return "Dot"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;

protected:
    std::string exactName() const override { return "dot"; }
};

/// Matrix times matrix of one float or complex dtype, by BLAS.
class Dot22 final : public Op {
public:
    std::string_view className() const override { return "Dot22"; }
    std::string_view moduleName() const override { return "theano.tensor.blas"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;

protected:
    std::string exactName() const override { return "Dot22"; }
};

/// scalar · (matrix × matrix): inputs x, y, alpha (0-d).
class Dot22Scalar final : public Op {
public:
    std::string_view className() const override { return "Dot22Scalar"; }
    std::string_view moduleName() const override { return "theano.tensor.blas"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;

protected:
    std::string exactName() const override { return "Dot22Scalar"; }
};

/// beta·z + alpha·x×y; inputs z, alpha, x, y, beta (alpha and beta 0-d), in Theano's order.
class Gemm final : public Op {
public:
    explicit Gemm(bool inplace) : m_inplace(inplace) {}
    bool inplace() const { return m_inplace; }
    std::string_view className() const override { return "Gemm"; }
    std::string_view moduleName() const override { return "theano.tensor.blas"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<Alias> destroyMap() const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;

protected:
    std::string exactName() const override { return m_inplace ? "Gemm{inplace}" : "Gemm{no_inplace}"; }

private:
    bool m_inplace;
};

/// beta·y + alpha·A×x; inputs y, alpha, A, x, beta. `c`: the form that compiled code runs (CGemv).
class Gemv final : public Op {
public:
    Gemv(bool inplace, bool c) : m_inplace(inplace), m_c(c) {}
    bool inplace() const { return m_inplace; }
    bool isC() const { return m_c; }
    std::string_view className() const override { return m_c ? "CGemv" : "Gemv"; }
    std::string_view moduleName() const override { return m_c ? "theano.tensor.blas_c" : "theano.tensor.blas"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<Alias> destroyMap() const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;

protected:
    std::string exactName() const override; ///< CGemv{inplace}

private:
    bool m_inplace, m_c;
};

/// A + alpha·x yᵀ; inputs A, alpha, x, y.
class Ger final : public Op {
public:
    Ger(bool inplace, bool c) : m_inplace(inplace), m_c(c) {}
    bool inplace() const { return m_inplace; }
    bool isC() const { return m_c; }
    std::string_view className() const override { return m_c ? "CGer" : "Ger"; }
    std::string_view moduleName() const override { return m_c ? "theano.tensor.blas_c" : "theano.tensor.blas"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<Alias> destroyMap() const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;

protected:
    std::string exactName() const override; ///< CGer{destructive}, CGer{non-destructive}

private:
    bool m_inplace, m_c;
};

/// x[i]·y[i] for each i; both have 3 dimensions.
class BatchedDot final : public Op {
public:
    std::string_view className() const override { return "BatchedDot"; }
    std::string_view moduleName() const override { return "theano.tensor.blas"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "BatchedDot"; }
};

/// 1 to 3 dimensions each; vectors and matrices as Theano has it.
VarRef batchedDot(const VarRef &a, const VarRef &b);
/// Theano's dot: 0-d multiplies, 1-d and 2-d are Dot, more axes are a tensordot.
VarRef dot(const VarRef &a, const VarRef &b);
/// Sums products over axesA of a and axesB of b: reshapes to one matrix product (engine/ops/tensordot.cpp).
VarRef tensordot(const VarRef &a, const VarRef &b, std::span<const int> axesA, std::span<const int> axesB);
/// Product of each element of a with each of b; both are flattened.
VarRef outer(const VarRef &a, const VarRef &b);

} // namespace engine
