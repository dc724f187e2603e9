// Matrix products: Dot as people write it, and the BLAS forms that rewrites make of it.
#pragma once

#include "engine/graph/op/op_class.h"

namespace engine {

/// 1-d and 2-d products of any dtypes.
class Dot final : public Op {
    OP_NAME("Dot");
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, rop, cost, perform, prepare, onDevices, whyNotOnDevice);

protected:
    std::string exactName() const override { return "dot"; }
};

/// Matrix times matrix of one float or complex dtype, by BLAS.
class Dot22 final : public Op {
    OP_NAME("Dot22", "theano.tensor.blas");
    OP_RULES(outputTypes, inferShape, cost, perform, prepare, onDevices, whyNotOnDevice);
};

/// scalar · (matrix × matrix): inputs x, y, alpha (0-d).
class Dot22Scalar final : public Op {
    OP_NAME("Dot22Scalar", "theano.tensor.blas");
    OP_RULES(outputTypes, inferShape, cost, perform, prepare, onDevices, whyNotOnDevice, readsInputOnHost);
};

/// beta·z + alpha·x×y; inputs z, alpha, x, y, beta (alpha and beta 0-d), in Theano's order.
class Gemm final : public Op {
public:
    explicit Gemm(bool inplace) : m_inplace(inplace) {}
    bool inplace() const { return m_inplace; }
    OP_NAME("Gemm", "theano.tensor.blas");
    OP_RULES(outputTypes, sizesOfFirst, overwritesFirst, cost, perform, prepare, onDevices, whyNotOnDevice, readsInputOnHost);

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
    OP_RULES(outputTypes, sizesOfFirst, overwritesFirst, cost, perform, prepare, exactName, onDevices, whyNotOnDevice, readsInputOnHost,
             deviceName, deviceClass);

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
    OP_RULES(outputTypes, sizesOfFirst, overwritesFirst, cost, perform, prepare, exactName, onDevices, whyNotOnDevice, readsInputOnHost,
             deviceName, deviceClass);

private:
    bool m_inplace, m_c;
};

/// x[i]·y[i] for each i; both have 3 dimensions.
class BatchedDot final : public Op {
    OP_NAME("BatchedDot", "theano.tensor.blas");
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, rop, cost, perform, prepare, onDevices, whyNotOnDevice);
};

/// Rop of what is linear in each of two inputs.
std::vector<VarRef> productRop(const Apply &node, std::span<const VarRef> evalPoints);
/// 1 to 3 dimensions each; vectors and matrices as Theano has it.
VarRef batchedDot(const VarRef &a, const VarRef &b);
/// Theano's dot: 0-d multiplies, 1-d and 2-d are Dot, more axes are a tensordot.
VarRef dot(const VarRef &a, const VarRef &b);
/// Sums products over axesA of a and axesB of b: reshapes to one matrix product (engine/ops/products/tensordot.cpp).
VarRef tensordot(const VarRef &a, const VarRef &b, std::span<const int> axesA, std::span<const int> axesB);
/// Product of each element of a with each of b; both are flattened.
VarRef outer(const VarRef &a, const VarRef &b);

} // namespace engine
