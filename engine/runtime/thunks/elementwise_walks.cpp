#include "engine/runtime/plan/threads.h"
#include "engine/runtime/thunks/elementwise_loop.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>

namespace engine::elementwiseloop {
namespace {

constexpr long kShortestPiece = 8192; // elements that one thread takes at a time …
constexpr long kLongestPiece = 131072;

// Steps through all axes but the last `skip`; keeps one pointer per operand.
class Odometer {
public:
    /// Begins at row `row`, counted over all of those axes.
    Odometer(const LoopLayout &layout, char **pointers, std::size_t operands, std::int64_t row)
        : m_layout(layout), m_pointers(pointers), m_operands(operands)
    {
        for (std::size_t axis = m_layout.shape.size() - 1; axis-- > 0 && row > 0;) {
            m_counter[axis] = row % m_layout.shape[axis];
            row /= m_layout.shape[axis];
            for (std::size_t o = 0; o < m_operands; ++o) m_pointers[o] += m_layout.strides[o][axis] * m_counter[axis];
        }
    }
    void next()
    {
        for (std::size_t axis = m_layout.shape.size() - 1; axis-- > 0;) {
            for (std::size_t o = 0; o < m_operands; ++o) m_pointers[o] += m_layout.strides[o][axis];
            if (++m_counter[axis] < m_layout.shape[axis]) return;
            for (std::size_t o = 0; o < m_operands; ++o) m_pointers[o] -= m_layout.strides[o][axis] * m_layout.shape[axis];
            m_counter[axis] = 0;
        }
    }

private:
    const LoopLayout &m_layout;
    char **m_pointers;
    std::size_t m_operands;
    std::int64_t m_counter[kMaxRank] = {};
};

} // namespace

inline void ElementwiseThunk::runSteps(void **registers, long n) const
{
    if (m_kernel) {
        PerOperand<void *> operands(m_inputs.size() + m_outputs.size());
        std::size_t count = 0;
        for (const Input &input : m_inputs) operands[count++] = registers[input.block];
        for (const Output &output : m_outputs) operands[count++] = registers[output.block];
        m_kernel(operands.data(), m_math, n);
        return;
    }
    for (const ScalarProgram::Step &step : m_program.steps()) {
        const void *in[4] = {registers[step.inputs[0]], registers[step.inputs[1]], registers[step.inputs[2]], registers[step.inputs[3]]};
        step.loop(registers[step.output], in, n);
    }
}

void ElementwiseThunk::fillOnce(Slots slots, char *scratch, long n) const
{
    for (const Input &input : m_inputs) {
        const auto *memory = static_cast<const char *>(slots[input.slot]);
        if (input.access == Access::Once) input.load(memory, 0, scratch + input.scratchOffset, m_kernel ? 1 : n);
        if (input.access == Access::Same)
            input.gather.run(memory, m_boxes.longestRun(), scratch + input.scratchOffset, scratch + m_spareOffset);
    }
}

// A kernel takes one element, loops take as many as there are.
inline void ElementwiseThunk::fillRow(const Input &input, const char *memory, char *scratch, long n) const
{
    input.load(memory, 0, scratch + input.scratchOffset, m_kernel ? 1 : n);
}

void ElementwiseThunk::runFlat(Slots slots, void **registers, char *scratch, long first, long end) const
{
    const long block = m_kernelBlock ? m_kernelBlock : m_block;
    for (long start = first; start < end; start += block) {
        const long n = std::min(block, end - start);
        for (const Input &input : m_inputs) {
            auto *memory = static_cast<char *>(slots[input.slot]) + static_cast<std::size_t>(start) * input.elementBytes;
            if (input.access == Access::Direct) registers[input.block] = memory;
            else if (input.access == Access::Rows)
                input.load(memory, static_cast<long>(input.elementBytes), scratch + input.scratchOffset, n);
        }
        for (const Output &output : m_outputs)
            if (writesDirectly(output))
                registers[output.block] = static_cast<char *>(slots[output.slot]) + static_cast<std::size_t>(start) * output.elementBytes;
        runSteps(registers, n);
        for (const Output &output : m_outputs)
            if (!writesDirectly(output))
                output.store(registers[output.block],
                             static_cast<char *>(slots[output.slot]) + static_cast<std::size_t>(start) * output.elementBytes,
                             static_cast<long>(output.elementBytes), n);
    }
}

void ElementwiseThunk::runRows(Slots slots, void **registers, char *scratch, long first, long end) const
{
    const std::size_t inputs = m_inputs.size(), operands = inputs + m_outputs.size();
    PerOperand<char *> pointers(operands);
    for (std::size_t i = 0; i < inputs; ++i) pointers[i] = static_cast<char *>(slots[m_inputs[i].slot]);
    for (std::size_t o = 0; o < m_outputs.size(); ++o) pointers[inputs + o] = static_cast<char *>(slots[m_outputs[o].slot]);
    const long length = m_rowLength;
    const long block = m_kernelBlock ? m_kernelBlock : m_block;
    Odometer rows(m_layout, pointers.data(), operands, first / length);
    Pace pace;
    for (long row = first / length; row < end / length; ++row, rows.next()) {
        for (long start = 0; start < length; start += block) {
            const long n = std::min(block, length - start);
            pace.did(n);
            for (std::size_t i = 0; i < inputs; ++i) {
                const Input &input = m_inputs[i];
                char *memory = pointers[i] + start * input.innerStride;
                if (input.access == Access::Direct) registers[input.block] = memory;
                else if (input.access == Access::Rows) input.load(memory, input.innerStride, scratch + input.scratchOffset, n);
                else if (input.access == Access::RowOnce && start == 0) fillRow(input, memory, scratch, n);
            }
            for (std::size_t o = 0; o < m_outputs.size(); ++o)
                if (writesDirectly(m_outputs[o])) registers[m_outputs[o].block] = pointers[inputs + o] + start * m_outputs[o].innerStride;
            runSteps(registers, n);
            for (std::size_t o = 0; o < m_outputs.size(); ++o) {
                const Output &output = m_outputs[o];
                if (!writesDirectly(output))
                    output.store(registers[output.block], pointers[inputs + o] + start * output.innerStride, output.innerStride, n);
            }
        }
    }
}

// As runRows, but up to kSquareRows rows go side by side along their columns: what lies across them is brought once for all.
void ElementwiseThunk::runSquares(Slots slots, void **registers, char *scratch, long first, long end) const
{
    const std::size_t inputs = m_inputs.size(), operands = inputs + m_outputs.size(), across = m_layout.shape.size() - 2;
    PerOperand<char *> pointers(operands);
    for (std::size_t i = 0; i < inputs; ++i) pointers[i] = static_cast<char *>(slots[m_inputs[i].slot]);
    for (std::size_t o = 0; o < m_outputs.size(); ++o) pointers[inputs + o] = static_cast<char *>(slots[m_outputs[o].slot]);
    const long length = m_rowLength, lastRow = end / length;
    Odometer odometer(m_layout, pointers.data(), operands, first / length);
    Pace pace;
    for (long row = first / length; row < lastRow;) {
        const long rows = std::min(
            {kSquareRows, lastRow - row, static_cast<long>(m_layout.shape[across]) - row % static_cast<long>(m_layout.shape[across])});
        for (long start = 0; start < length; start += m_block) {
            const long n = std::min(m_block, length - start);
            pace.did(n * rows);
            for (std::size_t i = 0; i < inputs; ++i) {
                const Input &input = m_inputs[i];
                if (input.access == Access::Across)
                    input.loadColumns(pointers[i] + start * input.innerStride, rows, n, input.innerStride, scratch + input.scratchOffset,
                                      m_block);
            }
            for (long r = 0; r < rows; ++r) {
                for (std::size_t i = 0; i < inputs; ++i) {
                    const Input &input = m_inputs[i];
                    char *memory = pointers[i] + r * m_layout.strides[i][across] + start * input.innerStride;
                    if (input.access == Access::Direct) registers[input.block] = memory;
                    else if (input.access == Access::Rows) input.load(memory, input.innerStride, scratch + input.scratchOffset, n);
                    else if (input.access == Access::RowOnce) fillRow(input, memory, scratch, n);
                    else if (input.access == Access::Across)
                        registers[input.block] =
                            scratch + input.scratchOffset + static_cast<std::size_t>(r * m_block) * input.registerBytes;
                }
                const auto memoryOf = [&](std::size_t o) {
                    return pointers[inputs + o] + r * m_layout.strides[inputs + o][across] + start * m_outputs[o].innerStride;
                };
                for (std::size_t o = 0; o < m_outputs.size(); ++o)
                    if (writesDirectly(m_outputs[o])) registers[m_outputs[o].block] = memoryOf(o);
                runSteps(registers, n);
                for (std::size_t o = 0; o < m_outputs.size(); ++o) {
                    const Output &output = m_outputs[o];
                    if (!writesDirectly(output)) output.store(registers[output.block], memoryOf(o), output.innerStride, n);
                }
            }
        }
        row += rows;
        for (long r = 0; r < rows; ++r) odometer.next();
    }
}

// Boxes first … end.
void ElementwiseThunk::runBoxes(Slots slots, void **registers, char *scratch, long first, long end) const
{
    const std::size_t inputs = m_inputs.size(), operands = inputs + m_outputs.size();
    PerOperand<char *> pointers(operands);
    for (std::size_t i = 0; i < inputs; ++i) pointers[i] = static_cast<char *>(slots[m_inputs[i].slot]);
    for (std::size_t o = 0; o < m_outputs.size(); ++o) pointers[inputs + o] = static_cast<char *>(slots[m_outputs[o].slot]);
    BoxCursor cursor(m_boxes, {m_layout.strides.data(), operands}, pointers.data(), first);
    for (long box = first; box < end; ++box) {
        for (std::size_t i = 0; i < inputs; ++i) {
            const Input &input = m_inputs[i];
            if (input.access == Access::Direct) registers[input.block] = pointers[i];
            else if (input.access == Access::Gathered)
                input.gather.run(pointers[i], cursor.run(), scratch + input.scratchOffset, scratch + m_spareOffset);
        }
        for (std::size_t o = 0; o < m_outputs.size(); ++o)
            if (writesDirectly(m_outputs[o])) registers[m_outputs[o].block] = pointers[inputs + o];
        runSteps(registers, cursor.run() * m_boxes.inside());
        for (std::size_t o = 0; o < m_outputs.size(); ++o) {
            const Output &output = m_outputs[o];
            if (writesDirectly(output)) continue;
            const std::size_t width = registerBytes(m_program.blocks()[output.block].type);
            scatter(m_boxes, output.store, static_cast<const char *>(registers[output.block]), width, pointers[inputs + o],
                    m_layout.strides[inputs + o], cursor.run());
        }
        if (box + 1 < end) cursor.next();
    }
}

// The kernel on the arrays as they are: no scratch, no registers.
inline void ElementwiseThunk::runPlain(Slots slots, long first, long n) const
{
    void *operands[kPlainOperands];
    std::size_t count = 0;
    const auto from = static_cast<std::size_t>(first);
    for (const Input &input : m_inputs) {
        const std::size_t offset = input.access == Access::Once ? 0 : from * input.elementBytes;
        operands[count++] = static_cast<char *>(slots[input.slot]) + offset;
    }
    for (const Output &output : m_outputs) operands[count++] = static_cast<char *>(slots[output.slot]) + from * output.elementBytes;
    m_kernel(operands, m_math, n);
}

// Registers live on the stack where they are few; the scratch memory is the thread's.
template <class Body>
void ElementwiseThunk::withRegisters(Slots slots, long n, Body body) const
{
    char *scratch = static_cast<char *>(threadScratch(m_scratchBytes));
    constexpr std::size_t kLocalRegisters = 96;
    void *local[kLocalRegisters];
    std::vector<void *> many;
    void **registers = local;
    if (m_registers.size() > kLocalRegisters) {
        many.resize(m_registers.size());
        registers = many.data();
    }
    std::copy(m_registers.begin(), m_registers.end(), registers);
    for (const ScratchBlock &block : m_scratch) registers[block.block] = scratch + block.offset;
    fillOnce(slots, scratch, std::min(m_block, n));
    body(registers, scratch);
}

// Elements first … end, whole rows where the walk goes by them; or boxes.
void ElementwiseThunk::runPart(Slots slots, long first, long end) const
{
    withRegisters(slots, m_walk == Walk::Boxes ? m_block : end - first, [&](void **registers, char *scratch) {
        switch (m_walk) {
        case Walk::Flat: runFlat(slots, registers, scratch, first, end); break;
        case Walk::Rows: runRows(slots, registers, scratch, first, end); break;
        case Walk::Squares: runSquares(slots, registers, scratch, first, end); break;
        case Walk::Boxes: runBoxes(slots, registers, scratch, first, end); break;
        case Walk::Nothing: break;
        }
    });
}

void ElementwiseThunk::runShared(Slots slots) const
{
    const auto part = [&](std::int64_t first, std::int64_t end) {
        if (m_plain) runPlain(slots, first, end - first);
        else runPart(slots, first, end);
    };
    const long unit = m_walk == Walk::Flat      ? kShortestPiece
                      : m_walk == Walk::Rows    ? m_rowLength
                      : m_walk == Walk::Squares ? m_rowLength * kSquareRows
                                                : m_block;
    const long least = (kShortestPiece + unit - 1) / unit;
    const auto longest = std::max(kShortestPiece, static_cast<long>(kLongestPiece * (static_cast<double>(m_size) / m_weight)));
    if (m_walk == Walk::Boxes) sharePieces(m_boxes.count(), pieceFor(m_boxes.count(), least, longest / unit), part);
    else sharePieces(m_size, pieceFor(m_size, least * unit, longest), part);
}

void ElementwiseThunk::run(Slots slots)
{
    if (m_walk == Walk::Nothing) return;
    // One thread, too, goes piece by piece: it looks for interrupts between them.
    if (m_weight >= static_cast<double>(sharedElements())) runShared(slots);
    else if (m_plain) runPlain(slots, 0, m_size);
    else runPart(slots, 0, m_walk == Walk::Boxes ? m_boxes.count() : m_size);
}

void ElementwiseThunk::beginRows(Slots slots)
{
    m_passOperands.clear();
    for (const Input &input : m_inputs)
        m_passOperands.push_back({static_cast<char *>(slots[input.slot]), input.access == Access::Once ? 0 : input.elementBytes});
    for (const Output &output : m_outputs) m_passOperands.push_back({static_cast<char *>(slots[output.slot]), output.elementBytes});
}

void ElementwiseThunk::runRows(Slots slots, std::int64_t first, std::int64_t count)
{
    if (m_plain) {
        void *operands[kPlainOperands], **to = operands;
        for (const PassOperand &operand : m_passOperands) *to++ = operand.memory + static_cast<std::size_t>(first) * operand.step;
        return m_kernel(operands, m_math, count);
    }
    withRegisters(slots, count, [&](void **registers, char *scratch) { runFlat(slots, registers, scratch, first, first + count); });
}

} // namespace engine::elementwiseloop
