// The thunk of fused_reduce_thunk.h: what is settled once (fused_reduce_thunk.cpp), how a thread walks over its part
// (fused_reduce_walks.cpp; over short rows: fused_reduce_boxes.cpp), how threads share the work (fused_reduce_shared.cpp).
#pragma once

#include "engine/runtime/thunks/elementwise_thunk.h"
#include "engine/runtime/thunks/gather.h"
#include "engine/runtime/thunks/per_operand.h"
#include "engine/runtime/thunks/thunk.h"
#include "engine/scalar/registers.h"
#include "engine/scalar/row_parts.h"
#include "engine/scalar/scalar_program.h"
#include "engine/tensor/interrupt.h"
#include "engine/tensor/loop_layout.h"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace engine::fusedreduce {

inline constexpr std::int64_t kLongColumns = 64; // results side by side that a kernel keeps in registers
inline constexpr std::int64_t kPiece = 1024;     // elements that are combined at once: what the folds of rt/ do themselves

enum class Access : std::uint8_t {
    Direct,    // memory of the register's own kind, contiguous along the block
    Single,    // one element for all
    RowSingle, // one element a row
    Load,      // copied to a block, with a stride or a conversion
    Across,    // contiguous along the axis outside of the rows: the same stretch of several rows is copied at once
    Gathered,  // short rows: box by box
    Same,      // the same in every box
};

struct Input {
    Access access = Access::Direct;
    Slot slot{0};
    std::uint32_t block = 0;
    bool native = false;
    DType dtype{};
    std::size_t scratchOffset = 0;
    RtLoad load = nullptr;
    RtLoadColumns loadColumns = nullptr;
    std::size_t firstSquare = 0; // among those of all operands
    std::size_t registerBytes = 8;
    std::int64_t innerStride = 0;
    Gather gather; // of boxes
};

// Axes of the array of elements that never is, in C order; reduced ones do not move the result.
struct Axis {
    std::int64_t size = 1;
    bool reduced = true;
    std::int64_t resultStep = 0; // elements
};

inline int laneClass(std::int64_t length) { return length >= 1024 ? 0 : length >= 128 ? 1 : length >= 16 ? 2 : 3; }
inline constexpr int kLaneCounts[] = {64, 32, 16, 4};

class FusedReduceThunk final : public Thunk, public WorksOnRows {
public:
    FusedReduceThunk(ScalarOpPtr function, DType element, RtReduce reduce, std::span<const int> axes, DType accumulator,
                     const ThunkSpec &spec);
    void run(Slots slots) override;
    std::optional<RowParts> rowParts() const override;
    std::optional<KernelText> kernelText() const override;
    void adopt(KernelFunction function, const RtLoop *math) override;

private:
    /// What a compiled kernel does: makes elements, or adds a row to lanes, or finds its largest, or adds rows to columns.
    enum class Form : std::uint8_t { Elements, Lanes, Extremes, Columns };

    struct Position {
        explicit Position(std::size_t operands) : pointers(operands) {}
        PerOperand<char *> pointers;
        std::int64_t counter[kMaxRank] = {};
        std::int64_t at = 0;
        std::int64_t end = 0;                         // of the outermost axis
        std::int64_t firstColumn = 0, lastColumn = 0; // of the last axis, where it stays
        std::int64_t row = 0;                         // elements of the last axis, where it vanishes
    };
    /// Neighbouring axes of a box that are all reduced, or all stay.
    struct Level {
        std::int64_t size; // of the first one: for each step of a run
        bool reduced;
        std::int64_t step, resultStep; // bytes
    };
    struct Work {
        void **registers;
        char *scratch, *elements, *acc;
        mutable long rowsLeft = 1; // along the axis outside of the rows, this one included
        mutable Pace pace = Pace();
    };
    /// What of an operand that lies across is there already: from which place on, how many rows.
    struct Square {
        const char *from = nullptr;
        long rows = 0;
    };

    /// How elements become results, in the accumulators' dtype.
    struct Folds {
        RtKind elementKind, kind;
        std::size_t elementBytes, bytes;
        RtFold fold = nullptr, combine = nullptr; // of the elements, of accumulators
        RtFoldEach each = nullptr;
        RtFoldRows rows = nullptr;
        RtFoldPiece piece = nullptr; // null: pieces may be folded one by one
        const RtFoldLanes *lanes = nullptr;
        RtLoop cast = nullptr;
        alignas(16) std::byte identity[16] = {};
        std::vector<std::byte> laneStart; // the identity once a lane
    };
    /// How results are written.
    struct Output {
        DType dtype = DType::Float64;
        RtLoop cast = nullptr;
        RtStore store = nullptr;
        std::size_t bytes = 8; // of an element
        Slot slot{0};
        bool accumulates = false; // its memory is the accumulators'
        bool takesCast = false;   // its memory is a register as it stands
    };
    /// Where rows are short: whole inner axes at once.
    struct Boxed {
        bool isUsed = false;
        bool streams = false; // a result takes in more than a box
        Boxes boxes;
        std::vector<Dims> strides; // by input, then the results'
        std::vector<Level> levels;
    };
    /// What a thread needs of memory: registers, and offsets in its scratch.
    struct Scratch {
        std::vector<std::unique_ptr<std::byte[]>> literals;
        std::vector<void *> registers;
        std::vector<std::pair<std::uint32_t, std::size_t>> placeOf; // block, offset
        std::size_t squares = 0, squaresOffset = 0;
        std::size_t bytes = 0, elements = 0, cast = 0, lanes = 0, acc = 0, result = 0, spare = 0;
    };

    void layOut(std::span<const int> axes, const Dims &shape, const ThunkSpec &spec);
    void chooseAccess(const ThunkSpec &spec);
    void prepareRegisters();
    void setUpFold(DType element, DType accumulator, const SlotOperand &out);
    bool next(Position &position, std::size_t axes) const;
    void make(const Work &work, void *to, long n) const;
    void makeRow(const Work &work, char *const *pointers, std::int64_t start, long n, void *to) const;
    bool liesAcross(std::size_t input, DType dtype) const;
    std::size_t squaresOfRow() const { return static_cast<std::size_t>((m_inner + m_block - 1) / m_block); }
    void *rowAcross(const Work &work, const Input &input, const char *memory, std::int64_t start, long n) const;
    long rowsLeft(const Position &position) const;
    void setInputs(const Work &work, char *const *pointers, std::int64_t start, long n) const;
    void fillSingles(const Work &work, char *const *pointers, Access access, bool forKernel) const;
    const void *asAccumulated(const Work &work, const void *elements, long n) const;
    void foldPiece(const Work &work, std::int64_t &filled, bool &inPieces, char *acc) const;
    void endRow(const Work &work, std::int64_t filled, bool inPieces, char *acc) const;
    void runRows(const Work &work, Position &position) const;
    void runRowKernel(const Work &work, Position &position) const;
    void runExtremeKernel(const Work &work, Position &position) const;
    void runColumns(const Work &work, Position &position) const;
    void cutIntoBoxes();
    void foldLevels(std::size_t level, std::int64_t run, const char *elements, char *acc) const;
    void runBoxes(const Work &work, const Position &position, std::int64_t first, std::int64_t end) const;
    void start(Slots slots, Position &position) const;
    template <class Body>
    void withWork(Slots slots, char *acc, Body body) const;
    void runPart(const Work &work, Position &position) const;
    bool runShared(Slots slots, char *acc) const;
    bool runByChunks(Slots slots, char *acc) const;
    void writeResults(void *output, const Work &work) const;

    ScalarProgram m_program;
    std::vector<Axis> m_axes;
    std::vector<Dims> m_strides; // by input
    std::vector<Input> m_inputs;
    RtReduce m_reduce;
    RowAxes m_rowAxes;                    // where it is those that vanish
    mutable Form m_form = Form::Elements; // settled when the kernel's text is asked for
    bool m_empty = false;
    double m_weight = 0;             // of all elements, in elements of a cheap function
    double m_cost = 1;               // of one, likewise
    std::int64_t m_count = 1;        // results
    std::int64_t m_inner = 1;        // elements of the last axis
    std::int64_t m_rowsOfResult = 1; // rows that a result takes in without a pause (last axis reduced)
    long m_block = kBlockElements;
    Folds m_folds;
    Output m_output;
    Boxed m_boxed;
    Scratch m_scratch;
    KernelFunction m_kernel = nullptr;
    const RtLoop *m_math = nullptr;
};

} // namespace engine::fusedreduce
