#include "engine/runtime/thunks/reduce_thunk.h"

#include "engine/runtime/plan/threads.h"
#include "engine/runtime/sizes/loop_sizes.h"
#include "engine/scalar/registers.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace engine {

RtKind accumulatorKind(RtReduce reduce, DType accumulator)
{
    const RtKind kind = registerKind(accumulator);
    const bool isLogic = reduce == RT_ANY || reduce == RT_ALL;
    return isLogic && kind != RT_INT && kind != RT_UINT ? RT_BOOL : kind;
}

RowAxes rowAxesAmong(std::span<const int> axes, std::size_t rank)
{
    if (axes.size() >= rank) return {};
    const auto count = static_cast<int>(axes.size()), kept = static_cast<int>(rank) - count;
    int first = 0;
    while (first < count && axes[static_cast<std::size_t>(first)] == first) ++first;
    const bool isTogether = first == count || axes[static_cast<std::size_t>(first)] == first + kept;
    return isTogether ? RowAxes{count - first, first} : RowAxes{};
}

void writeIdentity(RtReduce reduce, RtKind kind, void *place)
{
    const auto put = [&]<class T>(T value) { std::memcpy(place, &value, sizeof value); };
    const bool largest = reduce == RT_MIN, smallest = reduce == RT_MAX;
    const bool one = reduce == RT_PROD || reduce == RT_ALL;
    switch (kind) {
    case RT_BOOL: put(static_cast<unsigned char>(one || largest)); return;
    case RT_INT:
        if (reduce == RT_ALL) put(std::int64_t(-1));
        else if (smallest) put(std::numeric_limits<std::int64_t>::min());
        else if (largest) put(std::numeric_limits<std::int64_t>::max());
        else put(std::int64_t(one));
        return;
    case RT_UINT:
        if (reduce == RT_ALL || largest) put(std::numeric_limits<std::uint64_t>::max());
        else put(std::uint64_t(smallest ? 0 : one));
        return;
    case RT_F32:
    case RT_F64: {
        const double infinity = std::numeric_limits<double>::infinity();
        const double value = smallest ? -infinity : largest ? infinity : one;
        if (kind == RT_F32) put(static_cast<float>(value));
        else put(value);
        return;
    }
    default: {
        const double pair[2] = {one ? 1.0 : 0.0, 0.0};
        std::memcpy(place, pair, sizeof pair);
        return;
    }
    }
}

void fillIdentities(const void *identity, std::size_t bytes, void *accumulators, std::int64_t count)
{
    const auto fill = [&]<class T>(T value) {
        std::memcpy(&value, identity, sizeof value);
        std::fill_n(static_cast<T *>(accumulators), count, value);
    };
    switch (bytes) {
    case 1: return fill(std::uint8_t());
    case 4: return fill(std::uint32_t());
    case 8: return fill(std::uint64_t());
    default: return fill(std::array<std::uint64_t, 2>());
    }
}

namespace {

constexpr long kNarrowRow = 32; // up to here many rows of narrow integers at once are faster than one by one

class ReduceThunk final : public Thunk, public WorksOnRows {
public:
    ReduceThunk(RtReduce reduce, std::span<const int> axes, DType accumulator, const ThunkSpec &spec);
    void run(Slots slots) override;
    std::optional<RowParts> rowParts() const override;

private:
    // Axes of the walk, outermost first: input step and how far the accumulator moves (0: reduced).
    struct Axis {
        std::int64_t size = 1;
        std::int64_t inputStep = 0;  // bytes
        std::int64_t resultStep = 0; // elements
    };
    static std::vector<Axis> inMemoryOrder(std::vector<Axis> order);
    void chooseLoopAxes(std::vector<Axis> merged);
    void chooseFolds(DType input, DType accumulator);

    void foldRow(const char *from, void *acc, char *scratch, std::int64_t size) const;
    void foldEachRow(const char *from, char *acc, char *scratch, std::int64_t rows, std::int64_t step) const;
    void foldColumns(const char *from, char *acc, char *scratch, std::int64_t first, std::int64_t end) const;
    void walk(const char *from, char *acc, char *scratch, std::int64_t first, std::int64_t count) const;
    void foldByChunks(const char *from, char *acc) const;
    void foldShared(const char *from, char *acc) const;

    /// How what is read becomes results, in the accumulators' kind.
    struct Folds {
        RtKind kind;
        std::size_t bytes;                        // of an accumulator
        RtFold fold = nullptr, combine = nullptr; // of the input, of the accumulator's kind
        RtFold narrow = nullptr;                  // of rows of the input's memory that need not become registers
        RtFoldEach each = nullptr;
        RtFoldRows rows = nullptr;
        alignas(16) std::byte identity[16] = {};
    };
    /// How the input is read.
    struct Source {
        Slot slot{0};
        bool isDirect = false; // memory goes into the fold as it is
        RtLoadRows loadRows = nullptr;
        RtLoad load = nullptr;
        RtLoop cast = nullptr; // from the dtype's register to the accumulator's kind
        std::size_t bytes = 8; // of a register
    };
    /// How results are written.
    struct Output {
        Slot slot{0};
        DType dtype;
        bool accumulates = false; // its memory is the accumulators'
        bool takesCast = false;   // its memory is a register as it stands
        RtLoop cast = nullptr;    // from the accumulator's kind to the output's
        RtStore store = nullptr;
        std::size_t bytes = 8; // of an element
    };
    /// Offsets in the scratch of a thread.
    struct Scratch {
        std::size_t bytes = 0, acc = 0, cast = 0, result = 0;
    };

    Folds m_folds;
    Source m_source;
    Output m_output;
    Scratch m_scratch;
    RtReduce m_reduce;
    RowAxes m_rowAxes;        // where it is those that vanish
    std::int64_t m_count = 1; // results
    std::int64_t m_total = 0; // elements
    bool m_empty = false;
    bool m_innerReduced = true;
    Axis m_inner; // last axis
    Axis m_rows;  // columns walk: the reduced axis next to it (size 1 if none)
    std::vector<Axis> m_outer;
};

/// Axes from the largest step in memory to the smallest, neighbours of one sort merged.
std::vector<ReduceThunk::Axis> ReduceThunk::inMemoryOrder(std::vector<Axis> order)
{
    std::stable_sort(order.begin(), order.end(),
                     [](const Axis &a, const Axis &b) { return std::llabs(a.inputStep) > std::llabs(b.inputStep); });
    std::vector<Axis> merged;
    for (const Axis &axis : order) {
        if (!merged.empty() && (merged.back().resultStep == 0) == (axis.resultStep == 0) &&
            merged.back().inputStep == axis.inputStep * axis.size && merged.back().resultStep == axis.resultStep * axis.size) {
            merged.back().size *= axis.size;
            merged.back().inputStep = axis.inputStep;
            merged.back().resultStep = axis.resultStep;
        } else {
            merged.push_back(axis);
        }
    }
    return merged;
}

/// Which axis the loops run along within a row, which ones rows lie along, and which are stepped through around them.
void ReduceThunk::chooseLoopAxes(std::vector<Axis> merged)
{
    if (merged.empty()) merged.push_back({});
    m_inner = merged.back();
    merged.pop_back();
    m_innerReduced = m_inner.resultStep == 0;
    // Columns need their results side by side; otherwise each element is a row of its own.
    if (!m_innerReduced && m_inner.resultStep != 1) {
        merged.push_back(m_inner);
        m_inner = {};
        m_innerReduced = true;
    }
    if (!m_innerReduced) {
        // The reduced axis with the smallest step becomes the rows.
        for (std::size_t i = merged.size(); i-- > 0;)
            if (merged[i].resultStep == 0) {
                m_rows = merged[i];
                merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(i));
                break;
            }
    }
    m_outer = std::move(merged);
}

void ReduceThunk::chooseFolds(DType input, DType accumulator)
{
    const RtTable *rt = rt_table();
    const RtKind inputKind = registerKind(input);
    const bool wide = input == DType::Float32 && m_folds.kind == RT_F64 && (m_reduce == RT_SUM || m_reduce == RT_PROD);
    const bool sameKind = isNativeRegister(input) && inputKind == m_folds.kind;
    const bool even = m_inner.size == 1 || m_inner.inputStep == static_cast<std::int64_t>(sizeOf(input));
    m_source.isDirect = even && (wide || sameKind);
    if (m_source.isDirect && wide) {
        m_folds.fold = rt->wideFolds[m_reduce];
        m_folds.each = rt->wideFoldEach[m_reduce];
        m_folds.rows = rt->wideFoldRows[m_reduce];
    } else {
        m_folds.fold = rt->folds[m_reduce][m_folds.kind];
        m_folds.each = rt->foldEach[m_reduce][m_folds.kind];
        m_folds.rows = rt->foldRows[m_reduce][m_folds.kind];
        m_source.load = rt->loads[rtDType(input)];
        m_source.loadRows = rt->loadRows[rtDType(input)];
        m_source.bytes = registerBytes(inputKind);
        if (inputKind != m_folds.kind) m_source.cast = castLoop(inputKind, m_folds.kind == RT_BOOL ? DType::Bool : accumulator);
    }
    const bool sums = m_folds.kind == RT_UINT && m_reduce == RT_SUM; // which wrap, so signs do not matter
    if (even && (m_folds.kind == RT_INT || sums) && !m_source.isDirect) m_folds.narrow = rt->narrowFolds[m_reduce][rtDType(input)];
    ENGINE_ASSERT(m_folds.fold && m_folds.rows, "a reduction has no loop for " + std::string(nameOf(accumulator)));
}

ReduceThunk::ReduceThunk(RtReduce reduce, std::span<const int> axes, DType accumulator, const ThunkSpec &spec)
{
    const SlotOperand &in = spec.inputs[0], &out = spec.outputs[0];
    const RtTable *rt = rt_table();
    m_source.slot = in.slot;
    m_output.slot = out.slot;
    m_reduce = reduce;
    m_rowAxes = rowAxesAmong(axes, in.shape.size());
    m_output.dtype = out.dtype;
    m_folds.kind = accumulatorKind(reduce, accumulator);
    m_folds.bytes = registerBytes(m_folds.kind);
    writeIdentity(reduce, m_folds.kind, m_folds.identity);

    const std::size_t rank = in.shape.size();
    std::vector<bool> reduced(rank, false);
    for (int axis : axes) reduced[axis] = true;
    Dims resultSteps(rank, 0);
    for (std::size_t axis = rank; axis-- > 0;) {
        if (reduced[axis]) continue;
        resultSteps[axis] = m_count;
        m_count *= in.shape[axis];
    }
    const std::int64_t total = in.shape.product();
    m_empty = total == 0;
    m_total = total;
    m_folds.combine = rt->folds[reduce][m_folds.kind];

    m_output.store = rt->stores[rtDType(out.dtype)];
    m_output.bytes = sizeOf(out.dtype);
    const RtKind outputKind = registerKind(out.dtype);
    m_output.takesCast = isNativeRegister(out.dtype);
    m_output.accumulates = m_output.takesCast && outputKind == m_folds.kind;
    if (outputKind != m_folds.kind) m_output.cast = castLoop(m_folds.kind, out.dtype);
    const View result{nullptr, out.dtype, out.shape.rank(), out.shape.data(), out.strides.data()};
    ENGINE_ASSERT(result.isContiguous(), "the result of a reduction must be contiguous");

    std::vector<Axis> order;
    for (std::size_t axis = 0; axis < rank; ++axis)
        if (in.shape[axis] != 1) order.push_back({in.shape[axis], in.strides[axis], reduced[axis] ? 0 : resultSteps[axis]});
    chooseLoopAxes(inMemoryOrder(std::move(order)));
    chooseFolds(in.dtype, accumulator);
    const std::size_t block = static_cast<std::size_t>(kColumnStrip) * 16;
    m_scratch.cast = block;
    m_scratch.acc = m_source.isDirect ? 0 : 2 * block;
    const std::size_t results = (static_cast<std::size_t>(m_count) * 16 + 63) & ~std::size_t(63);
    m_scratch.result = m_scratch.acc + results;
    m_scratch.bytes = m_scratch.acc + (m_output.accumulates ? 0 : m_output.cast ? 2 * results : results);
}

void ReduceThunk::foldRow(const char *from, void *acc, char *scratch, std::int64_t size) const
{
    if (m_source.isDirect) {
        m_folds.fold(from, size, acc);
        return;
    }
    if (m_folds.narrow) {
        m_folds.narrow(from, size, acc);
        return;
    }
    for (std::int64_t start = 0; start < size; start += kColumnStrip) {
        const long n = std::min<long>(kColumnStrip, size - start);
        m_source.load(from + start * m_inner.inputStep, m_inner.inputStep, scratch, n);
        const void *block = scratch;
        if (m_source.cast) {
            m_source.cast(scratch + m_scratch.cast, &block, n);
            block = scratch + m_scratch.cast;
        }
        m_folds.fold(block, n, acc);
    }
}

// Short rows, `step` bytes apart, whose results lie side by side.
void ReduceThunk::foldEachRow(const char *from, char *acc, char *scratch, std::int64_t rows, std::int64_t step) const
{
    if (m_source.isDirect) {
        const std::int64_t most = kUncut / m_inner.size;
        for (std::int64_t first = 0; first < rows; first += most) {
            if (first > 0) checkInterrupt();
            m_folds.each(from + first * step, std::min(most, rows - first), step, m_inner.size,
                         acc + static_cast<std::size_t>(first) * m_folds.bytes);
        }
        return;
    }
    const std::int64_t atOnce = kColumnStrip / m_inner.size;
    for (std::int64_t first = 0; first < rows; first += atOnce) {
        const std::int64_t count = std::min(atOnce, rows - first);
        m_source.loadRows(from + first * step, count, step, m_inner.size, m_inner.inputStep, scratch);
        const void *block = scratch;
        if (m_source.cast) {
            m_source.cast(scratch + m_scratch.cast, &block, count * m_inner.size);
            block = scratch + m_scratch.cast;
        }
        const std::int64_t rowBytes = m_inner.size * static_cast<std::int64_t>(m_folds.bytes);
        m_folds.each(static_cast<const char *>(block), count, rowBytes, m_inner.size,
                     acc + static_cast<std::size_t>(first) * m_folds.bytes);
    }
}

void ReduceThunk::foldColumns(const char *from, char *acc, char *scratch, std::int64_t first, std::int64_t end) const
{
    Pace pace;
    for (std::int64_t start = first; start < end; start += kColumnStrip) {
        const long n = std::min<long>(kColumnStrip, end - start);
        const char *strip = from + start * m_inner.inputStep;
        char *target = acc + static_cast<std::size_t>(start) * m_folds.bytes;
        if (m_source.isDirect) {
            const std::int64_t most = kUncut / kColumnStrip;
            for (std::int64_t row = 0; row < m_rows.size; row += most) {
                pace.did(std::min(most, m_rows.size - row) * n);
                m_folds.rows(strip + row * m_rows.inputStep, std::min(most, m_rows.size - row), m_rows.inputStep, n, target);
            }
            continue;
        }
        for (std::int64_t row = 0; row < m_rows.size; ++row) {
            pace.did(n);
            m_source.load(strip + row * m_rows.inputStep, m_inner.inputStep, scratch, n);
            const void *block = scratch;
            if (m_source.cast) {
                m_source.cast(scratch + m_scratch.cast, &block, n);
                block = scratch + m_scratch.cast;
            }
            m_folds.rows(static_cast<const char *>(block), 1, 0, n, target);
        }
    }
}

// All of the input, or positions first … first + count of its outermost axis.
void ReduceThunk::walk(const char *from, char *acc, char *scratch, std::int64_t first, std::int64_t count) const
{
    std::int64_t counter[kMaxRank] = {};
    std::int64_t at = 0;
    Pace pace;
    if (!m_outer.empty()) {
        from += first * m_outer[0].inputStep;
        at = first * m_outer[0].resultStep;
    }
    const std::size_t outer = m_outer.size();
    const bool byRows = m_innerReduced && outer > 0 && m_outer[outer - 1].resultStep == 1 &&
                        m_inner.size <= (m_folds.narrow ? kNarrowRow : kColumnStrip / 4);
    while (true) {
        char *target = acc + static_cast<std::size_t>(at) * m_folds.bytes;
        if (byRows) foldEachRow(from, target, scratch, outer == 1 ? count : m_outer[outer - 1].size, m_outer[outer - 1].inputStep);
        else if (m_innerReduced) foldRow(from, target, scratch, m_inner.size);
        else foldColumns(from, target, scratch, 0, m_inner.size);
        pace.did(m_inner.size * (byRows ? (outer == 1 ? count : m_outer[outer - 1].size) : m_rows.size));
        std::size_t axis = byRows ? outer - 1 : outer;
        for (; axis > 0; --axis) {
            const Axis &a = m_outer[axis - 1];
            const std::int64_t size = axis == 1 ? count : a.size;
            from += a.inputStep;
            at += a.resultStep;
            if (++counter[axis - 1] < size) break;
            from -= a.inputStep * size;
            at -= a.resultStep * size;
            counter[axis - 1] = 0;
        }
        if (axis == 0) break;
    }
}

void ReduceThunk::foldByChunks(const char *from, char *acc) const
{
    const std::int64_t chunks = m_inner.size / kChunk;
    std::vector<std::byte> partial(static_cast<std::size_t>(chunks) * m_folds.bytes);
    shareParts(chunks, [&](std::int64_t chunk) {
        char *scratch = static_cast<char *>(threadScratch(m_scratch.bytes + 64));
        std::byte *target = partial.data() + static_cast<std::size_t>(chunk) * m_folds.bytes;
        std::memcpy(target, m_folds.identity, m_folds.bytes);
        const std::int64_t first = chunk * kChunk, end = chunk + 1 < chunks ? first + kChunk : m_inner.size;
        foldRow(from + first * m_inner.inputStep, target, scratch, end - first);
    });
    m_folds.combine(partial.data(), chunks, acc);
}

// Results are parted among threads, never the sum that makes one.
void ReduceThunk::foldShared(const char *from, char *acc) const
{
    const auto part = [&](auto body) {
        return [this, body](std::int64_t first, std::int64_t end) {
            body(static_cast<char *>(threadScratch(m_scratch.bytes + 64)), first, end);
        };
    };
    if (!m_outer.empty())
        sharePieces(m_outer[0].size, pieceFor(m_outer[0].size, 1, m_outer[0].size),
                    part([&](char *scratch, std::int64_t first, std::int64_t end) { walk(from, acc, scratch, first, end - first); }));
    else
        sharePieces(m_inner.size, pieceFor(m_inner.size, 64, kColumnStrip),
                    part([&](char *scratch, std::int64_t first, std::int64_t end) { foldColumns(from, acc, scratch, first, end); }));
}

std::optional<RowParts> ReduceThunk::rowParts() const
{
    if (m_rowAxes.count() == 0 || m_empty) return std::nullopt;
    RowPart part{.inputs = {0}, .outputs = {1}, .combine = RowPart::Combine{m_reduce, m_folds.kind, m_output.dtype}};
    return RowParts{.parts = {std::move(part)}, .values = 2, .axes = m_rowAxes};
}

void ReduceThunk::run(Slots slots)
{
    char *scratch = static_cast<char *>(threadScratch(m_scratch.bytes + 64));
    char *output = static_cast<char *>(slots[m_output.slot]);
    char *acc = m_output.accumulates ? output : scratch + m_scratch.acc;
    fillIdentities(m_folds.identity, m_folds.bytes, acc, m_count);
    if (!m_empty) {
        const char *from = static_cast<const char *>(slots[m_source.slot]);
        const bool parted = m_outer.empty() ? !m_innerReduced : m_outer[0].resultStep != 0;
        if (m_outer.empty() && m_innerReduced && m_inner.size / kChunk >= kLeastChunks) foldByChunks(from, acc);
        else if (parted && m_total >= sharedElements()) foldShared(from, acc);
        else walk(from, acc, scratch, 0, m_outer.empty() ? 1 : m_outer[0].size);
    }
    if (m_output.accumulates) return;
    const void *results = acc;
    if (m_output.cast && m_output.takesCast) {
        m_output.cast(output, &results, m_count);
        return;
    }
    if (m_output.cast) {
        m_output.cast(scratch + m_scratch.result, &results, m_count);
        results = scratch + m_scratch.result;
    }
    m_output.store(results, output, static_cast<long>(m_output.bytes), m_count);
}

} // namespace

std::unique_ptr<Thunk> reduceThunk(RtReduce kind, std::span<const int> axes, DType accumulator, const ThunkSpec &spec)
{
    return std::make_unique<ReduceThunk>(kind, axes, accumulator, spec);
}

} // namespace engine
