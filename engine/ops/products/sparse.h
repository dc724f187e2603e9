// Products with sparse matrices, which are given by their parts: the elements row by row, the column of each (`indices`), and where each
// row begins (`indptr`, one longer than there are rows). Everything else that sparse matrices do is indexing of these vectors.
#pragma once

#include "engine/graph/op/op_class.h"

namespace engine {

/// S·b, or Sᵀ·b; inputs data, indices, indptr, columns of S (0-d), the matrix b.
class SparseDot final : public Op {
public:
    explicit SparseDot(bool transposed) : m_transposed(transposed) {}
    bool transposed() const { return m_transposed; }
    OP_NAME("StructuredDotCSR", "theano.sparse.opt");
    OP_RULES(outputTypes, inferShape, gradient, rop, connectionPattern, cost, perform, exactName);

private:
    bool m_transposed;
};

/// The elements of x·yᵀ where a sparse matrix has some; inputs x, y, indices, indptr.
class SampledDot final : public Op {
    OP_NAME("SamplingDotCSR", "theano.sparse.opt");
    OP_RULES(outputTypes, inferShape, gradient, rop, firstTwoConnected, cost, perform);
};

VarRef sparseDot(const VarRef &data, const VarRef &indices, const VarRef &indptr, const VarRef &columns, const VarRef &dense,
                 bool transposed = false);
VarRef sampledDot(const VarRef &x, const VarRef &y, const VarRef &indices, const VarRef &indptr);

} // namespace engine
