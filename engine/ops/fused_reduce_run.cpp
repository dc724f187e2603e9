#include "engine/ops/fused_reduce.h"

#include "engine/runtime/elementwise_thunk.h"
#include "engine/runtime/fused_reduce_thunk.h"

#include <algorithm>

namespace engine {
namespace {

RtReduce primitiveOf(ReduceKind kind)
{
    static constexpr RtReduce primitives[] = {RT_SUM, RT_PROD, RT_MAX, RT_MIN, RT_ANY, RT_ALL, RT_MAX};
    return primitives[static_cast<std::size_t>(kind)];
}

} // namespace

std::unique_ptr<Thunk> FusedReduce::prepare(const ThunkSpec &spec) const
{
    std::vector<DType> dtypes;
    for (const SlotOperand &input : spec.inputs) dtypes.push_back(input.dtype);
    const DType element = elements().scalar()->resultType(dtypes);
    const std::vector<int> axes = reduce().axesFor(spec.inputs[0].shape.rank());
    reduce().needElements(broadcastShape(spec.inputs));
    return fusedReduceThunk(elements().scalar(), element, primitiveOf(reduce().kind()), axes, reduce().accumulatorDType(element), spec);
}

void FusedReduce::perform(PerformArgs &args) const
{
    if (!args.outputs[0].data) {
        const Dims whole = broadcastShape(operandsOf(args.inputs, 0));
        const std::vector<int> axes = reduce().axesFor(whole.rank());
        Dims shape;
        for (int axis = 0; axis < whole.rank(); ++axis)
            if (!std::binary_search(axes.begin(), axes.end(), axis)) shape.push_back(whole[static_cast<std::size_t>(axis)]);
        args.allocate(0, shape);
    }
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

} // namespace engine
