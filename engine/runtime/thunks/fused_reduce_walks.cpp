#include "engine/runtime/plan/threads.h"
#include "engine/runtime/sizes/loop_sizes.h"
#include "engine/runtime/thunks/fused_reduction.h"

#include <algorithm>
#include <cstring>

namespace engine::fusedreduce {
namespace {

constexpr std::int64_t kRowsOfKernel = 16; // for which a kernel keeps its accumulators

} // namespace

bool FusedReduceThunk::next(Position &position, std::size_t axes) const
{
    for (std::size_t axis = axes; axis-- > 0;) {
        for (std::size_t i = 0; i < m_inputs.size(); ++i) position.pointers[i] += m_strides[i][axis];
        position.at += m_axes[axis].resultStep;
        if (++position.counter[axis] < (axis ? m_axes[axis].size : position.end)) return true;
        for (std::size_t i = 0; i < m_inputs.size(); ++i) position.pointers[i] -= m_strides[i][axis] * m_axes[axis].size;
        position.at -= m_axes[axis].resultStep * m_axes[axis].size;
        position.counter[axis] = 0;
    }
    return false;
}

/// One block of elements; the registers of the inputs are set.
void FusedReduceThunk::make(const Work &work, void *to, long n) const
{
    if (m_kernel && m_form == Form::Elements) {
        PerOperand<void *> operands(m_inputs.size() + 1);
        std::size_t count = 0;
        for (const Input &input : m_inputs) operands[count++] = work.registers[input.block];
        operands[count] = to;
        m_kernel(operands.data(), m_math, n);
        return;
    }
    void **registers = work.registers;
    registers[m_program.outputs()[0]] = to;
    for (const ScalarProgram::Step &step : m_program.steps()) {
        const void *in[4] = {registers[step.inputs[0]], registers[step.inputs[1]], registers[step.inputs[2]], registers[step.inputs[3]]};
        step.loop(registers[step.output], in, n);
    }
}

void FusedReduceThunk::fillSingles(const Work &work, char *const *pointers, Access access, bool forKernel) const
{
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const Input &input = m_inputs[i];
        if (input.access != access) continue;
        if (forKernel && input.native) work.registers[input.block] = pointers[i];
        else
            input.load(pointers[i], 0, work.scratch + input.scratchOffset,
                       forKernel ? 1 : std::min<long>(m_block, m_boxed.isUsed ? m_block : m_inner));
    }
}

/// The stretch of a row that begins at `memory`: it was copied with a row before, or is copied now with those behind.
void *FusedReduceThunk::rowAcross(const Work &work, const Input &input, const char *memory, std::int64_t start, long n) const
{
    const auto width = static_cast<std::int64_t>(sizeOf(input.dtype));
    const auto number = static_cast<std::size_t>(start / m_block);
    Square &square = reinterpret_cast<Square *>(work.scratch + m_scratch.squaresOffset)[input.firstSquare + number];
    char *block = work.scratch + input.scratchOffset + number * static_cast<std::size_t>(m_block * kSquareRows) * input.registerBytes;
    const bool isThere =
        square.from && memory >= square.from && memory < square.from + square.rows * width && (memory - square.from) % width == 0;
    if (!isThere) {
        square = {memory, std::min(kSquareRows, work.rowsLeft)};
        input.loadColumns(memory, square.rows, n, input.innerStride, block, m_block);
    }
    return block + static_cast<std::size_t>((memory - square.from) / width * m_block) * input.registerBytes;
}

long FusedReduceThunk::rowsLeft(const Position &position) const
{
    const std::size_t last = m_axes.size() - 1;
    return last ? static_cast<long>(m_axes[last - 1].size - position.counter[last - 1]) : 1;
}

void FusedReduceThunk::setInputs(const Work &work, char *const *pointers, std::int64_t start, long n) const
{
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const Input &input = m_inputs[i];
        char *memory = pointers[i] + start * input.innerStride;
        if (input.access == Access::Direct) work.registers[input.block] = memory;
        else if (input.access == Access::Load) input.load(memory, input.innerStride, work.scratch + input.scratchOffset, n);
        else if (input.access == Access::Across) work.registers[input.block] = rowAcross(work, input, memory, start, n);
    }
}

void FusedReduceThunk::makeRow(const Work &work, char *const *pointers, std::int64_t start, long n, void *to) const
{
    setInputs(work, pointers, start, n);
    make(work, to, n);
}

const void *FusedReduceThunk::asAccumulated(const Work &work, const void *elements, long n) const
{
    if (!m_folds.cast) return elements;
    m_folds.cast(work.scratch + m_scratch.cast, &elements, n);
    return work.scratch + m_scratch.cast;
}

/// The rest of a row that came in pieces, or all of a short one.
void FusedReduceThunk::endRow(const Work &work, std::int64_t filled, bool inPieces, char *acc) const
{
    const void *rest = asAccumulated(work, work.elements, filled);
    if (!inPieces || !m_folds.piece) {
        if (filled) m_folds.fold(rest, filled, acc);
        return;
    }
    char *lanes = work.scratch + m_scratch.lanes;
    m_folds.piece(rest, filled, lanes);
    m_folds.lanes[0](lanes, acc);
}

/// Takes the first whole piece off the elements of a row that goes on.
void FusedReduceThunk::foldPiece(const Work &work, std::int64_t &filled, bool &inPieces, char *acc) const
{
    char *lanes = work.scratch + m_scratch.lanes;
    if (m_folds.piece && !inPieces) std::memcpy(lanes, m_folds.laneStart.data(), m_folds.laneStart.size());
    inPieces = true;
    const void *piece = asAccumulated(work, work.elements, kPiece);
    if (m_folds.piece) m_folds.piece(piece, kPiece, lanes);
    else m_folds.fold(piece, kPiece, acc);
    filled -= kPiece;
    std::memmove(work.elements, work.elements + static_cast<std::size_t>(kPiece) * m_folds.elementBytes,
                 static_cast<std::size_t>(filled) * m_folds.elementBytes);
}

// Rows that vanish. A row may be made of several stretches; what matters for the bits is where it starts.
void FusedReduceThunk::runRows(const Work &work, Position &position) const
{
    std::int64_t filled = 0, left = m_rowsOfResult;
    bool inPieces = false;
    bool more = true;
    while (more) {
        char *acc = work.acc + static_cast<std::size_t>(position.at) * m_folds.bytes;
        fillSingles(work, position.pointers.data(), Access::RowSingle, m_kernel && m_form == Form::Elements);
        work.rowsLeft = rowsLeft(position);
        for (std::int64_t start = 0; start < position.row; start += m_block) {
            const long n = std::min<long>(m_block, position.row - start);
            work.pace.did(n);
            makeRow(work, position.pointers.data(), start, n, work.elements + static_cast<std::size_t>(filled) * m_folds.elementBytes);
            filled += n;
            if (filled < kPiece) continue;
            // More has to come before the lanes are used: a row of one piece is folded as it is.
            const bool isLast = left == 1 && start + n == position.row;
            if (isLast && filled == kPiece && !inPieces) continue;
            foldPiece(work, filled, inPieces, acc);
        }
        if (--left == 0) {
            endRow(work, filled, inPieces, acc);
            filled = 0;
            inPieces = false;
            left = m_rowsOfResult;
        }
        more = next(position, m_axes.size() - 1);
    }
}

void FusedReduceThunk::runRowKernel(const Work &work, Position &position) const
{
    const int lanes = laneClass(m_inner);
    const std::size_t count = m_inputs.size(), laneBytes = static_cast<std::size_t>(kLaneCounts[lanes]) * m_folds.bytes;
    PerOperand<void *> operands(count + 1);
    char *lane = work.scratch + m_scratch.lanes;
    do {
        std::memcpy(lane, m_folds.laneStart.data(), laneBytes);
        std::copy_n(position.pointers.data(), count, operands.data());
        operands[count] = lane;
        for (std::int64_t start = 0; start < position.row; start += kUncut) {
            if (start > 0)
                for (std::size_t i = 0; i < count; ++i) operands[i] = position.pointers[i] + start * m_inputs[i].innerStride;
            const long n = std::min<long>(kUncut, position.row - start);
            work.pace.did(n);
            m_kernel(operands.data(), m_math, n);
        }
        m_folds.lanes[lanes](lane, work.acc + static_cast<std::size_t>(position.at) * m_folds.bytes);
    } while (next(position, m_axes.size() - 1));
}

void FusedReduceThunk::runExtremeKernel(const Work &work, Position &position) const
{
    const std::size_t count = m_inputs.size();
    PerOperand<void *> operands(count + 2);
    const std::int64_t pieces = position.row / kPiece * kPiece;
    do {
        char *acc = work.acc + static_cast<std::size_t>(position.at) * m_folds.bytes;
        std::int64_t at = 0;
        operands[count] = acc;
        for (std::int64_t start = 0; at == start && start < pieces; start += kUncut) {
            for (std::size_t i = 0; i < count; ++i) operands[i] = position.pointers[i] + start * m_inputs[i].innerStride;
            std::int64_t taken = 0; // less than all where there is a nan
            operands[count + 1] = &taken;
            const long n = std::min<long>(kUncut, pieces - start);
            work.pace.did(n);
            m_kernel(operands.data(), m_math, n);
            at += taken;
        }
        // A piece with nan, or what is left over.
        const std::int64_t rest = std::min(kPiece, position.row - at);
        fillSingles(work, position.pointers.data(), Access::RowSingle, false);
        for (std::int64_t made = 0; made < rest; made += m_block)
            makeRow(work, position.pointers.data(), at + made, std::min<long>(m_block, rest - made),
                    work.elements + static_cast<std::size_t>(made) * m_folds.elementBytes);
        if (rest) m_folds.fold(work.elements, rest, acc);
    } while (next(position, m_axes.size() - 1));
}

// Results side by side: rows are added to them, strip by strip.
void FusedReduceThunk::runColumns(const Work &work, Position &position) const
{
    const std::size_t last = m_axes.size() - 1, count = m_inputs.size();
    const bool hasRows = last > 0 && m_axes[last - 1].reduced;
    const std::int64_t rows = hasRows ? m_axes[last - 1].size : 1;
    const std::size_t outer = hasRows ? last - 1 : last;
    const bool isWhole = m_kernel && m_form == Form::Columns;
    const std::int64_t strip = isWhole ? kColumnStrip : m_block, atOnce = isWhole ? kRowsOfKernel : 1;
    PerOperand<std::int64_t> steps(count + 1);
    PerOperand<void *> operands(count + 2);
    PerOperand<char *> pointers(count);
    for (std::size_t i = 0; i < count; ++i) steps[i + 1] = hasRows ? m_strides[i][last - 1] : 0;
    do {
        for (std::int64_t start = position.firstColumn; start < position.lastColumn; start += strip) {
            const long n = std::min<long>(strip, position.lastColumn - start);
            char *acc = work.acc + static_cast<std::size_t>(position.at + start) * m_folds.bytes;
            for (std::int64_t row = 0; row < rows; row += atOnce) {
                for (std::size_t i = 0; i < count; ++i) pointers[i] = position.pointers[i] + row * steps[i + 1];
                if (!isWhole) {
                    work.pace.did(n);
                    work.rowsLeft = hasRows ? static_cast<long>(rows - row) : rowsLeft(position);
                    fillSingles(work, pointers.data(), Access::RowSingle, m_kernel && m_form == Form::Elements);
                    makeRow(work, pointers.data(), start, n, work.elements);
                    m_folds.rows(static_cast<const char *>(asAccumulated(work, work.elements, n)), 1, 0, n, acc);
                    continue;
                }
                for (std::size_t i = 0; i < count; ++i) operands[i] = pointers[i] + start * m_inputs[i].innerStride;
                steps[0] = std::min(atOnce, rows - row);
                work.pace.did(n * steps[0]);
                operands[count] = acc;
                operands[count + 1] = steps.data();
                m_kernel(operands.data(), m_math, n);
            }
        }
    } while (next(position, outer));
}

} // namespace engine::fusedreduce
