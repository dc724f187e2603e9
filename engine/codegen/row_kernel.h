// What several applies do to each row of their arrays as one kernel: a row is worked on from its first step to its last one while it
// lies in the first cache. Rows go by in stages: a stage is a loop over the row, and what it combines is known to the next one.
#pragma once

#include "engine/codegen/kernel.h"
#include "engine/scalar/row_parts.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace engine {

/// The parts of all applies, their values numbered together.
struct RowProgram {
    struct Input {
        int value = 0;
        DType dtype{};
        bool isRow = false; ///< else a number of the row, or one for all
    };
    struct Output {
        int value = 0;
        DType dtype{};
        bool isRow = false;
        bool isLate = false; ///< its memory is that of an input: nothing of the row is read once it is written
    };
    std::vector<RowPart> parts; ///< makers before readers
    int values = 0;
    std::vector<Input> inputs;
    std::vector<Output> outputs;
};

struct RowKernelText {
    KernelText text;
    int buffers = 0; ///< rows of 8 bytes an element that the kernel wants beside its operands, rowBufferBytes() each
};

/// Bytes of a buffer for rows of so many elements.
std::size_t rowBufferBytes(std::int64_t columns);
/// Its operands: the inputs, the outputs, an array of numbers (the elements of a row; for each input and output the bytes from row to
/// row), the buffers. It does n rows, of a length for which sums have so many lanes. Nothing: a step is beyond it.
std::optional<RowKernelText> rowKernel(const RowProgram &program, int lanes);

} // namespace engine
