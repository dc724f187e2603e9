#include "engine/runtime/thunks/thunk.h"

namespace engine {

std::vector<SlotOperand> operandsOf(std::span<const View> views, std::size_t firstSlot)
{
    std::vector<SlotOperand> result;
    for (const View &view : views) {
        SlotOperand operand;
        operand.dtype = view.dtype;
        const auto rank = static_cast<std::size_t>(view.rank);
        operand.shape = Dims(std::span(view.shape, rank));
        operand.strides = Dims(std::span(view.strides, rank));
        operand.slot = static_cast<Slot>(firstSlot + result.size());
        operand.root = operand.slot;
        result.push_back(operand);
    }
    return result;
}

} // namespace engine
