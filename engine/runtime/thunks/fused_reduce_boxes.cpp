// Short rows: many of them are made at once, box by box, and combined together.
#include "engine/runtime/thunks/fused_reduction.h"

#include <algorithm>

namespace engine::fusedreduce {

// Axes that are reduced, or stay, side by side are one level; what a box combines is a nest of these.
void FusedReduceThunk::cutIntoBoxes()
{
    Dims sizes;
    for (const Axis &axis : m_axes) sizes.push_back(axis.size);
    m_boxed.boxes = Boxes(sizes, kPiece);
    m_block = m_boxed.boxes.elements();
    m_boxed.strides = m_strides;
    Dims &results = m_boxed.strides.emplace_back(m_axes.size(), 0);
    for (std::size_t axis = 0; axis < m_axes.size(); ++axis)
        if (!m_axes[axis].reduced) results[axis] = m_axes[axis].resultStep * static_cast<std::int64_t>(m_folds.bytes);
    m_boxed.streams = m_axes.back().reduced && m_rowsOfResult * m_inner > kPiece;

    for (std::size_t axis = m_boxed.boxes.axis(); axis < m_axes.size(); ++axis) {
        const std::int64_t size = axis == m_boxed.boxes.axis() ? 1 : m_axes[axis].size; // each box says how long its run is
        if (m_boxed.levels.empty() || m_boxed.levels.back().reduced != m_axes[axis].reduced)
            m_boxed.levels.push_back({1, m_axes[axis].reduced, 0, 0});
        m_boxed.levels.back().size *= size;
        m_boxed.levels.back().resultStep = results[axis];
    }
    const auto elementBytes = static_cast<std::int64_t>(m_folds.cast ? m_folds.bytes : m_folds.elementBytes);
    std::int64_t inside = elementBytes;
    for (std::size_t level = m_boxed.levels.size(); level-- > 0; inside *= m_boxed.levels[level].size) m_boxed.levels[level].step = inside;
}

void FusedReduceThunk::foldLevels(std::size_t level, std::int64_t run, const char *elements, char *acc) const
{
    const Level &here = m_boxed.levels[level], &inner = m_boxed.levels.back();
    const std::int64_t size = level == 0 ? here.size * run : here.size;
    if (level + 2 < m_boxed.levels.size()) {
        for (std::int64_t i = 0; i < size; ++i) foldLevels(level + 1, run, elements + i * here.step, acc + i * here.resultStep);
    } else if (level + 1 == m_boxed.levels.size()) {
        if (inner.reduced) m_folds.each(elements, 1, 0, size, acc);
        else m_folds.rows(elements, 1, 0, size, acc);
    } else {
        if (inner.reduced) m_folds.each(elements, size, here.step, inner.size, acc);
        else m_folds.rows(elements, size, here.step, inner.size, acc);
    }
}

void FusedReduceThunk::runBoxes(const Work &work, const Position &position, std::int64_t first, std::int64_t end) const
{
    const std::size_t count = m_inputs.size();
    const auto blockOf = [&](const Input &input) { return work.scratch + input.scratchOffset; };
    char *const spare = work.scratch + m_scratch.spare;
    PerOperand<char *> pointers(count + 1);
    std::copy_n(position.pointers.data(), count, pointers.data());
    pointers[count] = work.acc;
    for (std::size_t i = 0; i < count; ++i)
        if (m_inputs[i].access == Access::Same)
            m_inputs[i].gather.run(pointers[i], m_boxed.boxes.longestRun(), blockOf(m_inputs[i]), spare);

    // A result that takes in several boxes is combined piece by piece, as one row.
    const std::int64_t row = m_rowsOfResult * m_inner;
    std::int64_t filled = 0, left = row;
    bool inPieces = false;
    BoxCursor cursor(m_boxed.boxes, m_boxed.strides, pointers.data(), first);
    for (std::int64_t box = first; box < end; ++box) {
        for (std::size_t i = 0; i < count; ++i) {
            const Input &input = m_inputs[i];
            if (input.access == Access::Direct) work.registers[input.block] = pointers[i];
            else if (input.access == Access::Gathered) input.gather.run(pointers[i], cursor.run(), blockOf(input), spare);
        }
        const std::int64_t n = cursor.run() * m_boxed.boxes.inside();
        work.pace.did(n);
        make(work, work.elements + static_cast<std::size_t>(filled) * m_folds.elementBytes, n);
        char *const acc = pointers[count];
        if (!m_boxed.streams) {
            foldLevels(0, cursor.run(), static_cast<const char *>(asAccumulated(work, work.elements, n)), acc);
        } else {
            filled += n;
            left -= n;
            if (filled > kPiece || (filled == kPiece && (left > 0 || inPieces))) foldPiece(work, filled, inPieces, acc);
            if (left == 0) {
                endRow(work, filled, inPieces, acc);
                filled = 0;
                inPieces = false;
                left = row;
            }
        }
        if (box + 1 < end) cursor.next();
    }
}

} // namespace engine::fusedreduce
