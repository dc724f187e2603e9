#include "engine/ops/reductions/reduce.h"

#include "engine/codegen/loop_writer.h"
#include "engine/graph/op/op_card.h"
#include "engine/runtime/device/device_reduce_thunk.h"
#include "engine/runtime/thunks/reduce_thunk.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {

RtReduce CAReduce::primitive() const
{
    static constexpr RtReduce primitives[] = {RT_SUM, RT_PROD, RT_MAX, RT_MIN, RT_ANY, RT_ALL, RT_MAX};
    return primitives[static_cast<std::size_t>(m_kind)];
}

Dims CAReduce::keptShape(const Dims &shape) const
{
    const std::vector<int> axes = axesFor(shape.rank());
    Dims kept;
    for (int axis = 0; axis < shape.rank(); ++axis)
        if (!std::binary_search(axes.begin(), axes.end(), axis)) kept.push_back(shape[axis]);
    return kept;
}

void CAReduce::needElements(const Dims &shape) const
{
    if (m_kind != ReduceKind::Max && m_kind != ReduceKind::Min) return;
    if (shape.product() == 0 && keptShape(shape).product() != 0)
        throw ShapeMismatch(std::string("zero-size array to reduction operation ") + (m_kind == ReduceKind::Max ? "maximum" : "minimum") +
                            " which has no identity");
}

std::unique_ptr<Thunk> CAReduce::prepare(const ThunkSpec &spec) const
{
    const SlotOperand &input = spec.inputs[0];
    needElements(input.shape);
    const std::vector<int> axes = axesFor(input.shape.rank());
    const DType accumulator = accumulatorDType(input.dtype);
    if (input.device != DeviceId::Host) return deviceReduceThunk(nullptr, input.dtype, primitive(), axes, accumulator, spec, name());
    return reduceThunk(primitive(), axes, accumulator, spec);
}

void CAReduce::perform(PerformArgs &args) const
{
    if (!args.outputs[0].data) {
        const View &input = args.inputs[0];
        args.allocate(0, keptShape(Dims(std::span(input.shape, static_cast<std::size_t>(input.rank)))));
    }
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

// Sums and the like of floats: others have no kernels over rows.
ROW_AXES(CAReduce, [](const CAReduce &op, std::span<const Type> inputs) -> std::optional<RowAxes> {
    const Type type = inputs[0];
    const bool isLogic = op.kind() == ReduceKind::Any || op.kind() == ReduceKind::All;
    if (isLogic || (type.dtype() != DType::Float32 && type.dtype() != DType::Float64)) return std::nullopt;
    const RowAxes axes = rowAxesAmong(op.axesFor(type.rank()), static_cast<std::size_t>(type.rank()));
    return axes.count() > 0 ? std::optional(axes) : std::nullopt;
});

IN_LOOPS(CAReduce, [](const CAReduce &op, LoopWriter &writer) {
    const LoopArray &input = writer.input(0);
    return writer.writeFold(nullptr, op.primitive(), op.axesFor(input.shape.rank()),
                            accumulatorKind(op.primitive(), op.accumulatorDType(input.dtype)));
})

} // namespace engine
