#include "engine/runtime/thunks/fused_reduce_thunk.h"

#include "engine/codegen/kernel.h"
#include "engine/runtime/sizes/loop_sizes.h"
#include "engine/runtime/thunks/fused_reduction.h"
#include "engine/runtime/thunks/reduce_thunk.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace engine::fusedreduce {
namespace {

constexpr std::int64_t kLongRow = 256;           // from here on a row is worth blocks of its own
constexpr std::int64_t kSquareBytes = 512 << 10; // of all squares beside each other: they are read again from the second cache

} // namespace

FusedReduceThunk::FusedReduceThunk(ScalarOpPtr function, DType element, RtReduce reduce, std::span<const int> axes, DType accumulator,
                                   const ThunkSpec &spec)
    : m_program(function, dtypesOf(spec.inputs), {&element, 1}), m_reduce(reduce)
{
    const Dims shape = broadcastShape(spec.inputs);
    layOut(axes, shape, spec);
    m_rowAxes = rowAxesAmong(axes, shape.size());
    m_output.dtype = spec.outputs[0].dtype;
    const std::int64_t total = shape.product();
    m_cost = std::max(1.0, function->cost() / kCheapCost);
    m_weight = static_cast<double>(total) * m_cost;
    m_empty = total == 0;
    setUpFold(element, accumulator, spec.outputs[0]);
    if (m_boxed.isUsed) cutIntoBoxes();
    chooseAccess(spec);
    prepareRegisters();
}

// Neighbouring axes of one sort become one where every input walks through them evenly.
void FusedReduceThunk::layOut(std::span<const int> axes, const Dims &shape, const ThunkSpec &spec)
{
    std::vector<bool> reduced(shape.size(), false);
    for (int axis : axes) reduced[axis] = true;
    Dims resultSteps(shape.size(), 0);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (reduced[axis]) continue;
        resultSteps[axis] = m_count;
        m_count *= shape[axis];
    }
    m_strides.resize(spec.inputs.size());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) continue;
        const auto step = [&](std::size_t i) { return spec.inputs[i].shape[axis] == 1 ? std::int64_t(0) : spec.inputs[i].strides[axis]; };
        bool joins = !m_axes.empty() && m_axes.back().reduced == reduced[axis];
        for (std::size_t i = 0; i < m_strides.size() && joins; ++i) joins = m_strides[i][m_axes.size() - 1] == step(i) * shape[axis];
        if (joins) {
            m_axes.back().size *= shape[axis];
            m_axes.back().resultStep = resultSteps[axis];
        } else {
            m_axes.push_back({shape[axis], reduced[axis], resultSteps[axis]});
            for (Dims &steps : m_strides) steps.push_back(0);
        }
        for (std::size_t i = 0; i < m_strides.size(); ++i) m_strides[i][m_axes.size() - 1] = step(i);
    }
    if (m_axes.empty()) {
        m_axes.push_back({});
        for (Dims &steps : m_strides) steps.push_back(0);
    }
    m_inner = m_axes.back().size;
    if (m_axes.back().reduced)
        for (std::size_t axis = m_axes.size() - 1; axis-- > 0 && m_axes[axis].reduced;) m_rowsOfResult *= m_axes[axis].size;
    m_boxed.isUsed = m_inner < kLongRow && m_axes.size() > 1 && shape.product() > 0;
}

void FusedReduceThunk::setUpFold(DType element, DType accumulator, const SlotOperand &out)
{
    const RtTable *rt = rt_table();
    m_folds.kind = accumulatorKind(m_reduce, accumulator);
    m_folds.elementKind = registerKind(element);
    m_folds.bytes = registerBytes(m_folds.kind);
    m_folds.elementBytes = registerBytes(m_folds.elementKind);
    m_folds.combine = rt->folds[m_reduce][m_folds.kind];
    writeIdentity(m_reduce, m_folds.kind, m_folds.identity);
    const bool sums = m_reduce == RT_SUM || m_reduce == RT_PROD;
    if (sums && m_folds.elementKind == RT_F32 && m_folds.kind == RT_F64) {
        m_folds.fold = rt->wideFolds[m_reduce];
        m_folds.each = rt->wideFoldEach[m_reduce];
        m_folds.rows = rt->wideFoldRows[m_reduce];
        m_folds.piece = rt->wideFoldPieces[m_reduce];
    } else {
        m_folds.fold = rt->folds[m_reduce][m_folds.kind];
        m_folds.each = rt->foldEach[m_reduce][m_folds.kind];
        m_folds.rows = rt->foldRows[m_reduce][m_folds.kind];
        if (sums) m_folds.piece = rt->foldPieces[m_reduce][m_folds.kind];
        if (m_folds.elementKind != m_folds.kind)
            m_folds.cast = castLoop(m_folds.elementKind, m_folds.kind == RT_BOOL ? DType::Bool : accumulator);
    }
    if (m_folds.piece) {
        m_folds.lanes = rt->foldLanes[m_reduce][m_folds.kind];
        for (int lane = 0; lane < RT_LANES; ++lane)
            m_folds.laneStart.insert(m_folds.laneStart.end(), m_folds.identity, m_folds.identity + m_folds.bytes);
    }
    ENGINE_ASSERT(m_folds.fold && m_folds.rows, "a reduction has no loop for " + std::string(nameOf(accumulator)));

    m_output.store = rt->stores[rtDType(out.dtype)];
    m_output.bytes = sizeOf(out.dtype);
    m_output.slot = out.slot;
    const RtKind outputKind = registerKind(out.dtype);
    m_output.takesCast = isNativeRegister(out.dtype);
    m_output.accumulates = m_output.takesCast && outputKind == m_folds.kind;
    if (outputKind != m_folds.kind) m_output.cast = castLoop(m_folds.kind, out.dtype);
    const View result{nullptr, out.dtype, out.shape.rank(), out.shape.data(), out.strides.data()};
    ENGINE_ASSERT(result.isContiguous(), "the result of a reduction must be contiguous");
}

bool FusedReduceThunk::liesAcross(std::size_t input, DType dtype) const
{
    const std::size_t last = m_axes.size() - 1;
    const auto width = static_cast<std::int64_t>(sizeOf(dtype));
    if (last == 0 || m_axes[last - 1].size < kFewRows) return false;
    if (m_strides[input][last - 1] != width || std::abs(m_strides[input][last]) <= width) return false;
    return static_cast<std::int64_t>(squaresOfRow()) * m_block * kSquareRows *
               static_cast<std::int64_t>(registerBytes(registerKind(dtype))) <=
           kSquareBytes;
}

void FusedReduceThunk::chooseAccess(const ThunkSpec &spec)
{
    const RtTable *rt = rt_table();
    const std::size_t last = m_axes.size() - 1;
    for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
        const DType dtype = spec.inputs[i].dtype;
        Input input;
        input.slot = spec.inputs[i].slot;
        input.block = static_cast<std::uint32_t>(i);
        input.native = isNativeRegister(dtype);
        input.dtype = dtype;
        input.load = rt->loads[rtDType(dtype)];
        input.innerStride = m_strides[i][last];
        const auto width = static_cast<std::int64_t>(sizeOf(dtype));
        bool isSingle = true;
        for (std::int64_t step : m_strides[i]) isSingle &= step == 0;
        if (m_boxed.isUsed) input.gather = Gather(dtype, m_strides[i], m_boxed.boxes);
        if (isSingle) input.access = Access::Single;
        else if (m_boxed.isUsed)
            input.access = input.gather.isDirect() ? Access::Direct : input.gather.isSame() ? Access::Same : Access::Gathered;
        else if (input.innerStride == 0) input.access = Access::RowSingle;
        else if (input.native && input.innerStride == width) input.access = Access::Direct;
        else if (!liesAcross(i, dtype)) input.access = Access::Load;
        else {
            input.access = Access::Across;
            input.loadColumns = rt->loadColumns[rtDType(dtype)];
            input.registerBytes = registerBytes(registerKind(dtype));
            input.firstSquare = m_scratch.squares;
            m_scratch.squares += squaresOfRow();
        }
        m_inputs.push_back(input);
    }
    // Kernels that combine take rows as they lie in memory.
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const bool isEven =
            m_inputs[i].innerStride == 0 || m_inputs[i].innerStride == static_cast<std::int64_t>(sizeOf(spec.inputs[i].dtype));
        if (!isKernelMemory(m_inputs[i].dtype) || !isEven) return;
    }
    if (!elementsBecome(m_folds.elementKind, m_folds.kind)) return;
    if (!m_axes.back().reduced && m_inner >= kLongColumns) m_form = Form::Columns;
    else if (!m_axes.back().reduced || m_boxed.isUsed || m_rowsOfResult > 1) return;
    else if (m_folds.piece) m_form = Form::Lanes;
    else if (!m_folds.cast && (m_folds.kind == RT_F32 || m_folds.kind == RT_F64) && m_inner >= kPiece) m_form = Form::Extremes;
}

void FusedReduceThunk::prepareRegisters()
{
    const auto blocks = m_program.blocks();
    m_scratch.registers.assign(blocks.size(), nullptr);
    const auto take = [&](std::size_t bytes) {
        const std::size_t offset = m_scratch.bytes;
        m_scratch.bytes += (bytes + 63) & ~std::size_t(63);
        return offset;
    };
    const auto size = static_cast<std::size_t>(m_block);
    for (Input &input : m_inputs) {
        if (input.access == Access::Direct) continue;
        const std::size_t rows = input.access == Access::Across ? squaresOfRow() * kSquareRows : 1;
        input.scratchOffset = take(rows * size * registerBytes(blocks[input.block].type) + RT_SLACK);
        m_scratch.placeOf.emplace_back(input.block, input.scratchOffset);
    }
    m_scratch.squaresOffset = take(m_scratch.squares * sizeof(Square));
    bool wide = false;
    for (const ScalarProgram::Block &block : blocks) wide |= block.type == RT_COMPLEX;
    std::vector<std::size_t> temporaries;
    for (std::size_t i = 0; i < m_program.temporaryCount(); ++i) temporaries.push_back(take(size * (wide ? 16 : 8)));
    if (m_boxed.isUsed) m_scratch.spare = take(size * 16 + RT_SLACK);
    m_scratch.elements = take((static_cast<std::size_t>(kPiece) + size) * m_folds.elementBytes);
    if (m_folds.cast) m_scratch.cast = take((static_cast<std::size_t>(kPiece) + size) * m_folds.bytes);
    m_scratch.lanes = take(RT_LANES * m_folds.bytes);
    const std::size_t results = static_cast<std::size_t>(m_count) * 16;
    if (!m_output.accumulates) m_scratch.acc = take(results);
    if (m_output.cast) m_scratch.result = take(results);
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        const ScalarProgram::Block &block = blocks[b];
        if (block.kind == ScalarProgram::Block::Kind::Temporary && block.index < temporaries.size())
            m_scratch.placeOf.emplace_back(b, temporaries[block.index]);
        if (block.kind != ScalarProgram::Block::Kind::Literal) continue;
        m_scratch.literals.push_back(std::make_unique<std::byte[]>(literalBytes(block.type, m_block)));
        m_scratch.registers[b] = fillLiteral(m_program.literals()[block.index], m_scratch.literals.back().get(), m_block);
    }
}

std::optional<RowParts> FusedReduceThunk::rowParts() const
{
    if (m_rowAxes.count() == 0 || m_empty) return std::nullopt;
    const auto count = static_cast<int>(m_inputs.size());
    RowPart part{.program = &m_program, .outputs = {count}, .combine = RowPart::Combine{m_reduce, m_folds.kind, m_output.dtype, kPiece}};
    for (int i = 0; i < count; ++i) part.inputs.push_back(i);
    return RowParts{.parts = {std::move(part)}, .values = count + 1, .axes = m_rowAxes};
}

std::optional<KernelText> FusedReduceThunk::kernelText() const
{
    if (m_empty) return std::nullopt;
    // Those that combine take rows as they lie in memory.
    KernelArrays rows;
    for (const Input &input : m_inputs) {
        rows.single.push_back(input.innerStride == 0);
        rows.inputs.push_back(input.dtype);
    }
    switch (m_form) {
    case Form::Extremes:
        if (auto text = reductionKernel(m_program, rows, {m_reduce, m_folds.kind, RT_LANES})) return text;
        m_form = Form::Elements;
        break;
    case Form::Elements: break;
    case Form::Lanes: return reductionKernel(m_program, rows, {m_reduce, m_folds.kind, kLaneCounts[laneClass(m_inner)]});
    case Form::Columns: return reductionKernel(m_program, rows, {m_reduce, m_folds.kind, 0});
    }
    KernelArrays registers;
    for (const Input &input : m_inputs) {
        registers.single.push_back(input.access == Access::Single || input.access == Access::RowSingle);
        registers.inputs.push_back(nativeDType(m_program.blocks()[input.block].type));
    }
    registers.outputs.push_back(nativeDType(m_folds.elementKind));
    return elementwiseKernel(m_program, registers);
}

void FusedReduceThunk::adopt(KernelFunction function, const RtLoop *math)
{
    m_kernel = function;
    m_math = math;
}

} // namespace engine::fusedreduce

namespace engine {

std::unique_ptr<Thunk> fusedReduceThunk(ScalarOpPtr function, DType element, RtReduce reduce, std::span<const int> axes, DType accumulator,
                                        const ThunkSpec &spec)
{
    return std::make_unique<fusedreduce::FusedReduceThunk>(function, element, reduce, axes, accumulator, spec);
}

} // namespace engine
