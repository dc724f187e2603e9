// Arrays made from numbers: ranges, unit matrices, triangles, diagonals, constants of a shape.
#pragma once

#include "engine/graph/op/op_class.h"
#include "engine/ops/index/index_canonical.h"

namespace engine {

/// start, start + step, … below stop; three 0-d inputs.
class ARange final : public Op {
public:
    explicit ARange(DType dtype) : m_dtype(dtype) {}
    DType dtype() const { return m_dtype; }
    OP_NAME("ARange");
    OP_RULES(outputTypes, inferShape, inferValue, gradient, connectionPattern, perform, prepare, onDevices, readsInputOnHost,
             whyNotOnDevice);

protected:
    std::string exactName() const override { return "ARange{dtype='" + std::string(nameOf(m_dtype)) + "'}"; }

private:
    DType m_dtype;
};

/// n×m with ones on diagonal k (Eye) or on and below it (Tri); inputs n, m, k.
class Eye final : public Op {
public:
    Eye(DType dtype, bool isTriangle) : m_dtype(dtype), m_triangle(isTriangle) {}
    DType dtype() const { return m_dtype; }
    bool isTriangle() const { return m_triangle; }
    std::string_view className() const override { return m_triangle ? "Tri" : "Eye"; }
    OP_RULES(outputTypes, inferShape, gradient, connectionPattern, perform, exactName, prepare, onDevices, readsInputOnHost);

private:
    DType m_dtype;
    bool m_triangle;
};

/// The diagonal of two axes, as the last axis.
class ExtractDiag final : public Op {
public:
    ExtractDiag(int offset, int axis1, int axis2) : m_offset(offset), m_axis1(axis1), m_axis2(axis2) {}
    int offset() const { return m_offset; }
    int axis1() const { return m_axis1; }
    int axis2() const { return m_axis2; }
    OP_NAME("ExtractDiag");
    OP_RULES(outputTypes, inferShape, gradient, rop, perform, exactName, shortName, prepare, onDevices);

private:
    int m_offset, m_axis1, m_axis2;
};

/// Adds the last axis of the second input to the diagonal of two axes of the first (so zeros give a diagonal matrix).
class AddToDiag final : public Op {
public:
    AddToDiag(int offset, int axis1, int axis2) : m_offset(offset), m_axis1(axis1), m_axis2(axis2) {}
    int offset() const { return m_offset; }
    int axis1() const { return m_axis1; }
    int axis2() const { return m_axis2; }
    OP_NAME("AddToDiag");
    OP_RULES(outputTypes, sizesOfFirst, gradient, rop, perform, exactName, shortName, prepare, onDevices);

private:
    int m_offset, m_axis1, m_axis2;
};

/// The diagonal of two axes as a window: the other axes, then the diagonal.
Window diagWindow(const View &x, int offset, int axis1, int axis2);

/// Without a dtype: int64 for integers, else their promotion.
VarRef arange(const VarRef &start, const VarRef &stop, const VarRef &step, std::optional<DType> dtype = {});
VarRef arange(const VarRef &stop);
VarRef eye(const VarRef &n, const VarRef &m, const VarRef &k, DType dtype);
VarRef tri(const VarRef &n, const VarRef &m, const VarRef &k, DType dtype);
VarRef tril(const VarRef &a, const VarRef &k);
VarRef triu(const VarRef &a, const VarRef &k);
/// A matrix's diagonal, or the matrix with a vector as diagonal.
VarRef diag(const VarRef &a, int offset = 0);
VarRef diagonal(const VarRef &a, int offset = 0, int axis1 = 0, int axis2 = 1);
VarRef trace(const VarRef &a);
VarRef zeros(std::span<const VarRef> sizes, DType dtype);
VarRef ones(std::span<const VarRef> sizes, DType dtype);

} // namespace engine
