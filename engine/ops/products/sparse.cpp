#include "engine/ops/products/sparse.h"

#include "engine/gradient/gradient.h"
#include "engine/gradient/sums.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/run_support.h"
#include "engine/ops/index/index_canonical.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <complex>

namespace engine {
namespace {

void wantPart(const char *symbol, const char *what, Type type, bool ofIntegers)
{
    if (!type.isTensor() || type.rank() != 1 || (ofIntegers && !isInteger(type.dtype())))
        throw TypeMismatch(std::string("[") + symbol + "] " + what + " is a vector" + (ofIntegers ? " of integers" : "") + ", got " +
                           type.text());
}
void wantDense(const char *symbol, Type type)
{
    if (!type.isTensor() || type.rank() != 2)
        throw TypeMismatch(std::string("[") + symbol + "] the dense operand is a matrix, got " + type.text());
}

/// What elements of that type are computed in.
DType workingType(DType dtype) { return isDiscrete(dtype) ? DType::Int64 : dtype == DType::Float16 ? DType::Float32 : dtype; }

template <class F>
void withElements(DType dtype, F &&f)
{
    switch (dtype) {
    case DType::Float32: return f.template operator()<float>();
    case DType::Float64: return f.template operator()<double>();
    case DType::Complex64: return f.template operator()<std::complex<float>>();
    case DType::Complex128: return f.template operator()<std::complex<double>>();
    default: return f.template operator()<std::int64_t>();
    }
}

/// Which elements a sparse matrix has, checked: rows follow each other, columns are there.
struct Places {
    Places(const char *symbol, const View &indicesView, const View &indptrView, std::int64_t columns, std::int64_t elements)
        : indices(indicesView, DType::Int64), indptr(indptrView, DType::Int64), rows(indptrView.size() - 1)
    {
        const std::string name = std::string("[") + symbol + "] ";
        if (rows < 0) throw ShapeMismatch(name + "indptr is empty: it has one element more than there are rows");
        if (indicesView.size() != elements)
            throw ShapeMismatch(name + std::to_string(elements) + " elements have " + std::to_string(indicesView.size()) + " indices");
        for (std::int64_t row = 0; row < rows; ++row)
            if (indptr[row] > indptr[row + 1]) throw ShapeMismatch(name + "indptr decreases behind row " + std::to_string(row));
        if (indptr[0] != 0 || indptr[rows] != elements)
            throw ShapeMismatch(name + "indptr goes from " + std::to_string(indptr[0]) + " to " + std::to_string(indptr[rows]) +
                                ", not from 0 to " + std::to_string(elements));
        for (std::int64_t k = 0; k < elements; ++k)
            if (indices[k] < 0 || indices[k] >= columns)
                throw OutOfBounds(name + "index " + std::to_string(indices[k]) + " is out of range for " + std::to_string(columns) +
                                  " columns");
    }
    Dense<std::int64_t> indices, indptr;
    std::int64_t rows;
};

} // namespace

// The parts of S by rows are those of its transpose by columns.
std::string SparseDot::exactName() const { return m_transposed ? "StructuredDotCSC" : "StructuredDotCSR"; }

std::vector<Type> SparseDot::outputTypes(std::span<const Operand> inputs) const
{
    wantPart("structured_dot", "the elements", inputs[0].type, false);
    wantPart("structured_dot", "indices", inputs[1].type, true);
    wantPart("structured_dot", "indptr", inputs[2].type, true);
    const Type columns = inputs[3].type;
    if (!columns.isTensor() || columns.rank() != 0 || !isInteger(columns.dtype()))
        throw TypeMismatch("[structured_dot] the number of columns is an integer, got " + columns.text());
    wantDense("structured_dot", inputs[4].type);
    return {Type::ofRank(promote(inputs[0].type.dtype(), inputs[4].type.dtype()), 2)};
}

bool SparseDot::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const auto columns = shapes.value(3);
    if (m_transposed && !columns) return false;
    outputs = {{m_transposed ? *columns : shapes.sub(shapes.dim(2, 0), shapes.constant(1)), shapes.dim(4, 1)}};
    return true;
}

std::vector<std::vector<bool>> SparseDot::connectionPattern(const Apply &) const { return {{true}, {false}, {false}, {false}, {true}}; }

Cost SparseDot::cost(std::span<const Dims> inputs, std::span<const Dims>) const
{
    return {2.0 * static_cast<double>(inputs[0][0]) * static_cast<double>(inputs[4][1])};
}

std::vector<VarRef> SparseDot::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &data = node.input(0), &indices = node.input(1), &indptr = node.input(2), &columns = node.input(3), &b = node.input(4);
    const VarRef &g = outputGrads[0];
    if (isDiscrete(node.output(0)->type().dtype()))
        return {zerosLike(data, floatX()), disconnected(), disconnected(), disconnected(), zerosLike(b, floatX())};
    const VarRef ofData = m_transposed ? sampledDot(b, g, indices, indptr) : sampledDot(g, b, indices, indptr);
    return {ofData, disconnected(), disconnected(), disconnected(),
            sumToPattern(sparseDot(data, indices, indptr, columns, g, !m_transposed), b->type())};
}

std::vector<VarRef> SparseDot::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    const auto along = [&](const VarRef &data, const VarRef &b) {
        return engine::apply(node.opRef(), {data, node.input(1), node.input(2), node.input(3), b});
    };
    const VarRef first = evalPoints[0] ? along(evalPoints[0], node.input(4)) : VarRef();
    return {sums::sumOf(first, evalPoints[4] ? along(node.input(0), evalPoints[4]) : VarRef())};
}

void SparseDot::perform(PerformArgs &args) const
{
    const View &data = args.inputs[0], &b = args.inputs[4];
    const std::int64_t columns = scalarInt(args.inputs[3]), width = b.shape[1];
    const Places places("structured_dot", args.inputs[1], args.inputs[2], columns, data.size());
    if (b.shape[0] != (m_transposed ? places.rows : columns))
        throw ShapeMismatch("[structured_dot] the sparse matrix has shape " + Dims{places.rows, columns}.text() +
                            (m_transposed ? " and is transposed" : "") + ", the dense one " + shapeOfView(b).text());
    const View &out = output(args, 0, Dims{m_transposed ? columns : places.rows, width});
    const DType work = workingType(out.dtype);
    withElements(work, [&]<class T>() {
        const Dense<T> values(data, work), dense(b, work);
        DenseOutput<T> result(out, work);
        std::fill_n(result.data(), out.size(), T(0));
        Pace pace;
        for (std::int64_t row = 0; row < places.rows; ++row)
            for (std::int64_t k = places.indptr[row]; k < places.indptr[row + 1]; ++k) {
                pace.did(width);
                const std::int64_t column = places.indices[k];
                const T value = values[k], *from = dense.data() + (m_transposed ? row : column) * width;
                T *to = result.data() + (m_transposed ? column : row) * width;
                for (std::int64_t j = 0; j < width; ++j) to[j] += value * from[j];
            }
        result.finish();
    });
}

std::vector<Type> SampledDot::outputTypes(std::span<const Operand> inputs) const
{
    wantDense("sampling_dot", inputs[0].type);
    wantDense("sampling_dot", inputs[1].type);
    wantPart("sampling_dot", "indices", inputs[2].type, true);
    wantPart("sampling_dot", "indptr", inputs[3].type, true);
    return {Type::ofRank(promote(inputs[0].type.dtype(), inputs[1].type.dtype()), 1)};
}

bool SampledDot::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    outputs = {{shapes.dim(2, 0)}};
    return true;
}

Cost SampledDot::cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const
{
    return {2.0 * static_cast<double>(outputs[0][0]) * static_cast<double>(inputs[0][1])};
}

std::vector<VarRef> SampledDot::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0), &y = node.input(1), &indices = node.input(2), &indptr = node.input(3), &g = outputGrads[0];
    if (isDiscrete(node.output(0)->type().dtype())) return {zerosLike(x, floatX()), zerosLike(y, floatX()), disconnected(), disconnected()};
    const VarRef columns = shapeOf(y, 0);
    return {sumToPattern(sparseDot(g, indices, indptr, columns, y), x->type()),
            sumToPattern(sparseDot(g, indices, indptr, columns, x, true), y->type()), disconnected(), disconnected()};
}

std::vector<VarRef> SampledDot::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    const auto along = [&](const VarRef &x, const VarRef &y) { return sampledDot(x, y, node.input(2), node.input(3)); };
    const VarRef first = evalPoints[0] ? along(evalPoints[0], node.input(1)) : VarRef();
    return {sums::sumOf(first, evalPoints[1] ? along(node.input(0), evalPoints[1]) : VarRef())};
}

void SampledDot::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0], &y = args.inputs[1];
    const std::int64_t elements = args.inputs[2].size(), width = x.shape[1];
    const Places places("sampling_dot", args.inputs[2], args.inputs[3], y.shape[0], elements);
    if (y.shape[1] != width || places.rows != x.shape[0])
        throw ShapeMismatch("[sampling_dot] matrices of shapes " + shapeOfView(x).text() + " and " + shapeOfView(y).text() +
                            " do not fit a pattern of " + std::to_string(places.rows) + " rows");
    const View &out = output(args, 0, Dims{elements});
    const DType work = workingType(out.dtype);
    withElements(work, [&]<class T>() {
        const Dense<T> left(x, work), right(y, work);
        DenseOutput<T> result(out, work);
        Pace pace;
        for (std::int64_t row = 0; row < places.rows; ++row)
            for (std::int64_t k = places.indptr[row]; k < places.indptr[row + 1]; ++k) {
                pace.did(width);
                const T *a = left.data() + row * width, *b = right.data() + places.indices[k] * width;
                T sum = 0;
                for (std::int64_t j = 0; j < width; ++j) sum += a[j] * b[j];
                result[k] = sum;
            }
        result.finish();
    });
}

VarRef sparseDot(const VarRef &data, const VarRef &indices, const VarRef &indptr, const VarRef &columns, const VarRef &dense,
                 bool transposed)
{
    return engine::apply(makeOp<SparseDot>(transposed), {data, indices, indptr, columns, dense});
}

VarRef sampledDot(const VarRef &x, const VarRef &y, const VarRef &indices, const VarRef &indptr)
{
    return engine::apply(makeOp<SampledDot>(), {x, y, indices, indptr});
}

OP_CARD(SparseDot, Sparse, arity(5), parameter("transposed", &SparseDot::transposed));
OP_CARD(SampledDot, Sparse, arity(4));
NOTATION("sparse_dot(data, indices, indptr, columns, dense, transposed=False)", sparseDot);
NOTATION("sampled_dot(x, y, indices, indptr)", sampledDot);

} // namespace engine
