#include "engine/ops/compose.h"

#include "engine/ops/alloc.h"
#include "engine/ops/creation.h"
#include "engine/ops/dimshuffle.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/index_advanced.h"
#include "engine/ops/join.h"
#include "engine/ops/reduce.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/sort.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <limits>

namespace engine {
namespace {

// A number in the dtype of its neighbour (floatX beside integers).
VarRef like(const VarRef &a, double value)
{
    const DType dtype = a->type().dtype();
    return constantOf(isDiscrete(dtype) ? floatX() : dtype, value);
}
VarRef whole(std::int64_t value) { return literal(value); }
VarRef call(ScalarCode code, const VarRef &a) { return elementwise(code, {a}); }
VarRef call(ScalarCode code, const VarRef &a, const VarRef &b) { return elementwise(code, {a, b}); }

int positiveAxis(const char *symbol, int axis, int rank)
{
    const int positive = axis < 0 ? axis + rank : axis;
    if (positive < 0 || positive >= rank)
        throw ShapeMismatch(std::string("[") + symbol + "] axis " + std::to_string(axis) + " is out of range for an array of " +
                            std::to_string(rank) + " dimensions");
    return positive;
}

VarRef countOf(const VarRef &a, const Axes &axes)
{
    std::vector<int> all;
    for (int i = 0; i < a->type().rank(); ++i) all.push_back(i);
    VarRef count = constantOf(DType::Int64, 1);
    bool isFirst = true;
    for (int axis : axes ? normalizedAxes("var", *axes, a->type().rank()) : all) {
        count = isFirst ? shapeOf(a, axis) : mul(count, shapeOf(a, axis));
        isFirst = false;
    }
    return count;
}

VarRef sliceOf(const VarRef &a, int axis, const VarRef &start, const VarRef &stop)
{
    std::vector<IndexItem> items(static_cast<std::size_t>(axis), IndexItem::slice());
    items.push_back(IndexItem::slice(start, stop));
    return subtensor(a, items);
}

} // namespace

VarRef variance(const VarRef &a, const Axes &axes, int ddof, bool keepDims, bool corrected)
{
    const VarRef center = mean(a, axes, true);
    const VarRef distance = sub(a, center);
    VarRef result;
    if (ddof == 0) {
        result = mean(sqr(distance), axes, keepDims);
    } else {
        const VarRef total = sum(sqr(distance), axes, keepDims);
        result = trueDiv(total, cast(sub(countOf(a, axes), whole(ddof)), total->type().dtype()));
    }
    if (corrected) {
        const VarRef rest = sqr(ddof == 0 ? mean(distance, axes, keepDims)
                                          : trueDiv(sum(distance, axes, keepDims), cast(countOf(a, axes), distance->type().dtype())));
        result = sub(result, rest);
    }
    if (result->owner()) result->setName("var");
    return result;
}

VarRef standardDeviation(const VarRef &a, const Axes &axes, int ddof, bool keepDims)
{
    const VarRef result = call(ScalarCode::Sqrt, variance(a, axes, ddof, keepDims));
    result->setName("std");
    return result;
}

VarRef peakToPeak(const VarRef &a, const Axes &axes) { return sub(reduce(ReduceKind::Max, a, axes), reduce(ReduceKind::Min, a, axes)); }

VarRef norm(const VarRef &a, double order, const Axes &axes, bool keepDims)
{
    if (order == 0) return sum(call(ScalarCode::Neq, a, like(a, 0)), axes, keepDims);
    const VarRef size = call(ScalarCode::Abs, a);
    if (order == std::numeric_limits<double>::infinity()) return reduce(ReduceKind::Max, size, axes, keepDims);
    if (order == -std::numeric_limits<double>::infinity()) return reduce(ReduceKind::Min, size, axes, keepDims);
    if (order == 1) return sum(size, axes, keepDims);
    if (order == 2) return call(ScalarCode::Sqrt, sum(sqr(a), axes, keepDims));
    const VarRef total = sum(pow(size, like(a, order)), axes, keepDims);
    return pow(total, like(total, 1 / order));
}

VarRef relu(const VarRef &x) { return mul(like(x, 0.5), add(x, call(ScalarCode::Abs, x))); }

VarRef relu(const VarRef &x, const VarRef &alpha)
{
    const VarRef half = like(x, 0.5), one = like(x, 1);
    const VarRef rising = mul(half, add(one, alpha)), falling = mul(half, sub(one, alpha));
    return add(mul(rising, x), mul(falling, call(ScalarCode::Abs, x)));
}

VarRef elu(const VarRef &x, double alpha)
{
    return switchOn(call(ScalarCode::Gt, x, like(x, 0)), x, mul(like(x, alpha), call(ScalarCode::Expm1, x)));
}

VarRef selu(const VarRef &x) { return mul(like(x, 1.0507009873554804934193349852946), elu(x, 1.6732632423543772848170429916717)); }

VarRef hardSigmoid(const VarRef &x)
{
    return elementwise(ScalarCode::Clip, {add(mul(x, like(x, 0.2)), like(x, 0.5)), like(x, 0), like(x, 1)});
}

VarRef softsign(const VarRef &x) { return trueDiv(x, add(like(x, 1), call(ScalarCode::Abs, x))); }

VarRef binaryCrossentropy(const VarRef &p, const VarRef &t)
{
    const VarRef one = constantOf(DType::Float32, 1);
    const VarRef hit = mul(t, log(p)), miss = mul(sub(one, t), log(sub(one, p)));
    return neg(add(hit, miss));
}

VarRef sigmoidBinaryCrossentropy(const VarRef &logit, const VarRef &t)
{
    const VarRef step = call(ScalarCode::Gt, logit, like(logit, 0));
    return add(call(ScalarCode::Softplus, neg(call(ScalarCode::Abs, logit))), mul(logit, sub(cast(step, logit->type().dtype()), t)));
}

VarRef isClose(const VarRef &a, const VarRef &b, double rtol, double atol, bool equalNan)
{
    if (isDiscrete(a->type().dtype()) && isDiscrete(b->type().dtype()))
        return call(ScalarCode::Le, call(ScalarCode::Abs, sub(a, b)),
                    add(constantOf(DType::Float64, atol), mul(constantOf(DType::Float64, rtol), call(ScalarCode::Abs, b))));
    const VarRef bound = add(like(b, atol), mul(like(b, rtol), call(ScalarCode::Abs, b)));
    const VarRef near = call(ScalarCode::Le, call(ScalarCode::Abs, sub(a, b)), bound);
    const VarRef equal = call(ScalarCode::Eq, a, b);
    const VarRef infinite = call(ScalarCode::Or, call(ScalarCode::IsInf, a), call(ScalarCode::IsInf, b));
    VarRef result = switchOn(infinite, equal, near);
    if (equalNan) result = call(ScalarCode::Or, result, call(ScalarCode::And, call(ScalarCode::IsNan, a), call(ScalarCode::IsNan, b)));
    return result;
}

VarRef allClose(const VarRef &a, const VarRef &b, double rtol, double atol, bool equalNan)
{
    return reduce(ReduceKind::All, isClose(a, b, rtol, atol, equalNan));
}

VarRef difference(const VarRef &a, int n, int axis)
{
    const int place = positiveAxis("diff", axis, a->type().rank());
    VarRef result = a;
    for (int i = 0; i < n; ++i)
        result = sub(sliceOf(result, place, constantOf(DType::Int64, 1), {}), sliceOf(result, place, {}, constantOf(DType::Int64, -1)));
    return result;
}

VarRef binCount(const VarRef &a, const VarRef &weights, std::int64_t minLength)
{
    if (a->type().rank() != 1 || !isInteger(a->type().dtype()))
        throw TypeMismatch("[bincount] wants a vector of integers, got " + a->type().text());
    VarRef length = add(cast(reduce(ReduceKind::Max, a), DType::Int64), constantOf(DType::Int64, 1));
    if (minLength > 0) length = call(ScalarCode::Maximum, length, Variable::constant(Tensor::scalarInt(DType::Int64, minLength)));
    const DType dtype = weights ? weights->type().dtype() : DType::Int64;
    const VarRef empty = zeros(std::span<const VarRef>(&length, 1), dtype);
    const IndexItem items[] = {IndexItem::array(a)};
    return incSubtensor(subtensor(empty, items), weights ? weights : constantOf(DType::Int64, 1));
}

VarRef squeeze(const VarRef &a, std::optional<int> axis)
{
    const int rank = a->type().rank();
    std::vector<int> order;
    for (int i = 0; i < rank; ++i)
        if (axis ? i != positiveAxis("squeeze", *axis, rank) : !a->type().isBroadcastable(i)) order.push_back(i);
    return dimshuffle(a, order);
}

VarRef swapAxes(const VarRef &a, int first, int second)
{
    const int rank = a->type().rank();
    std::vector<int> order;
    for (int i = 0; i < rank; ++i) order.push_back(i);
    std::swap(order[static_cast<std::size_t>(positiveAxis("swapaxes", first, rank))],
              order[static_cast<std::size_t>(positiveAxis("swapaxes", second, rank))]);
    return dimshuffle(a, order);
}

VarRef moveAxis(const VarRef &a, int from, int to)
{
    const int rank = a->type().rank();
    const int source = positiveAxis("moveaxis", from, rank), target = positiveAxis("moveaxis", to, rank);
    std::vector<int> order;
    for (int i = 0; i < rank; ++i)
        if (i != source) order.push_back(i);
    order.insert(order.begin() + target, source);
    return dimshuffle(a, order);
}

VarRef padRight(const VarRef &a, int count)
{
    std::vector<int> order;
    for (int i = 0; i < a->type().rank(); ++i) order.push_back(i);
    order.insert(order.end(), static_cast<std::size_t>(std::max(count, 0)), DimShuffle::kNewAxis);
    return dimshuffle(a, order);
}

VarRef padAxis(const VarRef &a, int axis)
{
    const int rank = a->type().rank();
    const int place = positiveAxis("shape_padaxis", axis, rank + 1);
    std::vector<int> order;
    for (int i = 0; i < rank; ++i) order.push_back(i);
    order.insert(order.begin() + place, DimShuffle::kNewAxis);
    return dimshuffle(a, order);
}

VarRef toOneHot(const VarRef &y, const VarRef &classes, DType dtype)
{
    if (y->type().rank() != 1 || !isInteger(y->type().dtype()))
        throw TypeMismatch("[to_one_hot] wants a vector of integers, got " + y->type().text());
    const VarRef rows = shapeOf(y, 0);
    const VarRef sizes[] = {rows, classes};
    const IndexItem items[] = {IndexItem::array(arange(rows)), IndexItem::array(y)};
    return setSubtensor(subtensor(zeros(sizes, dtype), items), constantOf(dtype, 1));
}

VarRef fillDiagonal(const VarRef &a, const VarRef &value, int offset)
{
    if (a->type().rank() != 2) throw ShapeMismatch("[fill_diagonal] wants a matrix, got " + a->type().text());
    const VarRef isDiagonal = eye(shapeOf(a, 0), shapeOf(a, 1), constantOf(DType::Int64, offset), DType::Bool);
    return switchOn(isDiagonal, cast(value, a->type().dtype()), a);
}

VarRef roll(const VarRef &a, const VarRef &shift, std::optional<int> axis)
{
    if (!axis) {
        const VarRef flat = roll(flatten(a), shift, 0);
        return a->type().rank() == 1 ? flat : reshape(flat, shape(a), a->type().rank());
    }
    const int place = positiveAxis("roll", *axis, a->type().rank());
    const VarRef size = shapeOf(a, place);
    const VarRef steps = switchOn(call(ScalarCode::Eq, size, constantOf(DType::Int64, 0)), constantOf(DType::Int64, 0),
                                  call(ScalarCode::Mod, cast(shift, DType::Int64), size));
    const VarRef cut = sub(size, steps);
    const VarRef parts[] = {sliceOf(a, place, cut, {}), sliceOf(a, place, {}, cut)};
    return join(place, parts);
}

VarRef choose(const VarRef &a, const VarRef &choices)
{
    const int rank = choices->type().rank() - 1;
    if (rank < 0 || a->type().rank() > rank)
        throw ShapeMismatch("[choose] " + a->type().text() + " cannot choose among " + choices->type().text());
    std::vector<IndexItem> items{IndexItem::array(a)};
    for (int i = 0; i < rank; ++i) {
        std::vector<int> order(static_cast<std::size_t>(rank), DimShuffle::kNewAxis);
        order[static_cast<std::size_t>(i)] = 0;
        items.push_back(IndexItem::array(dimshuffle(arange(shapeOf(choices, i + 1)), order)));
    }
    return subtensor(choices, items);
}

VarRef compress(const VarRef &condition, const VarRef &a, std::optional<int> axis)
{
    return take(a, nonzero(condition)[0], axis ? axis : std::optional<int>());
}

VarRef ceilDivide(const VarRef &a, const VarRef &b)
{
    const VarRef quotient = call(ScalarCode::IntDiv, a, b), rest = call(ScalarCode::Mod, a, b);
    return add(quotient, call(ScalarCode::Neq, rest, whole(0)));
}

namespace {

VarRef lastOf(const VarRef &ordered, std::int64_t k, int axis)
{
    if (k == 0) throw ShapeMismatch("[topk] k cannot be 0");
    const int place = positiveAxis("topk", axis, ordered->type().rank());
    const VarRef bound = Variable::constant(Tensor::scalarInt(DType::Int64, -k));
    return k > 0 ? sliceOf(ordered, place, bound, {}) : sliceOf(ordered, place, {}, bound);
}

} // namespace

VarRef topK(const VarRef &a, std::int64_t k, int axis) { return lastOf(sort(a, axis), k, axis); }
VarRef argTopK(const VarRef &a, std::int64_t k, int axis) { return lastOf(argsort(a, axis), k, axis); }

VarRef ravelIndex(std::span<const VarRef> indices, std::span<const VarRef> sizes)
{
    if (indices.size() != sizes.size() || indices.empty())
        throw ShapeMismatch("[ravel_multi_index] there are " + std::to_string(indices.size()) + " index arrays for " +
                            std::to_string(sizes.size()) + " sizes");
    VarRef result = indices[0];
    for (std::size_t i = 1; i < indices.size(); ++i) result = add(mul(result, sizes[i]), indices[i]);
    return cast(result, DType::Int64);
}

std::vector<VarRef> unravelIndex(const VarRef &index, std::span<const VarRef> sizes)
{
    std::vector<VarRef> result(sizes.size());
    VarRef rest = cast(index, DType::Int64);
    for (std::size_t i = sizes.size(); i-- > 0;) {
        result[i] = i == 0 ? rest : call(ScalarCode::Mod, rest, sizes[i]);
        if (i > 0) rest = call(ScalarCode::IntDiv, rest, sizes[i]);
    }
    return result;
}

} // namespace engine
