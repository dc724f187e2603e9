#include "engine/runtime/plan/threads.h"
#include "engine/runtime/thunks/fused_reduction.h"
#include "engine/runtime/thunks/reduce_thunk.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace engine::fusedreduce {
void FusedReduceThunk::writeResults(void *output, const Work &work) const
{
    if (m_output.accumulates) return;
    const void *results = work.acc;
    if (m_output.cast && m_output.takesCast) {
        m_output.cast(output, &results, m_count);
        return;
    }
    if (m_output.cast) {
        m_output.cast(work.scratch + m_scratch.result, &results, m_count);
        results = work.scratch + m_scratch.result;
    }
    m_output.store(results, static_cast<char *>(output), static_cast<long>(m_output.bytes), m_count);
}

void FusedReduceThunk::start(Slots slots, Position &position) const
{
    for (std::size_t i = 0; i < m_inputs.size(); ++i) position.pointers[i] = static_cast<char *>(slots[m_inputs[i].slot]);
    position.end = m_axes[0].size;
    position.lastColumn = position.row = m_inner;
}

/// Registers and scratch memory of this thread, literals and single elements filled in.
template <class Body>
void FusedReduceThunk::withWork(Slots slots, char *acc, Body body) const
{
    char *scratch = static_cast<char *>(threadScratch(m_scratch.bytes + 64));
    constexpr std::size_t kLocalRegisters = 96;
    void *local[kLocalRegisters];
    std::vector<void *> many;
    Work work{local, scratch, scratch + m_scratch.elements, acc};
    work.pace = Pace(m_cost);
    if (m_scratch.registers.size() > kLocalRegisters) {
        many.resize(m_scratch.registers.size());
        work.registers = many.data();
    }
    std::copy(m_scratch.registers.begin(), m_scratch.registers.end(), work.registers);
    for (const auto &[block, offset] : m_scratch.placeOf) work.registers[block] = scratch + offset;
    std::uninitialized_fill_n(reinterpret_cast<Square *>(scratch + m_scratch.squaresOffset), m_scratch.squares, Square{});
    Position position(m_inputs.size());
    start(slots, position);
    fillSingles(work, position.pointers.data(), Access::Single, m_kernel && m_form == Form::Elements);
    body(work, position);
}

void FusedReduceThunk::runPart(const Work &work, Position &position) const
{
    const bool combines = m_kernel && m_form != Form::Elements;
    if (combines && m_form == Form::Lanes) runRowKernel(work, position);
    else if (combines && m_form == Form::Extremes) runExtremeKernel(work, position);
    else if (m_boxed.isUsed && !combines) runBoxes(work, position, 0, m_boxed.boxes.count());
    else if (m_axes.back().reduced) runRows(work, position);
    else runColumns(work, position);
}

// Threads take whole results, so the order of the additions does not depend on them.
bool FusedReduceThunk::runShared(Slots slots, char *acc) const
{
    if (m_weight < static_cast<double>(sharedElements()) || !canShare()) return false;
    const Axis &outermost = m_axes[0];
    const bool inBoxes = m_boxed.isUsed && !(m_kernel && m_form != Form::Elements);
    if (!outermost.reduced && inBoxes) {
        const std::int64_t together = m_boxed.boxes.axis() == 0 ? 1 : m_boxed.boxes.count() / outermost.size;
        const std::int64_t parts = m_boxed.boxes.count() / together;
        sharePieces(parts, pieceFor(parts, 1, parts), [&](std::int64_t first, std::int64_t end) {
            withWork(slots, acc, [&](const Work &work, Position &position) { runBoxes(work, position, first * together, end * together); });
        });
        return true;
    }
    if (!outermost.reduced && m_axes.size() > 1 && outermost.size > 1) {
        sharePieces(outermost.size, pieceFor(outermost.size, 1, outermost.size), [&](std::int64_t first, std::int64_t end) {
            withWork(slots, acc, [&](const Work &work, Position &position) {
                for (std::size_t i = 0; i < m_inputs.size(); ++i) position.pointers[i] += first * m_strides[i][0];
                position.at = first * outermost.resultStep;
                position.counter[0] = first;
                position.end = end;
                runPart(work, position);
            });
        });
        return true;
    }
    const bool hasColumns = !m_axes.back().reduced && !inBoxes;
    const std::int64_t strip = m_kernel && m_form == Form::Columns ? 2 * kLongColumns : kBlockElements;
    if (hasColumns && m_inner >= 2 * strip) {
        sharePieces(m_inner, pieceFor(m_inner, strip, m_inner), [&](std::int64_t first, std::int64_t end) {
            withWork(slots, acc, [&](const Work &work, Position &position) {
                position.firstColumn = first;
                position.lastColumn = end;
                runColumns(work, position);
            });
        });
        return true;
    }
    return false;
}

// As ReduceThunk does it, with the same bits.
bool FusedReduceThunk::runByChunks(Slots slots, char *acc) const
{
    const std::int64_t chunks = m_inner / kChunk;
    if (m_axes.size() > 1 || !m_axes[0].reduced || chunks < kLeastChunks) return false;
    std::vector<std::byte> partial(static_cast<std::size_t>(chunks) * m_folds.bytes);
    fillIdentities(m_folds.identity, m_folds.bytes, partial.data(), chunks);
    shareParts(chunks, [&](std::int64_t chunk) {
        withWork(slots, reinterpret_cast<char *>(partial.data()) + static_cast<std::size_t>(chunk) * m_folds.bytes,
                 [&](const Work &work, Position &position) {
                     for (std::size_t i = 0; i < m_inputs.size(); ++i) position.pointers[i] += chunk * kChunk * m_inputs[i].innerStride;
                     position.row = chunk + 1 < chunks ? kChunk : m_inner - chunk * kChunk;
                     runPart(work, position);
                 });
    });
    m_folds.combine(partial.data(), chunks, acc);
    return true;
}

void FusedReduceThunk::run(Slots slots)
{
    char *scratch = static_cast<char *>(threadScratch(m_scratch.bytes + 64));
    char *acc = m_output.accumulates ? static_cast<char *>(slots[m_output.slot]) : scratch + m_scratch.acc;
    fillIdentities(m_folds.identity, m_folds.bytes, acc, m_count);
    if (!m_empty && !runByChunks(slots, acc) && !runShared(slots, acc))
        withWork(slots, acc, [&](const Work &work, Position &position) { runPart(work, position); });
    writeResults(slots[m_output.slot], {nullptr, scratch, nullptr, acc});
}

} // namespace engine::fusedreduce
