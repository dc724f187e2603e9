#include "engine/runtime/elementwise_thunk.h"

#include "engine/graph/errors.h"
#include "engine/runtime/convert.h"
#include "engine/runtime/loop_layout.h"
#include "engine/runtime/registers.h"
#include "engine/runtime/scalar_program.h"
#include "engine/runtime/threads.h"

#include <algorithm>
#include <cstdlib>

namespace engine {
namespace {

bool stretches(const SlotOperand &operand, std::size_t axis)
{
    return operand.shape[axis] == 1 && (!operand.type.valid() || operand.type.isBroadcastable(static_cast<int>(axis)));
}

constexpr std::size_t kMaxOperands = 128;
constexpr std::size_t kPlainOperands = 16;
constexpr double kCheapCost = 4;        // additions; up to here memory is what an element costs
constexpr long kShortestPiece = 8192;   // elements that one thread takes at a time …
constexpr long kLongestPiece = 131072;

// How an input reaches its register.
enum class Access : std::uint8_t {
    Direct,   // memory of the register's own kind, contiguous along the blocks
    Once,     // one element for all: filled when the thunk starts
    Rows,     // loaded row by row (or part of a row) with a stride
    Tiled,    // the same row again and again: filled once when the thunk starts, blocks are whole rows
};

struct Input {
    Access access = Access::Direct;
    int slot = 0;
    std::uint32_t block = 0;
    std::size_t elementBytes = 0;   // of the memory
    std::size_t scratchOffset = 0;  // of the loaded block
    RtLoad load = nullptr;
    std::int64_t innerStride = 0;
};

struct Output {
    bool native = false;       // the memory can be written block by block without a conversion
    bool direct = false;       // … and the last step does so: no later step reads an input in that memory
    int slot = 0;
    std::uint32_t block = 0;
    std::size_t elementBytes = 0;
    RtStore store = nullptr;
    std::int64_t innerStride = 0;
};

class ElementwiseThunk final : public Thunk, private RowWork {
public:
    ElementwiseThunk(ScalarOpPtr function, const ThunkSpec &spec);
    void run(void *const *slots) override;
    RowWork *byRows() override { return m_walk == Walk::Flat && m_layout.shape.size() == 1 ? this : nullptr; }
    std::optional<KernelText> kernelText() const override;
    void adopt(KernelFunction function, const RtLoop *math) override;

private:
    enum class Walk : std::uint8_t { Nothing, Flat, Rows, Tiles };

    void chooseWalk(const ThunkSpec &spec);
    void prepareRegisters();
    void runSteps(void **registers, long n) const;
    bool writesDirectly(const Output &output) const { return m_kernel ? output.native : output.direct; }
    void runEvaluated(const ScalarProgram::Step &step, void **registers, long n) const;
    std::int64_t rows() const override { return m_size; }
    void runRows(void *const *slots, std::int64_t first, std::int64_t count) override;
    template <class Body>
    void withRegisters(void *const *slots, long n, Body body) const;
    void runFlat(void *const *slots, void **registers, char *scratch, long first, long end) const;
    void runRows(void *const *slots, void **registers, char *scratch, long first, long end) const;
    void runTiles(void *const *slots, void **registers, char *scratch, long first, long end) const;
    void runPart(void *const *slots, long first, long end) const;
    void runShared(void *const *slots) const;
    void runPlain(void *const *slots) const;
    void fillOnce(void *const *slots, char *scratch, long n) const;

    ScalarProgram m_program;
    LoopLayout m_layout; // operands: inputs, then outputs
    Walk m_walk = Walk::Nothing;
    long m_size = 0;
    long m_rowLength = 1;          // elements of the inner axis
    double m_weight = 0;           // of the whole work, in elements of a cheap function
    long m_block = kBlockElements; // elements of a pass
    long m_kernelBlock = 0;        // the same with a kernel, where it differs
    std::vector<Input> m_inputs;
    std::vector<Output> m_outputs;
    std::vector<std::unique_ptr<std::byte[]>> m_literalMemory;
    std::vector<void *> m_registers; // literals set, scratch offsets in m_scratchOf
    struct ScratchBlock {
        std::uint32_t block;
        std::size_t offset;
    };
    std::vector<ScratchBlock> m_scratch;
    std::size_t m_scratchBytes = 0;
    bool m_plain = false; // the kernel takes every array as it is, in one go
    KernelFunction m_kernel = nullptr;
    const RtLoop *m_math = nullptr;
};

std::vector<DType> dtypesOf(std::span<const SlotOperand> operands)
{
    std::vector<DType> result;
    for (const SlotOperand &operand : operands) result.push_back(operand.dtype);
    return result;
}

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

// Flat: every operand runs through memory like the index itself, or is one element. Rows: the inner axis is long
// enough for blocks of its own. Tiles: short rows, several of them gathered into one block.
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
    for (std::size_t i = 0; i < inputCount && allFlat; ++i)
        allFlat = flat(i, sizeOf(spec.inputs[i].dtype)) || constantEverywhere(i);
    for (std::size_t o = 0; o < spec.outputs.size() && allFlat; ++o) allFlat = flat(inputCount + o, sizeOf(spec.outputs[o].dtype));
    const std::int64_t inner = m_rowLength;

    if (allFlat) m_walk = Walk::Flat;
    else if (inner >= 96 || rank == 1) m_walk = Walk::Rows;
    else m_walk = Walk::Tiles;
    if (m_walk == Walk::Tiles) m_block = std::max<long>(kBlockElements / inner, 1) * inner;
    m_block = std::min(m_block, m_size);

    // In a tiled walk an output runs flat if it is contiguous over all axes.
    const auto contiguous = [&](std::size_t operand, std::size_t width) {
        std::int64_t step = static_cast<std::int64_t>(width);
        for (std::size_t axis = rank; axis-- > 0;) {
            if (m_layout.strides[operand][axis] != step) return false;
            step *= m_layout.shape[axis];
        }
        return true;
    };
    const RtTable *rt = rt_table();
    for (std::size_t i = 0; i < inputCount; ++i) {
        const SlotOperand &operand = spec.inputs[i];
        Input input;
        input.slot = operand.slot;
        input.block = static_cast<std::uint32_t>(i);
        input.elementBytes = sizeOf(operand.dtype);
        input.load = rt->loads[rtDType(operand.dtype)];
        input.innerStride = rank ? m_layout.strides[i][rank - 1] : 0;
        const bool native = isNativeRegister(operand.dtype);
        const bool even = m_walk == Walk::Tiles ? contiguous(i, input.elementBytes)
                                                : input.innerStride == static_cast<std::int64_t>(input.elementBytes) || rank == 0;
        if (m_size == 1 && native) {
            input.access = Access::Direct;
        } else if (constantEverywhere(i)) {
            input.access = Access::Once;
        } else if (even && native) {
            input.access = Access::Direct;
        } else {
            input.access = Access::Rows;
            bool sameRow = m_walk == Walk::Tiles;
            for (std::size_t axis = 0; axis + 1 < rank; ++axis) sameRow &= m_layout.strides[i][axis] == 0;
            if (sameRow) input.access = Access::Tiled;
        }
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
        const bool even = m_walk == Walk::Tiles ? contiguous(inputCount + o, output.elementBytes)
                                                : output.innerStride == static_cast<std::int64_t>(output.elementBytes);
        // The memory may be that of an input: it is written directly only when no later step reads an input.
        std::size_t maker = 0;
        while (steps[maker].output != output.block) ++maker;
        bool sharesInput = false;
        for (const SlotOperand &input : spec.inputs) sharesInput |= input.root >= 0 && input.root == operand.root;
        output.native = even && isNativeRegister(operand.dtype);
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
        input.scratchOffset = take(static_cast<std::size_t>(m_block) * registerBytes(blocks[input.block].type));
        m_scratch.push_back({input.block, input.scratchOffset});
    }
    bool wide = false;
    for (const ScalarProgram::Block &block : blocks) wide |= block.type == RT_COMPLEX;
    const std::size_t width = static_cast<std::size_t>(m_block) * (wide ? 16 : 8);
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

void ElementwiseThunk::runEvaluated(const ScalarProgram::Step &step, void **registers, long n) const
{
    auto *out = static_cast<double *>(registers[step.output]);
    double arguments[4];
    for (long i = 0; i < n; ++i) {
        for (int k = 0; k < step.inputCount; ++k) arguments[k] = static_cast<const double *>(registers[step.inputs[k]])[i];
        out[i] = step.evaluate->evaluate(std::span<const double>(arguments, step.inputCount));
    }
}

inline void ElementwiseThunk::runSteps(void **registers, long n) const
{
    if (m_kernel) {
        void *operands[kMaxOperands];
        std::size_t count = 0;
        for (const Input &input : m_inputs) operands[count++] = registers[input.block];
        for (const Output &output : m_outputs) operands[count++] = registers[output.block];
        m_kernel(operands, m_math, n);
        return;
    }
    for (const ScalarProgram::Step &step : m_program.steps()) {
        if (step.loop) {
            const void *in[4] = {registers[step.inputs[0]], registers[step.inputs[1]], registers[step.inputs[2]], registers[step.inputs[3]]};
            step.loop(registers[step.output], in, n);
        } else {
            runEvaluated(step, registers, n);
        }
    }
}

void ElementwiseThunk::fillOnce(void *const *slots, char *scratch, long n) const
{
    const std::size_t rank = m_layout.shape.size();
    for (const Input &input : m_inputs) {
        const auto *memory = static_cast<const char *>(slots[input.slot]);
        if (input.access == Access::Once) input.load(memory, 0, scratch + input.scratchOffset, m_kernel ? 1 : n);
        if (input.access != Access::Tiled) continue;
        const long inner = m_layout.shape[rank - 1];
        char *to = scratch + input.scratchOffset;
        const std::size_t rowBytes = static_cast<std::size_t>(inner) * registerBytes(m_program.blocks()[input.block].type);
        input.load(memory, input.innerStride, to, inner);
        for (long filled = inner; filled < n; filled += inner)
            std::memcpy(to + static_cast<std::size_t>(filled / inner) * rowBytes, to, rowBytes);
    }
}

void ElementwiseThunk::runFlat(void *const *slots, void **registers, char *scratch, long first, long end) const
{
    const long block = m_kernelBlock ? m_kernelBlock : m_block;
    for (long start = first; start < end; start += block) {
        const long n = std::min(block, end - start);
        for (const Input &input : m_inputs) {
            auto *memory = static_cast<char *>(slots[input.slot]) + static_cast<std::size_t>(start) * input.elementBytes;
            if (input.access == Access::Direct) registers[input.block] = memory;
            else if (input.access == Access::Rows) input.load(memory, static_cast<long>(input.elementBytes), scratch + input.scratchOffset, n);
        }
        for (const Output &output : m_outputs)
            if (writesDirectly(output))
                registers[output.block] = static_cast<char *>(slots[output.slot]) + static_cast<std::size_t>(start) * output.elementBytes;
        runSteps(registers, n);
        for (const Output &output : m_outputs)
            if (!writesDirectly(output))
                output.store(registers[output.block], static_cast<char *>(slots[output.slot]) + static_cast<std::size_t>(start) * output.elementBytes,
                             static_cast<long>(output.elementBytes), n);
    }
}

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

void ElementwiseThunk::runRows(void *const *slots, void **registers, char *scratch, long first, long end) const
{
    const std::size_t inputs = m_inputs.size(), operands = inputs + m_outputs.size();
    char *pointers[kMaxOperands];
    for (std::size_t i = 0; i < inputs; ++i) pointers[i] = static_cast<char *>(slots[m_inputs[i].slot]);
    for (std::size_t o = 0; o < m_outputs.size(); ++o) pointers[inputs + o] = static_cast<char *>(slots[m_outputs[o].slot]);
    const long length = m_rowLength;
    const long block = m_kernelBlock ? m_kernelBlock : m_block;
    Odometer rows(m_layout, pointers, operands, first / length);
    for (long row = first / length; row < end / length; ++row, rows.next()) {
        for (long start = 0; start < length; start += block) {
            const long n = std::min(block, length - start);
            for (std::size_t i = 0; i < inputs; ++i) {
                const Input &input = m_inputs[i];
                char *memory = pointers[i] + start * input.innerStride;
                if (input.access == Access::Direct) registers[input.block] = memory;
                else if (input.access == Access::Rows) input.load(memory, input.innerStride, scratch + input.scratchOffset, n);
            }
            for (std::size_t o = 0; o < m_outputs.size(); ++o)
                if (writesDirectly(m_outputs[o])) registers[m_outputs[o].block] = pointers[inputs + o] + start * m_outputs[o].innerStride;
            runSteps(registers, n);
            for (std::size_t o = 0; o < m_outputs.size(); ++o) {
                const Output &output = m_outputs[o];
                if (!writesDirectly(output)) output.store(registers[output.block], pointers[inputs + o] + start * output.innerStride, output.innerStride, n);
            }
        }
    }
}

void ElementwiseThunk::runTiles(void *const *slots, void **registers, char *scratch, long first, long end) const
{
    const std::size_t inputs = m_inputs.size(), operands = inputs + m_outputs.size();
    char *pointers[kMaxOperands], *starts[kMaxOperands];
    for (std::size_t i = 0; i < inputs; ++i) pointers[i] = static_cast<char *>(slots[m_inputs[i].slot]);
    for (std::size_t o = 0; o < m_outputs.size(); ++o) pointers[inputs + o] = static_cast<char *>(slots[m_outputs[o].slot]);
    const long inner = m_rowLength;
    const auto blocks = m_program.blocks();
    bool scatters = false;
    for (const Output &output : m_outputs) scatters |= !writesDirectly(output);
    Odometer rows(m_layout, pointers, operands, first / inner);
    std::vector<char *> rowPlaces; // of outputs that do not run flat, for the block at hand
    if (scatters) rowPlaces.resize(static_cast<std::size_t>(m_block / inner) * m_outputs.size());
    for (long start = first; start < end;) {
        const long n = std::min(m_block, end - start);
        std::copy(pointers, pointers + operands, starts);
        for (long row = 0; row < n / inner; ++row) {
            for (std::size_t i = 0; i < inputs; ++i) {
                const Input &input = m_inputs[i];
                if (input.access != Access::Rows) continue;
                char *to = scratch + input.scratchOffset + static_cast<std::size_t>(row * inner) * registerBytes(blocks[input.block].type);
                input.load(pointers[i], input.innerStride, to, inner);
            }
            if (scatters)
                for (std::size_t o = 0; o < m_outputs.size(); ++o) rowPlaces[static_cast<std::size_t>(row) * m_outputs.size() + o] = pointers[inputs + o];
            rows.next();
        }
        for (std::size_t i = 0; i < inputs; ++i)
            if (m_inputs[i].access == Access::Direct) registers[m_inputs[i].block] = starts[i];
        for (std::size_t o = 0; o < m_outputs.size(); ++o)
            if (writesDirectly(m_outputs[o])) registers[m_outputs[o].block] = starts[inputs + o];
        runSteps(registers, n);
        for (std::size_t o = 0; o < m_outputs.size() && scatters; ++o) {
            const Output &output = m_outputs[o];
            if (writesDirectly(output)) continue;
            const std::size_t rowBytes = static_cast<std::size_t>(inner) * registerBytes(blocks[output.block].type);
            for (long row = 0; row < n / inner; ++row)
                output.store(static_cast<char *>(registers[output.block]) + static_cast<std::size_t>(row) * rowBytes,
                             rowPlaces[static_cast<std::size_t>(row) * m_outputs.size() + o], output.innerStride, inner);
        }
        start += n;
    }
}

std::optional<KernelText> ElementwiseThunk::kernelText() const
{
    if (m_walk == Walk::Nothing) return std::nullopt;
    std::vector<bool> single;
    for (const Input &input : m_inputs) single.push_back(input.access == Access::Once);
    return elementwiseKernel(m_program, single);
}

void ElementwiseThunk::adopt(KernelFunction function, const RtLoop *math)
{
    m_kernel = function;
    m_math = math;
    // Without blocks to load or convert the kernel takes everything, or a whole row, in one go.
    bool whole = m_walk != Walk::Tiles;
    for (const Input &input : m_inputs) whole &= input.access == Access::Direct || input.access == Access::Once;
    for (const Output &output : m_outputs) whole &= output.native;
    if (whole) m_kernelBlock = m_size;
    m_plain = whole && m_walk == Walk::Flat && m_inputs.size() + m_outputs.size() <= kPlainOperands;
    for (const Input &input : m_inputs) m_plain &= input.access == Access::Direct;
}

// The kernel on the arrays as they are: no scratch, no registers.
inline void ElementwiseThunk::runPlain(void *const *slots) const
{
    void *operands[kPlainOperands];
    std::size_t count = 0;
    for (const Input &input : m_inputs) operands[count++] = slots[input.slot];
    for (const Output &output : m_outputs) operands[count++] = slots[output.slot];
    m_kernel(operands, m_math, m_size);
}

// Registers live on the stack where they are few; the scratch memory is the thread's.
template <class Body>
void ElementwiseThunk::withRegisters(void *const *slots, long n, Body body) const
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

// Elements first … end; whole rows, or whole blocks of rows, where the walk goes by them.
void ElementwiseThunk::runPart(void *const *slots, long first, long end) const
{
    withRegisters(slots, end - first, [&](void **registers, char *scratch) {
        switch (m_walk) {
        case Walk::Flat: runFlat(slots, registers, scratch, first, end); break;
        case Walk::Rows: runRows(slots, registers, scratch, first, end); break;
        case Walk::Tiles: runTiles(slots, registers, scratch, first, end); break;
        case Walk::Nothing: break;
        }
    });
}

void ElementwiseThunk::runShared(void *const *slots) const
{
    const long unit = m_walk == Walk::Flat ? kShortestPiece : m_walk == Walk::Rows ? m_rowLength : m_block;
    const long least = (kShortestPiece + unit - 1) / unit * unit;
    sharePieces(m_size, pieceFor(m_size, least, kLongestPiece), [&](std::int64_t first, std::int64_t end) { runPart(slots, first, end); });
}

void ElementwiseThunk::run(void *const *slots)
{
    if (m_walk == Walk::Nothing) return;
    if (m_weight >= static_cast<double>(sharedElements()) && canShare()) runShared(slots);
    else if (m_plain) runPlain(slots);
    else runPart(slots, 0, m_size);
}

void ElementwiseThunk::runRows(void *const *slots, std::int64_t first, std::int64_t count)
{
    withRegisters(slots, count, [&](void **registers, char *scratch) { runFlat(slots, registers, scratch, first, first + count); });
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
                    return "input[" + std::to_string(which) + "].shape[" + std::to_string(axis) + "] = " + std::to_string(inputs[which].shape[axis]);
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
    ENGINE_ASSERT(spec.inputs.size() + spec.outputs.size() <= kMaxOperands, function->name() + " has too many operands");
    return std::make_unique<ElementwiseThunk>(function, spec);
}

} // namespace engine
