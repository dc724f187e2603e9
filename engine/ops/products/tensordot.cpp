// Products over any axes, by way of one matrix product.
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {
namespace {

struct SplitAxes {
    std::vector<int> kept, summed;
};

SplitAxes splitAxes(const VarRef &a, std::span<const int> axes)
{
    SplitAxes split;
    const int rank = a->type().rank();
    for (int axis : axes) {
        const int positive = axis < 0 ? axis + rank : axis;
        if (positive < 0 || positive >= rank)
            throw ShapeMismatch("[tensordot] axis " + std::to_string(axis) + " is out of range for " + a->type().text());
        if (std::find(split.summed.begin(), split.summed.end(), positive) != split.summed.end())
            throw ShapeMismatch("[tensordot] axis " + std::to_string(axis) + " is named twice");
        split.summed.push_back(positive);
    }
    for (int axis = 0; axis < rank; ++axis)
        if (std::find(split.summed.begin(), split.summed.end(), axis) == split.summed.end()) split.kept.push_back(axis);
    return split;
}

VarRef product(const VarRef &a, const std::vector<int> &axes)
{
    VarRef total = constantOf(DType::Int64, 1);
    for (std::size_t i = 0; i < axes.size(); ++i) total = i ? mul(total, shapeOf(a, axes[i])) : shapeOf(a, axes[i]);
    return total;
}

std::vector<int> joined(const std::vector<int> &first, const std::vector<int> &second)
{
    std::vector<int> result = first;
    result.insert(result.end(), second.begin(), second.end());
    return result;
}

} // namespace

VarRef tensordot(const VarRef &a, const VarRef &b, std::span<const int> axesA, std::span<const int> axesB)
{
    if (axesA.size() != axesB.size())
        throw ShapeMismatch("[tensordot] sums over " + std::to_string(axesA.size()) + " axes of the first and " +
                            std::to_string(axesB.size()) + " of the second argument");
    const SplitAxes x = splitAxes(a, axesA), y = splitAxes(b, axesB);
    const VarRef left = dimshuffle(a, joined(x.kept, x.summed));
    const VarRef right = dimshuffle(b, joined(y.summed, y.kept));
    const VarRef rows = product(a, x.kept), inner = product(a, x.summed), columns = product(b, y.kept);
    const VarRef leftSizes[] = {rows, inner}, rightSizes[] = {product(b, y.summed), columns};
    const VarRef flat = dot(reshape(left, leftSizes), reshape(right, rightSizes));
    std::vector<VarRef> sizes;
    std::vector<bool> pattern;
    for (int axis : x.kept) sizes.push_back(shapeOf(a, axis)), pattern.push_back(a->type().isBroadcastable(axis));
    for (int axis : y.kept) sizes.push_back(shapeOf(b, axis)), pattern.push_back(b->type().isBroadcastable(axis));
    return patternBroadcast(reshape(flat, sizes), pattern);
}

VarRef outer(const VarRef &a, const VarRef &b)
{
    return dot(dimshuffle(flatten(a), {0, DimShuffle::kNewAxis}), dimshuffle(flatten(b), {DimShuffle::kNewAxis, 0}));
}

NOTATION("tensordot(a, b, axes=2)", [](NotationCall &call) -> NotationValue {
    const VarRef a = call.variable("a"), b = call.variable("b");
    const std::int64_t count = call.integer("axes", 2);
    if (count < 0 || count > std::min(a->type().rank(), b->type().rank())) call.fail("tensordot sums over more axes than there are");
    std::vector<int> axesA, axesB;
    for (int i = 0; i < count; ++i) {
        axesA.push_back(a->type().rank() - static_cast<int>(count) + i);
        axesB.push_back(i);
    }
    return tensordot(a, b, axesA, axesB);
});

} // namespace engine
