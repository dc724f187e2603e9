// What is done to each row of some arrays by itself: scalar programs, and what combines the elements of a row to one number. A row may
// stand upright, as a column of a matrix does, or come in pieces, as a channel of a batch of images does.
#pragma once

#include "engine/scalar/scalar_program.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace engine {

/// The axes of arrays that make a row, none: every element is by itself. The last ones; or the first ones, and the row is a column of
/// memory; or some of both, and it comes in pieces.
struct RowAxes {
    int last = 0, first = 0;
    int count() const { return last + first; }
    bool areColumns() const { return first > 0 && last == 0; }
    bool areInPieces() const { return first > 0 && last > 0; }
    friend bool operator==(const RowAxes &, const RowAxes &) = default;
};

/// One step: elements of rows (or a number of each row) are made, or those of each row combined.
struct RowPart {
    struct Combine {
        RtReduce reduce = RT_SUM;
        RtKind accumulator = RT_F64;
        DType result = DType::Float64;
        /// Elements that are combined at once: where zeros of both signs are the largest, the order tells which.
        std::int64_t piece = std::numeric_limits<std::int64_t>::max();
    };
    /// What has to do with one element of the row; places are integers of memory, from the end where they are negative.
    enum class AtPlace : std::uint8_t {
        Nothing,
        Picked,   ///< of a row and a place: the element there
        Replaced, ///< of a row, one more and a place: the elements of the first, but there that of the second
        Largest,  ///< of a row: the place of the first nan, else of the first largest element
    };
    const ScalarProgram *program = nullptr; ///< null: what is combined is the input as it is
    std::vector<int> inputs;                ///< numbers of values
    std::vector<int> outputs;               ///< one of each output of the program, or what comes out combined
    std::optional<Combine> combine;
    AtPlace atPlace = AtPlace::Nothing; ///< not with a program, and not with a combine
};

/// All of it, for one apply. Its values: the inputs, then the outputs, then what only lies between the steps.
struct RowParts {
    std::vector<RowPart> parts;
    int values = 0;
    RowAxes axes;
    std::vector<int> lines; ///< inputs that have the axes of a row only: the same for all rows
    bool isLine(int input) const { return std::find(lines.begin(), lines.end(), input) != lines.end(); }
    /// Inputs that are places in a row, and the lowest that there may be: -1 is the last one. Where there are others the apply runs by
    /// itself.
    struct Place {
        int input = 0;
        bool countsFromEnd = false;
    };
    std::vector<Place> places;
    bool isAlone = false; ///< a kernel pays for this apply alone, too
};

/// What a thunk is that can say so.
class WorksOnRows {
public:
    virtual ~WorksOnRows() = default;
    /// The same work as steps on rows that no other row has to do with, each with the bits that running it gives. Refers to the thunk.
    virtual std::optional<RowParts> rowParts() const = 0;
};

} // namespace engine
