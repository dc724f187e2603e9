// One matrix product per element of the first axis.
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/complex_slopes.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/run_support.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/rt/rt.h"
#include "engine/runtime/plan/threads.h"
#include "engine/runtime/thunks/matmul_thunk.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>

namespace engine {

std::vector<Type> BatchedDot::outputTypes(std::span<const Operand> inputs) const
{
    const Type x = inputs[0].type, y = inputs[1].type;
    if (!x.isTensor() || !y.isTensor() || x.rank() != 3 || y.rank() != 3)
        throw ShapeMismatch("[batched_dot] wants two arrays of 3 dimensions, got " + x.text() + " and " + y.text());
    const std::int64_t batch = x.shape()[0] == kUnknownDim ? y.shape()[0] : x.shape()[0];
    const std::int64_t shape[] = {batch, x.shape()[1], y.shape()[2]};
    return {Type::tensor(promote(x.dtype(), y.dtype()), shape)};
}

bool BatchedDot::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    outputs = {{shapes.dim(0, 0), shapes.dim(0, 1), shapes.dim(1, 2)}};
    return true;
}

std::vector<SizeRule> BatchedDot::sizeRules(ShapeBuilder &shapes) const
{
    return {{shapes.dim(0, 0), shapes.dim(1, 0), 0, 0, 1, 0}, {shapes.dim(0, 2), shapes.dim(1, 1), 0, 2, 1, 1}};
}

std::vector<VarRef> BatchedDot::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0), &y = node.input(1);
    if (isDiscrete(node.output(0)->type().dtype())) return {zerosLike(x, floatX()), zerosLike(y, floatX())};
    return throughConjugates(node, outputGrads, [&](std::span<const VarRef> grads) -> std::vector<VarRef> {
        return {sumToPattern(engine::apply(node.opRef(), {grads[0], dimshuffle(y, {0, 2, 1})}), x->type()),
                sumToPattern(engine::apply(node.opRef(), {dimshuffle(x, {0, 2, 1}), grads[0]}), y->type())};
    });
}

std::vector<VarRef> BatchedDot::rop(const Apply &node, std::span<const VarRef> evalPoints) const { return productRop(node, evalPoints); }

Cost BatchedDot::cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const
{
    return {2.0 * static_cast<double>(inputs[0][2]) * static_cast<double>(outputs[0].product())};
}

namespace {

/// The products of matrices `first` to `end` by loops for small ones; false: nothing was done, there is a better way.
bool multiplySmall(const View &x, const View &y, const View &out, std::int64_t first, std::int64_t end)
{
    constexpr std::int64_t kBetweenLooks = 1 << 16; // products
    const auto multiply = [&]<class T>(int (*products)(const RtSmallProducts *, const T *, const T *, T *)) {
        const auto item = static_cast<std::int64_t>(sizeof(T));
        if (x.dtype != out.dtype || y.dtype != out.dtype || !out.isContiguous()) return false;
        for (int axis = 0; axis < 3; ++axis)
            if (x.strides[axis] % item || y.strides[axis] % item) return false;
        RtSmallProducts sizes{0,
                              x.shape[1],
                              y.shape[2],
                              x.shape[2],
                              x.strides[0] / item,
                              x.strides[1] / item,
                              x.strides[2] / item,
                              y.strides[0] / item,
                              y.strides[1] / item,
                              y.strides[2] / item};
        for (std::int64_t b = first; b < end; b += kBetweenLooks) {
            if (b > first) checkInterrupt();
            sizes.count = std::min(kBetweenLooks, end - b);
            if (!products(&sizes, x.as<T>() + b * sizes.aStep, y.as<T>() + b * sizes.bStep, out.as<T>() + b * sizes.rows * sizes.columns))
                return false;
        }
        return true;
    };
    switch (out.dtype) {
    case DType::Float32: return multiply(rt_table()->smallProductsF32);
    case DType::Float64: return multiply(rt_table()->smallProductsF64);
    default: return false;
    }
}

} // namespace

void BatchedDot::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0], &y = args.inputs[1];
    if (x.shape[0] != y.shape[0] || x.shape[2] != y.shape[1])
        throw ShapeMismatch("Shape mismatch: batched_dot of shapes " + shapeOfView(x).text() + " and " + shapeOfView(y).text(),
                            "the first sizes and the inner sizes must be equal");
    const View &out = output(args, 0, Dims{x.shape[0], x.shape[1], y.shape[2]});
    const std::int64_t batch = x.shape[0];
    if (batch == 0) return;
    const auto place = [](const View &v, std::int64_t b) { return static_cast<char *>(v.data) + b * v.strides[0]; };
    const auto slice = [](const View &v) { return View{v.data, v.dtype, 2, v.shape + 1, v.strides + 1}; };
    const View slices[] = {slice(x), slice(y), slice(out)};
    const std::vector<SlotOperand> operands = operandsOf(slices, 0);
    const auto multiply = [&](std::int64_t first, std::int64_t end) {
        if (multiplySmall(x, y, out, first, end)) return;
        // Its own for each thread: it may hold copies of the operands.
        const auto product = productThunk({&operands[0], &operands[1], nullptr, &operands[2]});
        Pace pace;
        for (std::int64_t b = first; b < end; ++b) {
            pace.did(x.shape[1] * x.shape[2] * y.shape[2]);
            void *slots[] = {place(x, b), place(y, b), place(out, b)};
            product->run(slots);
        }
    };
    const std::int64_t multiplications = x.shape[1] * x.shape[2] * y.shape[2];
    const std::int64_t bytes = (x.shape[1] * x.shape[2] + x.shape[2] * y.shape[2]) * static_cast<std::int64_t>(sizeOf(out.dtype));
    // Fewer products than threads: each is shared by itself.
    const bool isShared = canShare() && batch >= threads() && (batch * multiplications >= kSharedProduct || batch * bytes >= kSharedBytes);
    if (isShared) sharePieces(batch, pieceFor(batch, 1, batch), multiply);
    else multiply(0, batch);
}

VarRef batchedDot(const VarRef &a, const VarRef &b)
{
    const int aRank = a->type().rank(), bRank = b->type().rank();
    if (aRank == 0 || bRank == 0 || aRank > 3 || bRank > 3)
        throw ShapeMismatch("[batched_dot] wants 1 to 3 dimensions, got " + a->type().text() + " and " + b->type().text());
    if (aRank == 1) {
        std::vector<int> order{0};
        for (int i = 1; i < bRank; ++i) order.push_back(DimShuffle::kNewAxis);
        return mul(dimshuffle(a, order), b);
    }
    if (bRank == 1) {
        std::vector<int> order{0};
        for (int i = 1; i < aRank; ++i) order.push_back(DimShuffle::kNewAxis);
        return mul(a, dimshuffle(b, order));
    }
    constexpr int x = DimShuffle::kNewAxis;
    const VarRef left = aRank == 2 ? dimshuffle(a, {0, x, 1}) : a;
    const VarRef right = bRank == 2 ? dimshuffle(b, {0, 1, x}) : b;
    static const OpRef op = makeOp<BatchedDot>();
    const VarRef full = engine::apply(op, {left, right});
    std::vector<int> order{0};
    if (aRank == 3) order.push_back(1);
    if (bRank == 3) order.push_back(2);
    return dimshuffle(full, order);
}

OP_CARD(BatchedDot, Product, arity(2));
NOTATION("batched_dot(x, y)", batchedDot);

} // namespace engine
