// What several applies do to each row of their arrays as one kernel: a row is worked on from its first step to its last one while it
// lies in the first cache. Rows go by in stages: a stage is a loop over the row, and what it combines is known to the next one. Rows that
// stand upright are columns: as many as a vector takes go by side by side, while they lie in the second cache.
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
        // Of columns:
        bool isSame = false;   ///< it lies there once for all of them
        bool isCopied = false; ///< its elements get in each other's way where they lie: the first loop that reads them copies them
    };
    struct Output {
        int value = 0;
        DType dtype{};
        bool isRow = false;
        bool isLate = false;    ///< its memory is that of an input: nothing of the row is read once it is written
        bool isCrowded = false; ///< of columns: its elements get in each other's way where they lie
    };
    std::vector<RowPart> parts; ///< makers before readers
    int values = 0;
    bool areColumns = false;
    bool areInPieces = false; ///< rows: of so many elements each, the same step between them
    std::vector<Input> inputs;
    std::vector<Output> outputs;
};

struct RowKernelText {
    KernelText text;
    int buffers = 0; ///< that the kernel wants beside its operands, of 8 bytes an element: rowBufferBytes() or columnBufferBytes() each
    std::size_t elementBytes = 0; ///< of one element in all of them
    int stages = 0;
    int combined = 0;    ///< numbers that the elements of a row are combined to
    int numberCalls = 0; ///< of functions for one number of a row
};

/// Bytes of a buffer for rows of so many elements, in so many pieces.
std::size_t rowBufferBytes(std::int64_t columns, std::int64_t pieces = 1);
/// Its operands: the inputs, the outputs, an array of numbers (the elements of a row, or of a piece of it; for each input and output the
/// bytes from row to row; where rows are in pieces how many, and the bytes from piece to piece), the buffers. It does n rows, of a length
/// for which sums have so many lanes. Nothing: a step is beyond it.
std::optional<RowKernelText> rowKernel(const RowProgram &program, int lanes);

/// Bytes of a buffer for so many columns side by side.
std::size_t columnBufferBytes(std::int64_t elements, int width);
/// The same for columns: `width` of them at a time. The array of numbers has the elements of a column, then the bytes from one to the
/// next; the operands begin where the first column does.
std::optional<RowKernelText> columnKernel(const RowProgram &program, int width);

} // namespace engine
