// Linear algebra by LAPACK: inverses, determinants, systems of equations, decompositions. Matrices are float32, float64 or complex;
// the builders turn integers into float64.
#pragma once

#include "engine/graph/op/op_class.h"
#include "engine/tensor/errors.h"

#include <array>

namespace engine {

/// A matrix that has no inverse, no decomposition …; Python shows it as numpy.linalg.LinAlgError.
class LinearAlgebraError : public UserError {
public:
    using UserError::UserError;
};

/// X⁻¹
class MatrixInverse final : public Op {
    OP_NAME("MatrixInverse", "theano.tensor.nlinalg");
    OP_RULES(outputTypes, sizesOfFirst, sizeRules, gradient, rop, cost, perform);
};

/// Moore and Penrose's inverse, by singular values: those below 1e-15 of the largest count as zero.
class MatrixPinv final : public Op {
    OP_NAME("MatrixPinv", "theano.tensor.nlinalg");
    OP_RULES(outputTypes, inferShape, gradient, rop, cost, perform);
};

class Det final : public Op {
    OP_NAME("Det", "theano.tensor.nlinalg");
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, rop, cost, perform);
};

/// Sign of the determinant and logarithm of its size: two outputs.
class SLogDet final : public Op {
    OP_NAME("SLogDet", "theano.tensor.nlinalg");
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, rop, cost, perform);
};

/// The triangle L with L·Lᵀ = X (or U with Uᵀ·U = X); of X it reads that triangle. What is not positive definite raises, or gives nan.
class Cholesky final : public Op {
public:
    Cholesky(bool lower, bool raises) : m_lower(lower), m_raises(raises) {}
    bool lower() const { return m_lower; }
    bool raises() const { return m_raises; }
    OP_NAME("Cholesky", "theano.tensor.slinalg");
    OP_RULES(outputTypes, sizesOfFirst, sizeRules, gradient, rop, cost, perform, exactName, shortName);

private:
    bool m_lower, m_raises;
};

/// What is known of the matrix of a system. Of a symmetric, positive definite or triangular one a triangle is read.
enum class MatrixStructure : std::uint8_t { General, Symmetric, Positive, LowerTriangular, UpperTriangular };
inline constexpr std::array kStructureNames{"general", "symmetric", "positive_definite", "lower_triangular", "upper_triangular"};

/// op(A)⁻¹·b for a vector or matrix b; inputs A, b.
class Solve final : public Op {
public:
    /// `lower`: which triangle of a symmetric matrix. `unitDiagonal`: a triangle's diagonal counts as ones.
    Solve(MatrixStructure structure, bool lower, bool transposed, bool unitDiagonal)
        : m_structure(structure), m_lower(lower), m_transposed(transposed), m_unit(unitDiagonal)
    {}
    MatrixStructure structure() const { return m_structure; }
    bool lower() const { return m_lower; }
    bool transposed() const { return m_transposed; }
    bool unitDiagonal() const { return m_unit; }
    OP_NAME("Solve", "theano.tensor.slinalg");
    OP_RULES(outputTypes, sizesOfSecond, sizeRules, gradient, rop, cost, perform, exactName, shortName);

private:
    MatrixStructure m_structure;
    bool m_lower, m_transposed, m_unit;
};

/// Eigenvalues and vectors of a square matrix; of real ones the real parts.
class Eig final : public Op {
    OP_NAME("Eig", "theano.tensor.nlinalg");
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, cost, perform);
};

/// … of a symmetric or hermitian matrix, of which a triangle is read.
class Eigh final : public Op {
public:
    explicit Eigh(bool lower) : m_lower(lower) {}
    bool lower() const { return m_lower; }
    OP_NAME("Eigh", "theano.tensor.nlinalg");
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, cost, perform, exactName);

private:
    bool m_lower;
};

/// w and x with A·x = w·B·x, xᵀ·B·x = 1, for symmetric A and positive definite B.
class GeneralEigh final : public Op {
public:
    explicit GeneralEigh(bool lower) : m_lower(lower) {}
    bool lower() const { return m_lower; }
    OP_NAME("GeneralEigh", "theano.tensor.slinalg");
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, cost, perform, exactName);

private:
    bool m_lower;
};

/// U, s, Vᵀ with X = U·diag(s)·Vᵀ; or s alone.
class Svd final : public Op {
public:
    Svd(bool fullMatrices, bool vectors) : m_full(fullMatrices), m_vectors(vectors) {}
    bool fullMatrices() const { return m_full; }
    bool vectors() const { return m_vectors; }
    OP_NAME("SVD", "theano.tensor.nlinalg");
    OP_RULES(outputTypes, inferShape, gradient, cost, perform, exactName);

private:
    bool m_full, m_vectors;
};

/// Q and R; of mode "r" only R, of "raw" LAPACK's reflectors and their factors.
enum class QrMode : std::uint8_t { Reduced, Complete, R, Raw };
inline constexpr std::array kQrModes{"reduced", "complete", "r", "raw"};
class Qr final : public Op {
public:
    explicit Qr(QrMode mode) : m_mode(mode) {}
    QrMode mode() const { return m_mode; }
    std::string_view className() const override { return m_mode == QrMode::R ? "QRIncomplete" : "QRFull"; }
    std::string_view moduleName() const override { return "theano.tensor.nlinalg"; }
    OP_RULES(outputTypes, inferShape, gradient, cost, perform, exactName);

private:
    QrMode m_mode;
};

/// Least squares: x with the smallest |A·x - b|, its squared residuals, the rank, the singular values; inputs A, b, rcond.
class LeastSquares final : public Op {
    OP_NAME("lstsq", "theano.tensor.nlinalg");
    OP_RULES(outputTypes, gradient, cost, perform);
};

/// The exponential function's series of a matrix.
class Expm final : public Op {
    OP_NAME("Expm", "theano.tensor.slinalg");
    OP_RULES(outputTypes, sizesOfFirst, sizeRules, gradient, rop, cost, perform);
};

VarRef matrixInverse(const VarRef &a);
VarRef pinv(const VarRef &a);
VarRef det(const VarRef &a);
std::vector<VarRef> slogdet(const VarRef &a);
VarRef cholesky(const VarRef &a, bool lower = true, bool raises = true);
/// What a change of the factor says of the matrix: the gradient of cholesky().
VarRef choleskyGrad(const VarRef &factor, const VarRef &grad, bool lower);
VarRef solve(const VarRef &a, const VarRef &b, MatrixStructure structure = MatrixStructure::General, bool lower = false,
             bool transposed = false, bool unitDiagonal = false);
std::vector<VarRef> eig(const VarRef &a);
std::vector<VarRef> eigh(const VarRef &a, bool lower = true);
std::vector<VarRef> generalEigh(const VarRef &a, const VarRef &b, bool lower = true);
std::vector<VarRef> svd(const VarRef &a, bool fullMatrices = true, bool vectors = true);
std::vector<VarRef> qr(const VarRef &a, QrMode mode = QrMode::Reduced);
std::vector<VarRef> leastSquares(const VarRef &a, const VarRef &b, const VarRef &rcond);
VarRef expm(const VarRef &a);

} // namespace engine
