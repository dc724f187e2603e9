#include "engine/runtime/thunks/elementwise_thunk.h"

#include "engine/codegen/kernel.h"
#include "engine/runtime/sizes/loop_sizes.h"
#include "engine/runtime/thunks/elementwise_loop.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <cstdlib>

namespace engine::elementwiseloop {
namespace {

constexpr std::int64_t kShortestRow = 96; // elements of the inner axis that make a loop of their own

} // namespace

ElementwiseThunk::ElementwiseThunk(ScalarOpPtr function, const ThunkSpec &spec)
    : m_program(function, dtypesOf(spec.inputs), dtypesOf(spec.outputs))
{
    const Dims shape = broadcastShape(spec.inputs);
    for (const SlotOperand &output : spec.outputs)
        ENGINE_ASSERT(output.shape == shape, "an elementwise output has shape " + output.shape.text() + " instead of " + shape.text());
    std::vector<Dims> strides;
    for (const SlotOperand &input : spec.inputs) {
        Dims steps = input.strides;
        for (std::size_t axis = 0; axis < steps.size(); ++axis)
            if (input.shape[axis] == 1) steps[axis] = 0;
        strides.push_back(steps);
    }
    for (const SlotOperand &output : spec.outputs) strides.push_back(output.strides);
    m_layout = collapseLoops(shape, strides, spec.inputs.size());
    m_size = shape.product();
    if (m_size == 0) return;
    if (!m_layout.shape.empty()) m_rowLength = m_layout.shape[m_layout.shape.size() - 1];
    m_weight = static_cast<double>(m_size) * std::max(1.0, function->cost() / kCheapCost);
    chooseWalk(spec);
    prepareRegisters();
}

// Is the operand contiguous along the axis outside of the rows, and not along them?
bool ElementwiseThunk::liesAcross(std::size_t operand, std::size_t elementBytes) const
{
    const Dims &strides = m_layout.strides[operand];
    const auto width = static_cast<std::int64_t>(elementBytes);
    return strides.size() >= 2 && strides[strides.size() - 2] == width && std::abs(strides[strides.size() - 1]) > width;
}

// An axis along which an operand is contiguous while it strides along the rows is moved beside them.
bool ElementwiseThunk::findAcross(const ThunkSpec &spec)
{
    const std::size_t rank = m_layout.shape.size();
    for (std::size_t axis = rank < 2 ? 0 : rank - 1; axis-- > 0;)
        for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
            const Dims &strides = m_layout.strides[i];
            const auto width = static_cast<std::int64_t>(sizeOf(spec.inputs[i].dtype));
            if (m_layout.shape[axis] < kFewRows || strides[axis] != width || std::abs(strides[rank - 1]) <= width) continue;
            moveAxisBesideRows(axis);
            return true;
        }
    return false;
}

void ElementwiseThunk::moveAxisBesideRows(std::size_t axis)
{
    const auto move = [&](Dims &values) { std::rotate(values.data() + axis, values.data() + axis + 1, values.data() + values.size() - 1); };
    move(m_layout.shape);
    for (Dims &strides : m_layout.strides) move(strides);
}

// Flat: every operand runs through memory like the index itself, or is one element. Rows: the inner axis is long
// enough for blocks of its own. Squares: the same, several rows at a time. Boxes: short rows, many of them gathered into one block.
void ElementwiseThunk::chooseWalk(const ThunkSpec &spec)
{
    const std::size_t rank = m_layout.shape.size();
    const auto flat = [&](std::size_t operand, std::size_t width) {
        return rank == 0 || (rank == 1 && m_layout.strides[operand][0] == static_cast<std::int64_t>(width));
    };
    const auto constantEverywhere = [&](std::size_t operand) {
        for (std::int64_t step : m_layout.strides[operand])
            if (step != 0) return false;
        return true;
    };
    const std::size_t inputCount = spec.inputs.size();
    bool allFlat = rank <= 1;
    for (std::size_t i = 0; i < inputCount && allFlat; ++i) allFlat = flat(i, sizeOf(spec.inputs[i].dtype)) || constantEverywhere(i);
    for (std::size_t o = 0; o < spec.outputs.size() && allFlat; ++o) allFlat = flat(inputCount + o, sizeOf(spec.outputs[o].dtype));
    const std::int64_t inner = m_rowLength;

    if (allFlat) m_walk = Walk::Flat;
    else if (inner >= kShortestRow || rank == 1) m_walk = findAcross(spec) ? Walk::Squares : Walk::Rows;
    else m_walk = Walk::Boxes;
    if (m_walk == Walk::Boxes) {
        m_boxes = Boxes(m_layout.shape, kBlockElements);
        m_block = m_boxes.elements();
    }
    if (m_walk == Walk::Squares) m_block = kSquareColumns;
    m_block = std::min(m_block, m_size);

    const RtTable *rt = rt_table();
    for (std::size_t i = 0; i < inputCount; ++i) {
        const SlotOperand &operand = spec.inputs[i];
        Input input;
        input.slot = operand.slot;
        input.block = static_cast<std::uint32_t>(i);
        input.elementBytes = sizeOf(operand.dtype);
        input.load = rt->loads[rtDType(operand.dtype)];
        input.loadColumns = rt->loadColumns[rtDType(operand.dtype)];
        input.registerBytes = registerBytes(registerKind(operand.dtype));
        input.innerStride = rank ? m_layout.strides[i][rank - 1] : 0;
        input.native = isNativeRegister(operand.dtype);
        input.dtype = operand.dtype;
        const bool even = m_walk == Walk::Boxes ? boxesAreContiguous(m_layout.strides[i], input.elementBytes, m_boxes)
                                                : input.innerStride == static_cast<std::int64_t>(input.elementBytes) || rank == 0;
        if (m_size == 1 && input.native) {
            input.access = Access::Direct;
        } else if (constantEverywhere(i)) {
            input.access = Access::Once;
        } else if (m_walk == Walk::Boxes) {
            input.gather = Gather(operand.dtype, m_layout.strides[i], m_boxes);
            input.access = input.gather.isDirect() ? Access::Direct : input.gather.isSame() ? Access::Same : Access::Gathered;
        } else if (input.innerStride == 0) {
            input.access = Access::RowOnce;
        } else if (m_walk == Walk::Squares && liesAcross(i, input.elementBytes)) {
            input.access = Access::Across;
        } else {
            input.access = even && input.native ? Access::Direct : Access::Rows;
        }
        input.kernelReads = input.access == Access::Direct || (even && input.access != Access::Once && isKernelMemory(operand.dtype));
        m_inputs.push_back(input);
    }
    const auto steps = m_program.steps();
    for (std::size_t o = 0; o < spec.outputs.size(); ++o) {
        const SlotOperand &operand = spec.outputs[o];
        Output output;
        output.slot = operand.slot;
        output.block = m_program.outputs()[o];
        output.elementBytes = sizeOf(operand.dtype);
        output.store = rt->stores[rtDType(operand.dtype)];
        output.innerStride = rank ? m_layout.strides[inputCount + o][rank - 1] : static_cast<std::int64_t>(output.elementBytes);
        const bool even = m_walk == Walk::Boxes ? boxesAreContiguous(m_layout.strides[inputCount + o], output.elementBytes, m_boxes)
                                                : output.innerStride == static_cast<std::int64_t>(output.elementBytes);
        // The memory may be that of an input: it is written directly only when no later step reads an input.
        std::size_t maker = 0;
        while (steps[maker].output != output.block) ++maker;
        bool sharesInput = false;
        for (const SlotOperand &input : spec.inputs) sharesInput |= input.root != kNoSlot && input.root == operand.root;
        output.dtype = operand.dtype;
        output.native = even && isNativeRegister(operand.dtype);
        output.kernelWrites = even && isKernelMemory(operand.dtype);
        output.direct = output.native && (!sharesInput || steps[maker].lastInputUse <= maker);
        m_outputs.push_back(output);
    }
}

void ElementwiseThunk::prepareRegisters()
{
    const auto blocks = m_program.blocks();
    m_registers.assign(blocks.size(), nullptr);
    const auto take = [&](std::size_t bytes) {
        const std::size_t offset = m_scratchBytes;
        m_scratchBytes += (bytes + 63) & ~std::size_t(63);
        return offset;
    };
    for (Input &input : m_inputs) {
        if (input.access == Access::Direct) continue;
        const long rows = input.access == Access::Across ? kSquareRows : 1;
        input.scratchOffset = take(static_cast<std::size_t>(m_block * rows) * registerBytes(blocks[input.block].type) + RT_SLACK);
        m_scratch.push_back({input.block, input.scratchOffset});
    }
    bool wide = false;
    for (const ScalarProgram::Block &block : blocks) wide |= block.type == RT_COMPLEX;
    const std::size_t width = static_cast<std::size_t>(m_block) * (wide ? 16 : 8);
    if (m_walk == Walk::Boxes) m_spareOffset = take(width + RT_SLACK);
    std::vector<std::size_t> temporaries;
    for (std::size_t i = 0; i < m_program.temporaryCount(); ++i) temporaries.push_back(take(width));
    std::vector<bool> direct(blocks.size(), false);
    for (const Output &output : m_outputs) direct[output.block] = output.direct; // a kernel sets its own
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        const ScalarProgram::Block &block = blocks[b];
        if (block.kind == ScalarProgram::Block::Kind::Temporary && !direct[b] && block.index < temporaries.size())
            m_scratch.push_back({b, temporaries[block.index]});
        if (block.kind != ScalarProgram::Block::Kind::Literal) continue;
        m_literalMemory.push_back(std::make_unique<std::byte[]>(literalBytes(block.type, m_block)));
        m_registers[b] = fillLiteral(m_program.literals()[block.index], m_literalMemory.back().get(), m_block);
    }
}

std::optional<RowParts> ElementwiseThunk::rowParts() const
{
    RowPart part{.program = &m_program};
    for (std::size_t i = 0; i < m_inputs.size(); ++i) part.inputs.push_back(static_cast<int>(i));
    for (std::size_t o = 0; o < m_outputs.size(); ++o) part.outputs.push_back(static_cast<int>(m_inputs.size() + o));
    const auto values = static_cast<int>(m_inputs.size() + m_outputs.size());
    return RowParts{.parts = {std::move(part)}, .values = values};
}

std::optional<KernelText> ElementwiseThunk::kernelText() const
{
    if (m_walk == Walk::Nothing) return std::nullopt;
    KernelArrays arrays;
    const auto blocks = m_program.blocks();
    for (const Input &input : m_inputs) {
        arrays.single.push_back(input.access == Access::Once || input.access == Access::RowOnce);
        arrays.inputs.push_back(input.kernelReads ? input.dtype : nativeDType(blocks[input.block].type));
    }
    for (const Output &output : m_outputs)
        arrays.outputs.push_back(output.kernelWrites ? output.dtype : nativeDType(blocks[output.block].type));
    return elementwiseKernel(m_program, arrays);
}

void ElementwiseThunk::adopt(KernelFunction function, const RtLoop *math)
{
    m_kernel = function;
    m_math = math;
    // Without blocks to load or convert the kernel takes everything, or a whole row, in one go.
    bool whole = m_walk != Walk::Boxes;
    for (Input &input : m_inputs) {
        if (input.kernelReads) input.access = Access::Direct;
        whole &= input.access == Access::Direct || input.access == Access::Once || input.access == Access::RowOnce;
    }
    for (const Output &output : m_outputs) whole &= output.kernelWrites;
    if (whole) m_kernelBlock = m_size;
    m_plain = whole && m_walk == Walk::Flat && m_inputs.size() + m_outputs.size() <= kPlainOperands;
    for (const Input &input : m_inputs) m_plain &= input.native || input.access == Access::Direct;
}

} // namespace engine::elementwiseloop

namespace engine {
namespace {

bool stretches(const SlotOperand &operand, std::size_t axis)
{
    return operand.shape[axis] == 1 && (!operand.type.valid() || operand.type.isBroadcastable(static_cast<int>(axis)));
}

} // namespace

Dims broadcastShape(std::span<const SlotOperand> inputs)
{
    const std::size_t rank = inputs[0].shape.size();
    Dims shape(rank, 1);
    for (std::size_t axis = 0; axis < rank; ++axis) {
        int from = -1;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            ENGINE_ASSERT(inputs[i].shape.size() == rank, "an elementwise function got operands of different ranks");
            if (stretches(inputs[i], axis)) continue;
            if (from < 0) {
                from = static_cast<int>(i);
                shape[axis] = inputs[i].shape[axis];
            } else if (shape[axis] != inputs[i].shape[axis]) {
                const auto text = [&](std::size_t which) {
                    return "input[" + std::to_string(which) + "].shape[" + std::to_string(axis) +
                           "] = " + std::to_string(inputs[which].shape[axis]);
                };
                const bool one = shape[axis] == 1 || inputs[i].shape[axis] == 1;
                throw ShapeMismatch("Input dimension mis-match. (" + text(static_cast<std::size_t>(from)) + ", " + text(i) + ")",
                                    one ? "a size of 1 stretches only where the dimension was declared broadcastable: use "
                                          "addbroadcast, or a row, col or dimshuffle('x', …)"
                                        : "");
            }
        }
    }
    return shape;
}

std::unique_ptr<Thunk> elementwiseThunk(ScalarOpPtr function, const ThunkSpec &spec)
{
    return std::make_unique<elementwiseloop::ElementwiseThunk>(function, spec);
}

} // namespace engine
