// Thunks outside of plans.
#pragma once

#include "engine/graph/op/thunk.h"

namespace engine {

/// Operands for views that are in nobody's plan: slot i is view i.
std::vector<SlotOperand> operandsOf(std::span<const View> views, std::size_t firstSlot);

/// Prepares a thunk for the views of `args` and runs it: how perform() uses prepare(). Outputs need their memory.
template <class Prepare>
void performThroughThunk(PerformArgs &args, Prepare prepare)
{
    std::vector<SlotOperand> inputs = operandsOf(args.inputs, 0);
    std::vector<SlotOperand> outputs = operandsOf(args.outputs, inputs.size());
    std::vector<void *> slots;
    for (const View &view : args.inputs) slots.push_back(view.data);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        // An in-place output is the very memory of an input.
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (args.outputs[o].data == args.inputs[i].data) outputs[o].root = inputs[i].slot;
        slots.push_back(args.outputs[o].data);
    }
    prepare(ThunkSpec{inputs, outputs})->run(slots.data());
}

} // namespace engine
