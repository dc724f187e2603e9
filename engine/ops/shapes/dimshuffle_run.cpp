#include "engine/ops/shapes/dimshuffle.h"

#include "engine/graph/op/op_card.h"
#include "engine/runtime/thunks/thunk.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {

std::optional<Layout> DimShuffle::viewLayout(const Layout &input, DType, const Dims &, std::span<const std::optional<std::int64_t>>) const
{
    Layout result;
    result.offset = input.offset;
    std::vector<bool> kept(input.shape.size(), false);
    for (int axis : m_order) {
        const auto from = static_cast<std::size_t>(axis);
        result.shape.push_back(axis == kNewAxis ? 1 : input.shape[from]);
        result.strides.push_back(axis == kNewAxis ? 0 : input.strides[from]);
        if (axis != kNewAxis) kept[from] = true;
    }
    for (std::size_t axis = 0; axis < kept.size(); ++axis)
        if (!kept[axis] && input.shape[axis] != 1)
            throw ShapeMismatch("[dimshuffle] axis " + std::to_string(axis) + " is dropped, but its size is " +
                                std::to_string(input.shape[axis]) + ", not 1");
    return result;
}

void DimShuffle::perform(PerformArgs &args) const
{
    const View &from = args.inputs[0];
    const auto rank = static_cast<std::size_t>(from.rank);
    const Layout layout = *viewLayout({Dims(std::span(from.shape, rank)), Dims(std::span(from.strides, rank)), 0}, from.dtype, {}, {});
    if (!args.outputs[0].data) args.allocate(0, layout.shape);
    copyConverted({from.data, from.dtype, layout.shape.rank(), layout.shape.data(), layout.strides.data()}, args.outputs[0]);
}

ROW_AXES(DimShuffle, [](const DimShuffle &op, std::span<const Type>) {
    std::vector<int> kept;
    for (int axis : op.order())
        if (axis != DimShuffle::kNewAxis) kept.push_back(axis);
    return std::is_sorted(kept.begin(), kept.end()) ? std::optional(RowAxes()) : std::nullopt;
});

} // namespace engine
