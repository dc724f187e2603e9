// One step of a plan: an op bound to fixed shapes and strides; only data pointers change between calls.
#pragma once

#include "engine/runtime/tensor.h"

#include <functional>
#include <span>
#include <vector>

namespace engine {

/// What perform() gets. Output views have data when their size was known in advance; otherwise the op calls
/// allocate() once it knows.
struct PerformArgs {
    std::span<const View> inputs;
    std::span<View> outputs;
    /// Gives output `index` memory of that shape (C-contiguous) and fills outputs[index].
    std::function<void(int index, const Dims &shape)> allocate;
};

/// An operand of a thunk: its layout is fixed, its memory is looked up in the slot table on each run.
struct SlotOperand {
    DType dtype = DType::Float64;
    Dims shape;
    Dims strides;
    int slot = 0;                       ///< index into the slot table
    const void *constantData = nullptr; ///< set if the memory never moves because it is a constant
};

struct ThunkSpec {
    std::span<const SlotOperand> inputs;
    std::span<const SlotOperand> outputs;
};

class Thunk {
public:
    virtual ~Thunk() = default;
    /// `slots[i]` is the address of the first element of slot i.
    virtual void run(void *const *slots) = 0;
};

} // namespace engine
