// An expression for each op that has a form for devices, over the dtypes and layouts that make kernels of their own.
#pragma once

#include "engine/graph/ir/type.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/tensor.h"

#include <ostream>
#include <random>

namespace device_ops {

using namespace engine;

struct Case {
    const char *name;
    const char *text;
    const char *forms; ///< of which classes something runs on the device, by their names for devices, apart by spaces
};

inline std::ostream &operator<<(std::ostream &out, const Case &one) { return out << one.name; }

inline const Case kCases[] = {
    {"Elementwise", "x: fmatrix; y: fmatrix; exp(x) * y + 1", "GpuElemwise"},
    {"Doubles", "x: dmatrix; y: dmatrix; tanh(x) * y - 3", "GpuElemwise"},
    {"Halves", "x: fmatrix; y: fmatrix; exp(cast(x, float16) * cast(y, float16))", "GpuElemwise"},
    {"MixedTypes", "x: fmatrix; i: imatrix; x * i", "GpuElemwise"},
    {"Comparison", "x: fmatrix; y: fmatrix; x > y", "GpuElemwise"},
    {"Broadcast", "x: fmatrix; r: frow; c: fcol; x * r + c", "GpuElemwise"},
    {"Transposed", "x: fmatrix; y: fmatrix; exp(x.T) + y.T", "GpuDimShuffle GpuElemwise"},
    {"TransposedBeside", "x: fmatrix; y: fmatrix; d = dot(x, y.T); exp(d.T / 9) - d * d", "GpuElemwise"},
    {"ReturnedTransposed", "x: fmatrix; exp(x).T", "GpuElemwise"},
    {"NewAxis", "x: fvector; y: fmatrix; dimshuffle(exp(x), 0, 'x') * y", "GpuDimShuffle"},
    {"Matrices", "x: fmatrix; y: fmatrix; dot(x, y.T)", "GpuDot22"},
    {"DoubleMatrices", "x: dmatrix; y: dmatrix; dot(x.T, y)", "GpuDot22"},
    {"ScaledMatrices", "x: fmatrix; y: fmatrix; 3 * dot(x, y.T)", "GpuDot22Scalar"},
    {"Gemm", "x: fmatrix; y: fmatrix; gemm(dot(exp(x), exp(x).T), 0.5, x, y.T, 2.0)", "GpuGemm"},
    {"MatrixByVector", "x: fmatrix; dot(x, exp(x[0]))", "GpuGemv"},
    {"TransposedByVector", "x: fmatrix; dot(x.T, exp(x[:, 0]))", "GpuGemv"},
    {"Outer", "x: fmatrix; dot(x, x.T) + 2 * outer(x[:, 0], x[:, 1])", "GpuGer"},
    {"Window", "x: fmatrix; exp(x)[1:, ::2] + 1", "GpuSubtensor"},
    {"Backwards", "x: fmatrix; exp(x)[::-1] + 1", "GpuSubtensor"},
    {"Element", "x: fmatrix; i: lscalar; exp(x)[i] + 1", "GpuSubtensor"},
    {"SetWindow", "x: fmatrix; y: fmatrix; set_subtensor(exp(x)[1:], exp(y)[1:])", "GpuIncSubtensor"},
    {"IncreaseWindow", "x: fmatrix; inc_subtensor(exp(x)[:, 1:], 2 * exp(x)[:, :1])", "GpuIncSubtensor"},
    {"IncreaseRow", "x: fmatrix; i: lscalar; inc_subtensor(exp(x)[i], exp(x[0]))", "GpuIncSubtensor"},
    {"Rows", "x: fmatrix; p: lvector; exp(x)[p] + 1", "GpuAdvancedSubtensor1"},
    {"IncreaseRows", "x: fmatrix; p: lvector; inc_subtensor(exp(x)[p], exp(x)[p] * 2)", "GpuAdvancedIncSubtensor1"},
    {"Join", "x: fmatrix; y: fmatrix; join(0, exp(x), exp(y)) + 1", "GpuJoin"},
    {"JoinColumns", "x: fmatrix; y: fmatrix; join(1, exp(x), exp(y).T.T, x) + 1", "GpuJoin"},
    {"Reshape", "x: fmatrix; reshape(exp(x), -1) + 1", "GpuReshape"},
    {"ReshapeTransposed", "x: fmatrix; reshape(exp(x).T, -1) + 1", "GpuReshape"},
    {"Sums", "x: fmatrix; sum(exp(x), axis=0) + sum(x)", "GpuCAReduce"},
    {"Largest", "x: fmatrix; max(exp(x), axis=1)", "GpuCAReduce"},
    {"Mean", "x: fmatrix; mean(exp(x))", "GpuCAReduce"},
    {"Softmax", "x: fmatrix; softmax(x * 3)", "GpuSoftmax"},
    {"LogSoftmax", "x: fmatrix; logsoftmax(x * 3)", "GpuLogSoftmax"},
    {"SoftmaxWithBias", "x: fmatrix; SoftmaxWithBias(x, exp(x)[0])", "GpuSoftmaxWithBias"},
    {"SoftmaxGrad", "x: fmatrix; y: fmatrix; SoftmaxGrad(exp(x), exp(y))", "GpuSoftmaxGrad"},
    {"Crossentropy", "x: fmatrix; CrossentropyCategorical1Hot(exp(x), cast(x[:, 0] > 0, int64))", "GpuCrossentropyCategorical1Hot"},
    {"CrossentropyWithBias", "x: fmatrix; CrossentropySoftmaxArgmax1HotWithBias(exp(x), exp(x)[0], cast(x[:, 0] > 0, int64))[0]",
     "GpuCrossentropySoftmaxArgmax1HotWithBias"},
    {"CrossentropyGradient", "x: fmatrix; CrossentropySoftmax1HotWithBiasDx(exp(x)[:, 0], exp(x), cast(x[:, 0] > 0, int64))",
     "GpuCrossentropySoftmax1HotWithBiasDx"},
    {"CrossentropyGradientOfMean", "x: fmatrix; CrossentropySoftmax1HotWithBiasDx(sum(exp(x)), exp(x), cast(x[:, 0] > 0, int64))",
     "GpuCrossentropySoftmax1HotWithBiasDx"},
    {"CrossentropyOfARange",
     "x: fmatrix; y: fmatrix; c = cast(y[:, 0] > 0, int64); p = softmax(x * 3); cost = -mean(log(p)[arange(c.shape[0]), c]); cost, grad(cost, x)",
     "GpuCrossentropySoftmaxArgmax1HotWithBias GpuCrossentropySoftmax1HotWithBiasDx"},
    {"CrossentropyOfFirstRows",
     "x: fmatrix; q: fvector; c = cast(q[1:] * 2, int8); p = softmax(x * 3); cost = -sum(log(p)[arange(c.shape[0]), c]); cost, grad(cost, x)",
     "GpuCrossentropySoftmaxArgmax1HotWithBias GpuCrossentropySoftmax1HotWithBiasDx"},
    {"CrossentropyOfOneClass",
     "x: fmatrix; q: fvector; c = cast(q[:1] * 2, int32); p = softmax(x * 3); cost = -sum(log(p)[arange(x.shape[0]), c]); cost, grad(cost, x)",
     "GpuCrossentropySoftmaxArgmax1HotWithBias GpuCrossentropySoftmax1HotWithBiasDx"},
    {"HalfProduct", "x: fmatrix; y: fmatrix; dot(cast(x, float16), cast(y, float16).T)", "GpuDot"},
    {"HalfSoftmax", "x: fmatrix; softmax(cast(x * 3, float16))", "GpuSoftmax"},
    {"Contiguous", "x: fmatrix; CpuContiguous(exp(x).T) + 1", "GpuContiguous"},
    {"Argmax", "x: fmatrix; argmax(exp(x), axis=1)", "GpuArgmax"},
    {"ArgmaxOfColumns", "x: dmatrix; argmax(x * 2, axis=0)", "GpuArgmax"},
    {"ArgmaxOfAll", "x: fmatrix; argmax(exp(x))", "GpuArgmax"},
    {"MaxAndArgmax", "x: fmatrix; MaxAndArgmax(exp(x), axis=1)[0] + cast(MaxAndArgmax(exp(x), axis=1)[1], float32)", "GpuMaxAndArgmax"},
    {"Elements", "x: fmatrix; p: lvector; exp(x)[p, p % 2] + 1", "GpuAdvancedSubtensor"},
    {"ElementsBehindSlices", "x: fmatrix; p: lvector; exp(x)[1:, p % 2] + 1", "GpuAdvancedSubtensor"},
    {"IncreaseElements", "x: fmatrix; p: lvector; inc_subtensor(exp(x)[p, p % 2], exp(x)[p, 0])", "GpuAdvancedIncSubtensor"},
    {"SetColumns", "x: fmatrix; p: lvector; set_subtensor(exp(x)[:, p % 2], 3)", "GpuAdvancedIncSubtensor"},
    {"RowsThere", "x: fmatrix; q: fvector; p = cast(q * cast(x.shape[0], float32), int64); exp(x)[p] + 1", "GpuAdvancedSubtensor1"},
    {"RowsByBytesThere", "x: fmatrix; q: fvector; p = cast(q * cast(x.shape[0], float32), int8); exp(x)[p] + 1", "GpuAdvancedSubtensor1"},
    {"RowsOfIntegersThere", "x: fmatrix; q: fvector; p = cast(q * cast(x.shape[0], float32), int32); cast(x * 99, int16)[p[::-1]]",
     "GpuAdvancedSubtensor1"},
    {"ElementsThere",
     "x: fmatrix; q: fvector; p = cast(q * cast(x.shape[0], float32), int64); c = cast(q * cast(x.shape[1], float32), int32); exp(x)[p, c] + 1",
     "GpuAdvancedSubtensor"},
    {"ElementsOfARangeThere", "x: fmatrix; q: fvector; c = cast(q * cast(x.shape[1], float32), int32); exp(x)[arange(q.shape[0]), c] + 1",
     "GpuARange GpuAdvancedSubtensor"},
    {"ElementsOfBoth", "x: fmatrix; q: fvector; p: lvector; c = cast(q * cast(x.shape[1], float32), int16); exp(x)[p, c] + 1",
     "GpuAdvancedSubtensor"},
    {"ColumnsThere", "x: fmatrix; q: fvector; c = cast(q * cast(x.shape[1], float32), int32); exp(x)[::-1, c] + 1", "GpuAdvancedSubtensor"},
    {"MatrixOfRowsThere", "x: fmatrix; y: fmatrix; m = cast(y.T * cast(x.shape[0], float32), int32); exp(x)[m] + 1",
     "GpuAdvancedSubtensor"},
    {"PlacesOfManyAxesThere",
     "t: ftensor3; q: fvector; p = cast(q * cast(t.shape[0], float32), int32); c = cast(q * cast(t.shape[2], float32), int64); "
     "exp(t)[p, :, c] + 1",
     "GpuAdvancedSubtensor"},
    {"SetRowsThere", "x: fmatrix; y: fmatrix; q: fvector; p = cast(q * cast(x.shape[0], float32), int64); set_subtensor(exp(x)[p], y * 2)",
     "GpuAdvancedIncSubtensor1"},
    {"IncreaseRowsThere",
     "x: fmatrix; q: fvector; p = cast(abs(q) * cast(x.shape[0], float32), uint8); inc_subtensor(exp(x)[p], exp(x)[0])",
     "GpuAdvancedIncSubtensor1"},
    {"IncreaseElementsThere",
     "x: fmatrix; q: fvector; p = cast(q * cast(x.shape[0], float32), int64); c = cast(q * cast(x.shape[1], float32), int32); "
     "inc_subtensor(exp(x)[p, c], q * 2)",
     "GpuAdvancedIncSubtensor"},
    {"SetColumnsThere",
     "x: fmatrix; y: fmatrix; q: fvector; c = cast(q * cast(x.shape[1], float32), int32); "
     "set_subtensor(exp(x)[:, c], exp(y)[:, :1])",
     "GpuAdvancedIncSubtensor"},
    {"IncreaseHalvesThere",
     "x: fmatrix; q: fvector; p = cast(q * cast(x.shape[0], float32), int32); "
     "inc_subtensor(cast(x, float16)[p], cast(x[:1], float16))",
     "GpuAdvancedIncSubtensor1"},
    {"GradientOfRowsThere", "x: fmatrix; q: fvector; p = cast(q * cast(x.shape[0], float32), int64); grad(sum(sqr(exp(x)[p])), x)",
     "GpuAdvancedSubtensor1 GpuAdvancedIncSubtensor1"},
    {"Range", "x: dmatrix; exp(x)[0] * arange(x.shape[1]) + arange(1, 3 * x.shape[1], 3)", "GpuARange"},
    {"Repeated", "x: fmatrix; repeat(exp(x), 3, axis=1) + 1", "GpuRepeat"},
    {"RepeatedAsAsked", "x: fmatrix; i: lscalar; repeat(exp(x).T, i, axis=1) + 1", "GpuRepeat"},
    {"GradientOfRepeated", "x: fmatrix; grad(sum(sqr(repeat(exp(x), 2, axis=0))), x)", "GpuRepeat"},
    {"RunningSum", "x: fmatrix; cumsum(exp(x), axis=1) + 1", "GpuCumOp"},
    {"RunningSumOfColumns", "x: dmatrix; cumsum(exp(x).T, axis=1) + 1", "GpuCumOp"},
    {"RunningSumOfAll", "x: fmatrix; cumsum(exp(x)) + 1", "GpuCumOp"},
    {"RunningSumOfHalves", "x: fmatrix; cumsum(cast(x, float16), axis=0)", "GpuCumOp"},
    {"RunningProductOfIntegers", "x: fmatrix; cumprod(cast(x * 5, int16), axis=1)", "GpuCumOp"},
    {"GradientOfRunning", "x: fmatrix; grad(sum(sqr(cumsum(exp(x), axis=1)) + sqr(cumprod(exp(x / 9), axis=0))), x)", "GpuCumOp"},
    {"Sorted", "x: fmatrix; sort(exp(x)) + 1", "GpuSortOp"},
    {"SortedColumns", "x: dmatrix; sort(exp(x), axis=0) + 1", "GpuSortOp"},
    {"SortedHalves", "x: fmatrix; sort(cast(x, float16))", "GpuSortOp"},
    {"SortedIntegers", "x: fmatrix; sort(cast(x * 5, int8), axis=0), sort(cast(abs(x) * 5, uint32)), sort(x > 0)", "GpuSortOp"},
    {"PlacesInOrder", "x: fmatrix; argsort(exp(x)) * 2, argsort(cast(x * 5, int32), axis=0)", "GpuArgSortOp"},
    {"GradientOfSorted", "x: fmatrix; y: fmatrix; grad(sum(sort(exp(x)) * y), x)", "GpuArgSortOp GpuAdvancedIncSubtensor"},
    {"UnitMatrix", "x: fmatrix; exp(x) * eye(x.shape[0], x.shape[1], 1, dtype=float32)", "GpuEye"},
    {"Triangles", "x: fmatrix; tril(exp(x), -1) + triu(exp(x), 1), cast(exp(x), float16) * tri(x.shape[0], x.shape[1], 0, dtype=float16)",
     "GpuTri"},
    {"Diagonal", "x: fmatrix; diag(exp(x)) + 1, diag(exp(x).T, -1) + 1", "GpuExtractDiag"},
    {"OnADiagonal", "x: fmatrix; diag(exp(x)[0], 1) + 1, grad(sum(sqr(diag(exp(x)))), x)", "GpuAddToDiag GpuExtractDiag"},
    {"Masked", "x: fmatrix; y: fmatrix; exp(x)[y > 0] + 1", "GpuNonzero GpuAdvancedSubtensor"},
    {"MaskedRows", "x: fmatrix; y: fmatrix; exp(x)[y[:, 0] > 0] + 1", "GpuNonzero GpuAdvancedSubtensor1"},
    {"SetMasked", "x: fmatrix; y: fmatrix; set_subtensor(exp(x)[y > 0], 0), inc_subtensor(exp(x)[x > y], 1)",
     "GpuNonzero GpuAdvancedIncSubtensor"},
    {"MaskOfTriangle",
     "x: fmatrix; n = x.shape[0]; t = tri(n, x.shape[1], 0, dtype=float32) > 0; exp(x) * t + cast(arange(x.shape[1]), float32)",
     "GpuTri GpuARange"},
    {"Choice", "x: fmatrix; y: fmatrix; i: lscalar; ifelse(i, exp(x), exp(y.T).T) + 1", "IfElse"},
    {"ChoiceOfSizes", "x: fmatrix; i: lscalar; ifelse(i, exp(x), exp(x)[1:, ::-1]) + 1", "IfElse"},
    {"ChoiceOfIntegers", "x: fmatrix; i: lscalar; ifelse(i > 1, cast(x * 9, int16).T, cast(x.T, int16)) + 1", "IfElse"},
    {"Checked", "x: fmatrix; i: lscalar; assert_(exp(x).T, i > -1) + 1", "Assert"},
    {"Filled", "x: fmatrix; join(0, alloc(2.5, x.shape[0], x.shape[1]), exp(x)) + 1", "GpuAlloc GpuJoin"},
};

inline Tensor drawn(Type type, std::minstd_rand &random, std::int64_t rows, std::int64_t columns)
{
    const std::int64_t sizes[] = {rows, columns, rows + 1, 2};
    Dims shape;
    for (int axis = 0; axis < type.rank(); ++axis)
        shape.push_back(type.isBroadcastable(axis) ? 1 : sizes[type.rank() == 3 ? axis : axis % 2]);
    Tensor tensor = Tensor::empty(type.dtype(), shape);
    withStorageType(type.dtype(), [&]<class T>() {
        for (std::int64_t i = 0; i < tensor.size(); ++i)
            tensor.as<T>()[i] =
                convertElement<T>(isContinuous(type.dtype()) ? static_cast<double>(random() % 2000) / 1000 - 1
                                                             : static_cast<double>(random() % static_cast<unsigned long>(rows)));
    });
    return tensor;
}

/// The same elements with gaps, the rows backwards; of another rank than 2 the array itself.
inline Tensor withGaps(const Tensor &array)
{
    if (array.rank() != 2) return array;
    Tensor wide = Tensor::zeros(array.dtype(), {array.shape()[0], 2 * array.shape()[1]});
    const Dims strides{-wide.strides()[0], 2 * wide.strides()[1]};
    Tensor window(array.dtype(), array.shape(), strides, wide.as<char>() + (array.shape()[0] - 1) * wide.strides()[0], wide.storage());
    copyConverted(array.view(), window.view());
    return window;
}

} // namespace device_ops
