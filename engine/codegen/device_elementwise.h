// A scalar program as a kernel for a device: each item takes elements of its own. Any dialect, from the same program and the same rows.
#pragma once

#include "engine/codegen/ir/kernel.h"
#include "engine/codegen/kernel_target.h"
#include "engine/scalar/scalar_program.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace engine {

/// How an operand of the kernel is reached from i, the number of an element.
enum class DeviceAccess : std::uint8_t {
    Flat,    ///< at i
    Single,  ///< one element for all
    Number,  ///< no array: a number that the host gives with each launch
    Strided, ///< by its place along each axis
    Beside,  ///< as Strided, with neighbours along the inner axis side by side
    Still,   ///< as Strided, with the same element all along the inner axis
};

struct DeviceArrays {
    std::vector<DType> inputs, outputs;
    std::vector<DeviceAccess> access; ///< of the inputs, then the outputs
    std::size_t rank = 0;             ///< of the loop nest
    int perItem = 1;                  ///< elements that an item takes, each as far from the last as there are items
    bool isSmall = false;             ///< do the numbers of elements fit 32 bits? A card divides those several times as fast
    /// The axis that neighbours of a turned operand lie along. A group then takes squares of it and the last axis: what lies side by side
    /// in either operand is asked for together.
    std::optional<std::size_t> turned;
};
/// Items along each side of such a square.
inline constexpr std::int64_t kSquareSide = 16, kSquareItems = kSquareSide * kSquareSide;
/// How many elements squares have, those beyond the edges counted.
std::int64_t elementsOfSquares(const Dims &shape, std::size_t turned);
/// Are there enough along both axes for squares?
bool fitsSquares(const Dims &shape, std::size_t turned);
inline bool isStrided(DeviceAccess access)
{
    return access == DeviceAccess::Strided || access == DeviceAccess::Beside || access == DeviceAccess::Still;
}
/// Is an item a whole row along the last axis, instead of an element? Rows are then what there is a number of at last.
bool takesRows(const DeviceArrays &arrays, KernelTarget target);
/// For `perItem`: memory that is far away is asked for several elements at once, where there are enough of them to keep a card busy.
int elementsPerItem(const ScalarProgram &program, std::int64_t elements, KernelTarget target);

/// Why no device can run it; empty: it can.
std::string deviceProblem(const ScalarProgram &program);

/// Its parameters: the inputs that are arrays, the outputs; the bits of each number; where an operand is strided the sizes of the axes but
/// the first, then for each such operand the elements from one place to the next along each axis; for squares the size of the turned axis;
/// how many elements there are, where an item takes several; at last how many items.
ir::Kernel deviceElementwise(const ScalarProgram &program, const DeviceArrays &arrays, KernelTarget target, std::string name);

} // namespace engine
