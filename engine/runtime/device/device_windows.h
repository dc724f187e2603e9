// Elementwise work on parts of arrays of a device: copies of any layout, parts that are joined or written into.
#pragma once

#include "engine/runtime/thunks/thunk.h"
#include "engine/scalar/scalar_op.h"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace engine {

/// A part of the array in a slot.
struct DeviceWindow {
    SlotOperand array;       ///< with the part's shape and strides
    std::int64_t offset = 0; ///< bytes
};

/// output = function(inputs), broadcast as Elemwise does; the output may be one of the inputs.
std::unique_ptr<Thunk> windowThunk(ScalarOpPtr function, std::span<const DeviceWindow> inputs, const DeviceWindow &output,
                                   const std::string &name);
/// Converts where the dtypes differ, repeats where a size of `from` is 1.
std::unique_ptr<Thunk> copyThunk(const DeviceWindow &from, const DeviceWindow &to, const std::string &name);
/// `from` with missing axes on the left, as an array of that rank.
DeviceWindow paddedTo(DeviceWindow from, int rank);

/// The array with these axes (sorted) behind all others.
SlotOperand withAxesLast(const SlotOperand &array, std::span<const int> axes);

/// An array of a device that a thunk keeps to work with.
class DeviceScratch {
public:
    DeviceScratch(DeviceId device, DType dtype, const Dims &shape);
    void *data() const { return m_array.data(); }
    /// Sends its elements from the host.
    void fill(const void *elements) const;
    /// As an operand in that slot.
    SlotOperand in(Slot slot) const;

private:
    Tensor m_array;
};

/// The array without gaps: itself, or a copy.
class DenseArray {
public:
    /// Where sizes of 1 repeat, as `shape`.
    DenseArray(const SlotOperand &array, const Dims &shape, const std::string &name);
    void *data(Slots slots);

private:
    Slot m_slot;
    std::optional<DeviceScratch> m_dense;
    std::unique_ptr<Thunk> m_copy;
};

} // namespace engine
