#include "engine/ops/reduce.h"

#include "engine/runtime/reduce_thunk.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {
namespace {

RtReduce primitiveOf(ReduceKind kind)
{
    switch (kind) {
    case ReduceKind::Sum: return RT_SUM;
    case ReduceKind::Prod: return RT_PROD;
    case ReduceKind::Max:
    case ReduceKind::Largest: return RT_MAX;
    case ReduceKind::Min: return RT_MIN;
    case ReduceKind::Any: return RT_ANY;
    case ReduceKind::All: return RT_ALL;
    }
    return RT_SUM;
}

} // namespace

void CAReduce::needElements(const Dims &shape) const
{
    if (m_kind != ReduceKind::Max && m_kind != ReduceKind::Min) return;
    const std::vector<int> axes = axesFor(shape.rank());
    bool isEmpty = false, hasResults = true;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[static_cast<std::size_t>(axis)]) continue;
        (std::binary_search(axes.begin(), axes.end(), axis) ? isEmpty = true : hasResults = false);
    }
    if (isEmpty && hasResults)
        throw ShapeMismatch(std::string("zero-size array to reduction operation ") + (m_kind == ReduceKind::Max ? "maximum" : "minimum") +
                            " which has no identity");
}

std::unique_ptr<Thunk> CAReduce::prepare(const ThunkSpec &spec) const
{
    const SlotOperand &input = spec.inputs[0];
    needElements(input.shape);
    return reduceThunk(primitiveOf(m_kind), axesFor(input.shape.rank()), accumulatorDType(input.dtype), spec);
}

void CAReduce::perform(PerformArgs &args) const
{
    if (!args.outputs[0].data) {
        const View &input = args.inputs[0];
        const std::vector<int> axes = axesFor(input.rank);
        Dims shape;
        for (int axis = 0; axis < input.rank; ++axis)
            if (std::find(axes.begin(), axes.end(), axis) == axes.end()) shape.push_back(input.shape[axis]);
        args.allocate(0, shape);
    }
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

} // namespace engine
