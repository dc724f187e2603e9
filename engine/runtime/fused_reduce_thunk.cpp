#include "engine/runtime/fused_reduce_thunk.h"

#include "engine/graph/errors.h"
#include "engine/runtime/convert.h"
#include "engine/runtime/elementwise_thunk.h"
#include "engine/runtime/reduce_thunk.h"
#include "engine/runtime/registers.h"
#include "engine/runtime/scalar_program.h"
#include "engine/runtime/threads.h"

#include <algorithm>
#include <cstring>

namespace engine {
namespace {

constexpr std::size_t kMaxOperands = 128;
constexpr std::int64_t kLongRow = 256;     // from here on a row is worth blocks of its own
constexpr std::int64_t kLongColumns = 64;  // results side by side that a kernel keeps in registers
constexpr std::int64_t kPiece = 1024;      // elements that are combined at once: what the folds of rt/ do themselves
constexpr std::int64_t kColumnStrip = 1024; // accumulators of a strip stay in the first cache
constexpr double kCheapCost = 4;           // additions; up to here memory is what an element costs
constexpr std::int64_t kSharedRow = 65536; // elements that threads make together before one combines them
constexpr std::int64_t kSharedPiece = 4096;
constexpr std::int64_t kRowsAtOnce = 16;   // for which a kernel keeps its accumulators

enum class Access : std::uint8_t {
    Direct,    // memory of the register's own kind, contiguous along the block
    Single,    // one element for all
    RowSingle, // one element a row
    Load,      // copied to a block, with a stride or a conversion
    Tiled,     // short rows: the same row again and again
};

struct Input {
    Access access = Access::Direct;
    int slot = 0;
    std::uint32_t block = 0;
    bool native = false;
    std::size_t scratchOffset = 0;
    RtLoad load = nullptr;
    std::int64_t innerStride = 0;
};

// Axes of the array of elements that never is, in C order; reduced ones do not move the result.
struct Axis {
    std::int64_t size = 1;
    bool reduced = true;
    std::int64_t resultStep = 0; // elements
};

int laneClass(std::int64_t length) { return length >= 1024 ? 0 : length >= 128 ? 1 : length >= 16 ? 2 : 3; }
constexpr int kLaneCounts[] = {64, 32, 16, 4};

class FusedReduceThunk final : public Thunk {
public:
    FusedReduceThunk(ScalarOpPtr function, DType element, RtReduce reduce, std::span<const int> axes, DType accumulator,
                     const ThunkSpec &spec);
    void run(void *const *slots) override;
    std::optional<KernelText> kernelText() const override;
    void adopt(KernelFunction function, const RtLoop *math) override;

private:
    /// What a compiled kernel does: makes elements, or adds a row to lanes, or finds its largest, or adds rows to columns.
    enum class Form : std::uint8_t { Elements, Lanes, Extremes, Columns };

    struct Position {
        char *pointers[kMaxOperands];
        std::int64_t counter[kMaxRank] = {};
        std::int64_t at = 0;
        std::int64_t end = 0;                  // of the outermost axis
        std::int64_t firstColumn = 0, lastColumn = 0; // of the last axis, where it stays
    };
    struct Work {
        void **registers;
        char *scratch, *elements, *acc;
    };

    void layOut(std::span<const int> axes, const Dims &shape, const ThunkSpec &spec);
    void chooseAccess(const ThunkSpec &spec);
    void prepareRegisters();
    void setUpFold(DType element, DType accumulator, const SlotOperand &out);
    bool next(Position &position, std::size_t axes) const;
    void make(const Work &work, void *to, long n) const;
    void makeRow(const Work &work, char *const *pointers, std::int64_t start, long n, void *to) const;
    void setInputs(const Work &work, char *const *pointers, std::int64_t start, long n) const;
    void fillSingles(const Work &work, char *const *pointers, Access access, bool forKernel) const;
    const void *asAccumulated(const Work &work, const void *elements, long n) const;
    void endRow(const Work &work, std::int64_t filled, bool inPieces, char *acc) const;
    void runRows(const Work &work, Position &position) const;
    void runRowKernel(const Work &work, Position &position) const;
    void runExtremeKernel(const Work &work, Position &position) const;
    void runColumns(const Work &work, Position &position) const;
    void runTiles(const Work &work, Position &position) const;
    Position start(void *const *slots) const;
    template <class Body>
    void withWork(void *const *slots, char *acc, Body body) const;
    void runPart(const Work &work, Position &position) const;
    bool runShared(void *const *slots, char *acc) const;
    void runSharedRow(void *const *slots, char *acc) const;
    void writeResults(void *output, const Work &work) const;

    ScalarProgram m_program;
    std::vector<Axis> m_axes;
    std::vector<Dims> m_strides; // by input
    std::vector<Input> m_inputs;
    RtReduce m_reduce;
    mutable Form m_form = Form::Elements; // settled when the kernel's text is asked for
    bool m_empty = false;
    bool m_tiles = false;
    double m_cost = 1, m_weight = 0; // of an element, of all of them: in elements of a cheap function
    std::int64_t m_count = 1;      // results
    std::int64_t m_inner = 1;      // elements of the last axis
    std::int64_t m_rowsOfResult = 1; // rows that a result takes in without a pause (last axis reduced)
    long m_block = kBlockElements;

    RtKind m_elementKind, m_kind;
    std::size_t m_elementBytes, m_accBytes;
    RtFold m_fold = nullptr;
    RtFoldRows m_foldRows = nullptr;
    RtFoldPiece m_foldPiece = nullptr; // null: pieces may be folded one by one
    const RtFoldLanes *m_foldLanes = nullptr;
    RtLoop m_cast = nullptr;
    RtLoop m_resultCast = nullptr;
    RtStore m_store = nullptr;
    std::size_t m_outputBytes = 8;
    int m_outputSlot = 0;
    bool m_accumulateInOutput = false;
    alignas(16) std::byte m_identity[16] = {};

    std::vector<std::unique_ptr<std::byte[]>> m_literalMemory;
    std::vector<void *> m_registers;
    std::vector<std::pair<std::uint32_t, std::size_t>> m_scratchOf; // block, offset
    std::size_t m_scratchBytes = 0, m_elementsOffset = 0, m_castOffset = 0, m_lanesOffset = 0, m_accOffset = 0, m_resultOffset = 0;
    KernelFunction m_kernel = nullptr;
    const RtLoop *m_math = nullptr;
    std::vector<std::byte> m_laneStart; // the identity once a lane
};

std::vector<DType> dtypesOf(std::span<const SlotOperand> operands)
{
    std::vector<DType> result;
    for (const SlotOperand &operand : operands) result.push_back(operand.dtype);
    return result;
}

FusedReduceThunk::FusedReduceThunk(ScalarOpPtr function, DType element, RtReduce reduce, std::span<const int> axes, DType accumulator,
                                   const ThunkSpec &spec)
    : m_program(function, dtypesOf(spec.inputs), {&element, 1}), m_reduce(reduce)
{
    const Dims shape = broadcastShape(spec.inputs);
    layOut(axes, shape, spec);
    const std::int64_t total = shape.product();
    m_cost = std::max(1.0, function->cost() / kCheapCost);
    m_weight = static_cast<double>(total) * m_cost;
    if (total == 0 && m_count > 0 && (reduce == RT_MAX || reduce == RT_MIN))
        throw ShapeMismatch(std::string("zero-size array to reduction operation ") + (reduce == RT_MAX ? "maximum" : "minimum") +
                            " which has no identity");
    m_empty = total == 0;
    setUpFold(element, accumulator, spec.outputs[0]);
    chooseAccess(spec);
    prepareRegisters();
}

// Neighbouring axes of one sort become one where every input walks through them evenly.
void FusedReduceThunk::layOut(std::span<const int> axes, const Dims &shape, const ThunkSpec &spec)
{
    std::vector<bool> reduced(shape.size(), false);
    for (int axis : axes) reduced[static_cast<std::size_t>(axis)] = true;
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
    m_tiles = m_inner < kLongRow && m_axes.size() > 1;
    if (m_tiles) m_block = std::max<long>(kPiece / std::max<long>(m_inner, 1), 1) * m_inner;
}

void FusedReduceThunk::setUpFold(DType element, DType accumulator, const SlotOperand &out)
{
    const RtTable *rt = rt_table();
    m_kind = accumulatorKind(m_reduce, accumulator);
    m_elementKind = registerKind(element);
    m_accBytes = registerBytes(m_kind);
    m_elementBytes = registerBytes(m_elementKind);
    writeIdentity(m_reduce, m_kind, m_identity);
    const bool sums = m_reduce == RT_SUM || m_reduce == RT_PROD;
    if (sums && m_elementKind == RT_F32 && m_kind == RT_F64) {
        m_fold = rt->wideFolds[m_reduce];
        m_foldRows = rt->wideFoldRows[m_reduce];
        m_foldPiece = rt->wideFoldPieces[m_reduce];
    } else {
        m_fold = rt->folds[m_reduce][m_kind];
        m_foldRows = rt->foldRows[m_reduce][m_kind];
        if (sums) m_foldPiece = rt->foldPieces[m_reduce][m_kind];
        if (m_elementKind != m_kind) m_cast = rt->casts[m_elementKind][m_kind];
    }
    if (m_foldPiece) {
        m_foldLanes = rt->foldLanes[m_reduce][m_kind];
        for (int lane = 0; lane < RT_LANES; ++lane) m_laneStart.insert(m_laneStart.end(), m_identity, m_identity + m_accBytes);
    }
    ENGINE_ASSERT(m_fold && m_foldRows, "a reduction has no loop for " + std::string(nameOf(accumulator)));

    m_store = rt->stores[rtDType(out.dtype)];
    m_outputBytes = sizeOf(out.dtype);
    m_outputSlot = out.slot;
    const RtKind outputKind = registerKind(out.dtype);
    m_accumulateInOutput = isNativeRegister(out.dtype) && outputKind == m_kind;
    if (outputKind != m_kind) m_resultCast = rt->casts[m_kind][outputKind];
    const View result{nullptr, out.dtype, out.shape.rank(), out.shape.data(), out.strides.data()};
    ENGINE_ASSERT(result.isContiguous(), "the result of a reduction must be contiguous");
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
        input.load = rt->loads[rtDType(dtype)];
        input.innerStride = m_strides[i][last];
        const auto width = static_cast<std::int64_t>(sizeOf(dtype));
        bool outerStill = true, contiguous = input.innerStride == width;
        for (std::size_t axis = last; axis-- > 0;) {
            outerStill &= m_strides[i][axis] == 0;
            contiguous &= m_strides[i][axis] == m_strides[i][axis + 1] * m_axes[axis + 1].size;
        }
        if (outerStill && input.innerStride == 0) input.access = Access::Single;
        else if (m_tiles) input.access = contiguous && input.native ? Access::Direct : outerStill ? Access::Tiled : Access::Load;
        else if (input.innerStride == 0) input.access = Access::RowSingle;
        else input.access = input.native && input.innerStride == width ? Access::Direct : Access::Load;
        m_inputs.push_back(input);
    }
    // Kernels that combine take rows as they lie in memory.
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const bool isEven = m_inputs[i].innerStride == 0 || m_inputs[i].innerStride == static_cast<std::int64_t>(sizeOf(spec.inputs[i].dtype));
        if (!m_inputs[i].native || !isEven) return;
    }
    if (!elementsBecome(m_elementKind, m_kind)) return;
    if (!m_axes.back().reduced && m_inner >= kLongColumns) m_form = Form::Columns;
    else if (!m_axes.back().reduced || m_tiles || m_rowsOfResult > 1) return;
    else if (m_foldPiece) m_form = Form::Lanes;
    else if (!m_cast && (m_kind == RT_F32 || m_kind == RT_F64) && m_inner >= kPiece) m_form = Form::Extremes;
}

void FusedReduceThunk::prepareRegisters()
{
    const auto blocks = m_program.blocks();
    m_registers.assign(blocks.size(), nullptr);
    const auto take = [&](std::size_t bytes) {
        const std::size_t offset = m_scratchBytes;
        m_scratchBytes += (bytes + 63) & ~std::size_t(63);
        return offset;
    };
    const auto size = static_cast<std::size_t>(m_block);
    for (Input &input : m_inputs) {
        if (input.access == Access::Direct) continue;
        input.scratchOffset = take(size * registerBytes(blocks[input.block].type));
        m_scratchOf.emplace_back(input.block, input.scratchOffset);
    }
    bool wide = false;
    for (const ScalarProgram::Block &block : blocks) wide |= block.type == RT_COMPLEX;
    std::vector<std::size_t> temporaries;
    for (std::size_t i = 0; i < m_program.temporaryCount(); ++i) temporaries.push_back(take(size * (wide ? 16 : 8)));
    m_elementsOffset = take((static_cast<std::size_t>(kPiece) + size) * m_elementBytes);
    if (m_cast) m_castOffset = take((static_cast<std::size_t>(kPiece) + size) * m_accBytes);
    m_lanesOffset = take(RT_LANES * m_accBytes);
    const std::size_t results = static_cast<std::size_t>(m_count) * 16;
    if (!m_accumulateInOutput) m_accOffset = take(results);
    if (m_resultCast) m_resultOffset = take(results);
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        const ScalarProgram::Block &block = blocks[b];
        if (block.kind == ScalarProgram::Block::Kind::Temporary && block.index < temporaries.size()) m_scratchOf.emplace_back(b, temporaries[block.index]);
        if (block.kind != ScalarProgram::Block::Kind::Literal) continue;
        const ScalarProgram::Literal &literal = m_program.literals()[block.index];
        auto memory = std::make_unique<std::byte[]>(size * registerBytes(block.type) + 64);
        auto *start = reinterpret_cast<std::byte *>((reinterpret_cast<std::uintptr_t>(memory.get()) + 63) & ~std::uintptr_t(63));
        alignas(16) std::byte element[16];
        withStorageType(literal.dtype, [&]<class T>() {
            const T value = convertElement<T>(literal.value);
            std::memcpy(element, &value, sizeof(T));
        });
        rt_table()->loads[rtDType(literal.dtype)](reinterpret_cast<const char *>(element), 0, start, m_block);
        m_registers[b] = start;
        m_literalMemory.push_back(std::move(memory));
    }
}

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
        void *operands[kMaxOperands];
        std::size_t count = 0;
        for (const Input &input : m_inputs) operands[count++] = work.registers[input.block];
        operands[count] = to;
        m_kernel(operands, m_math, n);
        return;
    }
    void **registers = work.registers;
    registers[m_program.outputs()[0]] = to;
    for (const ScalarProgram::Step &step : m_program.steps()) {
        if (step.loop) {
            const void *in[4] = {registers[step.inputs[0]], registers[step.inputs[1]], registers[step.inputs[2]], registers[step.inputs[3]]};
            step.loop(registers[step.output], in, n);
            continue;
        }
        auto *out = static_cast<double *>(registers[step.output]);
        double arguments[4];
        for (long i = 0; i < n; ++i) {
            for (int k = 0; k < step.inputCount; ++k) arguments[k] = static_cast<const double *>(registers[step.inputs[k]])[i];
            out[i] = step.evaluate->evaluate(std::span<const double>(arguments, step.inputCount));
        }
    }
}

void FusedReduceThunk::fillSingles(const Work &work, char *const *pointers, Access access, bool forKernel) const
{
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const Input &input = m_inputs[i];
        if (input.access != access) continue;
        if (forKernel && input.native) work.registers[input.block] = pointers[i];
        else input.load(pointers[i], 0, work.scratch + input.scratchOffset, forKernel ? 1 : std::min<long>(m_block, m_tiles ? m_block : m_inner));
    }
}

void FusedReduceThunk::setInputs(const Work &work, char *const *pointers, std::int64_t start, long n) const
{
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const Input &input = m_inputs[i];
        char *memory = pointers[i] + start * input.innerStride;
        if (input.access == Access::Direct) work.registers[input.block] = memory;
        else if (input.access == Access::Load) input.load(memory, input.innerStride, work.scratch + input.scratchOffset, n);
    }
}

void FusedReduceThunk::makeRow(const Work &work, char *const *pointers, std::int64_t start, long n, void *to) const
{
    setInputs(work, pointers, start, n);
    make(work, to, n);
}

const void *FusedReduceThunk::asAccumulated(const Work &work, const void *elements, long n) const
{
    if (!m_cast) return elements;
    m_cast(work.scratch + m_castOffset, &elements, n);
    return work.scratch + m_castOffset;
}

/// The rest of a row that came in pieces, or all of a short one.
void FusedReduceThunk::endRow(const Work &work, std::int64_t filled, bool inPieces, char *acc) const
{
    const void *rest = asAccumulated(work, work.elements, filled);
    if (!inPieces || !m_foldPiece) {
        if (filled) m_fold(rest, filled, acc);
        return;
    }
    char *lanes = work.scratch + m_lanesOffset;
    m_foldPiece(rest, filled, lanes);
    m_foldLanes[0](lanes, acc);
}

// Rows that vanish. A row may be made of several stretches; what matters for the bits is where it starts.
void FusedReduceThunk::runRows(const Work &work, Position &position) const
{
    std::int64_t filled = 0, left = m_rowsOfResult;
    bool inPieces = false;
    char *lanes = work.scratch + m_lanesOffset;
    bool more = true;
    while (more) {
        char *acc = work.acc + static_cast<std::size_t>(position.at) * m_accBytes;
        fillSingles(work, position.pointers, Access::RowSingle, m_kernel && m_form == Form::Elements);
        for (std::int64_t start = 0; start < m_inner; start += m_block) {
            const long n = std::min<long>(m_block, m_inner - start);
            makeRow(work, position.pointers, start, n, work.elements + static_cast<std::size_t>(filled) * m_elementBytes);
            filled += n;
            if (filled < kPiece) continue;
            // More has to come before the lanes are used: a row of one piece is folded as it is.
            const bool isLast = left == 1 && start + n == m_inner;
            if (isLast && filled == kPiece && !inPieces) continue;
            if (m_foldPiece && !inPieces)
                std::memcpy(lanes, m_laneStart.data(), m_laneStart.size());
            inPieces = true;
            const void *piece = asAccumulated(work, work.elements, kPiece);
            if (m_foldPiece) m_foldPiece(piece, kPiece, lanes);
            else m_fold(piece, kPiece, acc);
            filled -= kPiece;
            std::memmove(work.elements, work.elements + static_cast<std::size_t>(kPiece) * m_elementBytes, static_cast<std::size_t>(filled) * m_elementBytes);
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
    const std::size_t count = m_inputs.size(), laneBytes = static_cast<std::size_t>(kLaneCounts[lanes]) * m_accBytes;
    void *operands[kMaxOperands];
    char *lane = work.scratch + m_lanesOffset;
    do {
        std::memcpy(lane, m_laneStart.data(), laneBytes);
        std::copy(position.pointers, position.pointers + count, operands);
        operands[count] = lane;
        m_kernel(operands, m_math, m_inner);
        m_foldLanes[lanes](lane, work.acc + static_cast<std::size_t>(position.at) * m_accBytes);
    } while (next(position, m_axes.size() - 1));
}

void FusedReduceThunk::runExtremeKernel(const Work &work, Position &position) const
{
    const std::size_t count = m_inputs.size();
    void *operands[kMaxOperands];
    const std::int64_t pieces = m_inner / kPiece * kPiece;
    do {
        char *acc = work.acc + static_cast<std::size_t>(position.at) * m_accBytes;
        std::int64_t at = 0;
        for (std::size_t i = 0; i < count; ++i) operands[i] = position.pointers[i];
        operands[count] = acc;
        operands[count + 1] = &at;
        m_kernel(operands, m_math, pieces);
        // A piece with nan, or what is left over.
        const std::int64_t rest = std::min(kPiece, m_inner - at);
        fillSingles(work, position.pointers, Access::RowSingle, false);
        for (std::int64_t made = 0; made < rest; made += m_block)
            makeRow(work, position.pointers, at + made, std::min<long>(m_block, rest - made), work.elements + static_cast<std::size_t>(made) * m_elementBytes);
        if (rest) m_fold(work.elements, rest, acc);
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
    const std::int64_t strip = isWhole ? kColumnStrip : m_block, atOnce = isWhole ? kRowsAtOnce : 1;
    std::int64_t steps[kMaxOperands + 1];
    void *operands[kMaxOperands];
    char *pointers[kMaxOperands];
    for (std::size_t i = 0; i < count; ++i) steps[i + 1] = hasRows ? m_strides[i][last - 1] : 0;
    do {
        for (std::int64_t start = position.firstColumn; start < position.lastColumn; start += strip) {
            const long n = std::min<long>(strip, position.lastColumn - start);
            char *acc = work.acc + static_cast<std::size_t>(position.at + start) * m_accBytes;
            for (std::int64_t row = 0; row < rows; row += atOnce) {
                for (std::size_t i = 0; i < count; ++i) pointers[i] = position.pointers[i] + row * steps[i + 1];
                if (!isWhole) {
                    fillSingles(work, pointers, Access::RowSingle, m_kernel && m_form == Form::Elements);
                    makeRow(work, pointers, start, n, work.elements);
                    m_foldRows(static_cast<const char *>(asAccumulated(work, work.elements, n)), 1, 0, n, acc);
                    continue;
                }
                for (std::size_t i = 0; i < count; ++i) operands[i] = pointers[i] + start * m_inputs[i].innerStride;
                steps[0] = std::min(atOnce, rows - row);
                operands[count] = acc;
                operands[count + 1] = steps;
                m_kernel(operands, m_math, n);
            }
        }
    } while (next(position, outer));
}

// Short rows: several of them are made at once, then combined one by one.
void FusedReduceThunk::runTiles(const Work &work, Position &position) const
{
    const std::size_t last = m_axes.size() - 1;
    const bool isReduced = m_axes[last].reduced;
    const std::int64_t tileRows = m_block / m_inner;
    const auto blocks = m_program.blocks();
    // Rows of a result that takes in several come one after the other without a gap.
    const bool streams = isReduced && m_rowsOfResult > 1;
    for (const Input &input : m_inputs) {
        if (input.access != Access::Tiled) continue;
        char *to = work.scratch + input.scratchOffset;
        const std::size_t rowBytes = static_cast<std::size_t>(m_inner) * registerBytes(blocks[input.block].type);
        input.load(position.pointers[&input - m_inputs.data()], input.innerStride, to, m_inner);
        for (std::int64_t row = 1; row < tileRows; ++row) std::memcpy(to + static_cast<std::size_t>(row) * rowBytes, to, rowBytes);
    }
    std::int64_t left = m_rowsOfResult, filled = 0;
    bool inPieces = false;
    char *lanes = work.scratch + m_lanesOffset;
    std::int64_t places[kPiece];
    bool more = true;
    while (more) {
        char *starts[kMaxOperands];
        std::copy(position.pointers, position.pointers + m_inputs.size(), starts);
        std::int64_t rows = 0;
        const std::int64_t most = streams ? std::min(tileRows, left) : tileRows;
        while (rows < most && more) {
            // As many as the axis next to the rows still has, in one go.
            const Axis &axis = m_axes[last - 1];
            const std::int64_t together = std::min(most - rows, (last > 1 ? axis.size : position.end) - position.counter[last - 1]);
            for (std::size_t i = 0; i < m_inputs.size(); ++i) {
                const Input &input = m_inputs[i];
                const std::int64_t step = m_strides[i][last - 1];
                if (input.access == Access::Load) {
                    const std::size_t rowBytes = static_cast<std::size_t>(m_inner) * registerBytes(blocks[input.block].type);
                    char *to = work.scratch + input.scratchOffset + static_cast<std::size_t>(rows) * rowBytes;
                    for (std::int64_t row = 0; row < together; ++row, to += rowBytes) input.load(position.pointers[i] + row * step, input.innerStride, to, m_inner);
                }
                position.pointers[i] += (together - 1) * step;
            }
            for (std::int64_t row = 0; row < together; ++row) places[rows + row] = position.at + row * axis.resultStep;
            position.at += (together - 1) * axis.resultStep;
            position.counter[last - 1] += together - 1;
            rows += together;
            more = next(position, last);
        }
        for (std::size_t i = 0; i < m_inputs.size(); ++i)
            if (m_inputs[i].access == Access::Direct) work.registers[m_inputs[i].block] = starts[i];
        const long n = rows * m_inner;
        make(work, work.elements + static_cast<std::size_t>(filled) * m_elementBytes, n);
        char *acc = work.acc + static_cast<std::size_t>(places[0]) * m_accBytes;
        if (streams) {
            filled += n;
            left -= rows;
            if (filled > kPiece || (filled == kPiece && (left > 0 || inPieces))) {
                if (m_foldPiece && !inPieces)
                    std::memcpy(lanes, m_laneStart.data(), m_laneStart.size());
                inPieces = true;
                const void *piece = asAccumulated(work, work.elements, kPiece);
                if (m_foldPiece) m_foldPiece(piece, kPiece, lanes);
                else m_fold(piece, kPiece, acc);
                filled -= kPiece;
                std::memmove(work.elements, work.elements + static_cast<std::size_t>(kPiece) * m_elementBytes, static_cast<std::size_t>(filled) * m_elementBytes);
            }
            if (left == 0) {
                endRow(work, filled, inPieces, acc);
                filled = 0;
                inPieces = false;
                left = m_rowsOfResult;
            }
            continue;
        }
        const auto *elements = static_cast<const char *>(asAccumulated(work, work.elements, n));
        const std::int64_t rowBytes = m_inner * static_cast<std::int64_t>(m_cast ? m_accBytes : m_elementBytes);
        for (std::int64_t row = 0; row < rows;) {
            acc = work.acc + static_cast<std::size_t>(places[row]) * m_accBytes;
            std::int64_t together = 1;
            if (isReduced) {
                m_fold(elements + row * rowBytes, m_inner, acc);
            } else {
                while (row + together < rows && places[row + together] == places[row]) ++together;
                m_foldRows(elements + row * rowBytes, together, rowBytes, m_inner, acc);
            }
            row += together;
        }
    }
}

void FusedReduceThunk::writeResults(void *output, const Work &work) const
{
    if (m_accumulateInOutput) return;
    const void *results = work.acc;
    if (m_resultCast) {
        m_resultCast(work.scratch + m_resultOffset, &results, m_count);
        results = work.scratch + m_resultOffset;
    }
    m_store(results, static_cast<char *>(output), static_cast<long>(m_outputBytes), m_count);
}

FusedReduceThunk::Position FusedReduceThunk::start(void *const *slots) const
{
    Position position;
    for (std::size_t i = 0; i < m_inputs.size(); ++i) position.pointers[i] = static_cast<char *>(slots[m_inputs[i].slot]);
    position.end = m_axes[0].size;
    position.lastColumn = m_inner;
    return position;
}

/// Registers and scratch memory of this thread, literals and single elements filled in.
template <class Body>
void FusedReduceThunk::withWork(void *const *slots, char *acc, Body body) const
{
    char *scratch = static_cast<char *>(threadScratch(m_scratchBytes + 64));
    constexpr std::size_t kLocalRegisters = 96;
    void *local[kLocalRegisters];
    std::vector<void *> many;
    Work work{local, scratch, scratch + m_elementsOffset, acc};
    if (m_registers.size() > kLocalRegisters) {
        many.resize(m_registers.size());
        work.registers = many.data();
    }
    std::copy(m_registers.begin(), m_registers.end(), work.registers);
    for (const auto &[block, offset] : m_scratchOf) work.registers[block] = scratch + offset;
    Position position = start(slots);
    fillSingles(work, position.pointers, Access::Single, m_kernel && m_form == Form::Elements);
    body(work, position);
}

void FusedReduceThunk::runPart(const Work &work, Position &position) const
{
    const bool combines = m_kernel && m_form != Form::Elements;
    if (combines && m_form == Form::Lanes) runRowKernel(work, position);
    else if (combines && m_form == Form::Extremes) runExtremeKernel(work, position);
    else if (m_tiles && !combines) runTiles(work, position);
    else if (m_axes.back().reduced) runRows(work, position);
    else runColumns(work, position);
}

// Threads take whole results, so the order of the additions does not depend on them.
bool FusedReduceThunk::runShared(void *const *slots, char *acc) const
{
    if (m_weight < static_cast<double>(sharedElements()) || !canShare()) return false;
    const Axis &outermost = m_axes[0];
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
    const bool hasColumns = !m_axes.back().reduced && (!m_tiles || (m_kernel && m_form == Form::Columns));
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
    if (m_axes.size() > 1 || !m_axes[0].reduced || m_cost <= 2) return false;
    runSharedRow(slots, acc);
    return true;
}

// One long row: threads make its elements, one combines them.
void FusedReduceThunk::runSharedRow(void *const *slots, char *acc) const
{
    const StorageRef storage = allocateStorage(static_cast<std::size_t>(kSharedRow) * m_elementBytes);
    char *elements = static_cast<char *>(storage->data());
    std::vector<std::byte> lanes = m_laneStart;
    const bool inPieces = m_foldPiece && m_inner >= kPiece;
    for (std::int64_t from = 0; from < m_inner; from += kSharedRow) {
        const std::int64_t count = std::min(kSharedRow, m_inner - from);
        sharePieces(count, kSharedPiece, [&](std::int64_t first, std::int64_t end) {
            withWork(slots, acc, [&](const Work &work, Position &position) {
                for (std::int64_t at = first; at < end; at += m_block) {
                    const long n = std::min<long>(m_block, end - at);
                    makeRow(work, position.pointers, from + at, n, elements + static_cast<std::size_t>(at) * m_elementBytes);
                }
            });
        });
        withWork(slots, acc, [&](const Work &work, Position &) {
            for (std::int64_t at = 0; at < count; at += kPiece) {
                const std::int64_t n = std::min(kPiece, count - at);
                const void *piece = asAccumulated(work, elements + static_cast<std::size_t>(at) * m_elementBytes, n);
                if (inPieces) m_foldPiece(piece, n, lanes.data());
                else m_fold(piece, n, acc);
            }
        });
    }
    if (inPieces) m_foldLanes[0](lanes.data(), acc);
}

void FusedReduceThunk::run(void *const *slots)
{
    char *scratch = static_cast<char *>(threadScratch(m_scratchBytes + 64));
    char *acc = m_accumulateInOutput ? static_cast<char *>(slots[m_outputSlot]) : scratch + m_accOffset;
    for (std::int64_t i = 0; i < m_count; ++i) std::memcpy(acc + static_cast<std::size_t>(i) * m_accBytes, m_identity, m_accBytes);
    if (!m_empty && !runShared(slots, acc))
        withWork(slots, acc, [&](const Work &work, Position &position) { runPart(work, position); });
    writeResults(slots[m_outputSlot], {nullptr, scratch, nullptr, acc});
}

std::optional<KernelText> FusedReduceThunk::kernelText() const
{
    if (m_empty) return std::nullopt;
    std::vector<bool> single;
    if (m_form == Form::Extremes) {
        for (const Input &input : m_inputs) single.push_back(input.innerStride == 0);
        if (auto text = reductionKernel(m_program, single, {m_reduce, m_kind, RT_LANES})) return text;
        m_form = Form::Elements;
        single.clear();
    }
    for (const Input &input : m_inputs)
        single.push_back(m_form == Form::Elements ? input.access == Access::Single || input.access == Access::RowSingle : input.innerStride == 0);
    switch (m_form) {
    case Form::Extremes:
    case Form::Elements: return elementwiseKernel(m_program, single);
    case Form::Lanes: return reductionKernel(m_program, single, {m_reduce, m_kind, kLaneCounts[laneClass(m_inner)]});
    case Form::Columns: return reductionKernel(m_program, single, {m_reduce, m_kind, 0});
    }
    return std::nullopt;
}

void FusedReduceThunk::adopt(KernelFunction function, const RtLoop *math)
{
    m_kernel = function;
    m_math = math;
}

} // namespace

std::unique_ptr<Thunk> fusedReduceThunk(ScalarOpPtr function, DType element, RtReduce reduce, std::span<const int> axes,
                                        DType accumulator, const ThunkSpec &spec)
{
    ENGINE_ASSERT(spec.inputs.size() + 2 <= kMaxOperands, function->name() + " has too many operands");
    return std::make_unique<FusedReduceThunk>(function, element, reduce, axes, accumulator, spec);
}

} // namespace engine
