#include "engine/runtime/row_kernel_work.h"

#include "engine/runtime/caches.h"
#include "engine/runtime/elementwise_thunk.h"
#include "engine/runtime/statistics.h"
#include "engine/runtime/threads.h"
#include "engine/scalar/registers.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace engine {
namespace {

constexpr std::int64_t kShortestKernelRow = 16; // below, what is done once a row is most of the work
constexpr std::int64_t kShortestColumn = 8;
constexpr std::size_t kMostScratch = std::size_t(32) << 20; // of a thread
constexpr std::int64_t kPieceElements = 16384;              // that one thread takes at a time

int lanesFor(std::int64_t columns) { return columns >= 1024 ? 64 : columns >= 128 ? 32 : 16; }

// Does the second cache have too few places for so many elements with this step between them?
bool getsInItsOwnWay(std::int64_t step, std::int64_t count)
{
    constexpr std::size_t kWays = 16, kUsed = kWays / 2;
    const std::size_t way = secondCacheBytes() / kWays;
    return static_cast<std::size_t>(count) > kUsed * way / std::gcd(static_cast<std::size_t>(std::abs(step)), way);
}

std::optional<RowParts> partsOf(const Thunk *thunk)
{
    if (!thunk) return RowParts();
    const auto *rows = dynamic_cast<const WorksOnRows *>(thunk);
    return rows ? rows->rowParts() : std::nullopt;
}

} // namespace

bool RowKernelWork::paysAlone(const Thunk *thunk)
{
    const std::optional<RowParts> parts = partsOf(thunk);
    return parts && parts->isAlone;
}

std::unique_ptr<RowKernelWork> RowKernelWork::of(std::span<const RowMember> members)
{
    auto work = std::make_unique<RowKernelWork>();
    if (!work->collect(members)) return nullptr;
    const bool isWritten = work->m_axes.areColumns() ? work->writeForColumns() : work->writeForRows();
    return isWritten ? std::move(work) : nullptr;
}

bool RowKernelWork::writeForRows()
{
    for (std::size_t i = 0; i < m_program.inputs.size(); ++i)
        if (m_program.inputs[i].isRow && getsInItsOwnWay(m_operands[i].lie.apart, m_pieces)) return false;
    auto text = rowKernel(m_program, lanesFor(m_columns));
    if (!text || static_cast<std::size_t>(text->buffers) * bufferBytes() > kMostScratch) return false;
    m_text = std::move(*text);
    return true;
}

// Where a strip of them leaves most of the second cache to what goes by: narrower strips, and higher ones, take longer than the parts do.
bool RowKernelWork::writeForColumns()
{
    std::size_t bytes = 0; // of what is read several times, an element
    for (std::size_t i = 0; i < m_program.inputs.size(); ++i) {
        RowProgram::Input &input = m_program.inputs[i];
        if (!input.isRow || input.isSame) continue;
        input.isCopied = getsInItsOwnWay(m_operands[i].lie.along, m_columns);
        bytes += input.isCopied ? 0 : sizeOf(input.dtype);
    }
    for (std::size_t o = 0; o < m_program.outputs.size(); ++o) {
        RowProgram::Output &output = m_program.outputs[o];
        output.isCrowded = output.isRow && getsInItsOwnWay(m_operands[m_program.inputs.size() + o].lie.along, m_columns);
    }
    auto text = columnKernel(m_program, kStripOfColumns);
    if (!text || text->stages < 2) return false;
    if (static_cast<std::size_t>(m_columns * kStripOfColumns) * (bytes + text->elementBytes) > secondCacheBytes() * 3 / 8) return false;
    m_text = std::move(*text);
    return true;
}

std::size_t RowKernelWork::bufferBytes() const
{
    return m_axes.areColumns() ? columnBufferBytes(m_columns, kStripOfColumns) : rowBufferBytes(m_columns, m_pieces);
}

// The step of an operand from one element to the next along axes of this size, if it is the same all along; 0 where it stays.
std::optional<std::int64_t> RowKernelWork::stepThrough(const SlotOperand &place, std::size_t first, std::size_t end,
                                                       std::size_t missing) const
{
    std::int64_t step = 0, size = 1; // elements that lie evenly so far, from the last axis on
    for (std::size_t axis = end; axis-- > first;) {
        if (m_shape[axis] == 1) continue;
        const std::int64_t has = place.shape[axis - missing], stride = has == 1 ? 0 : place.strides[axis - missing];
        if (has != m_shape[axis] && has != 1) return std::nullopt;
        if (size == 1) step = stride;
        else if (stride != step * size) return std::nullopt;
        size *= m_shape[axis];
    }
    return step;
}

// Where the elements of an operand lie: rows one behind the other or one number a row, the same step between all rows, and between the
// pieces of a row. Of columns the elements of all of them lie one behind the other.
std::optional<RowKernelWork::Lie> RowKernelWork::lie(const SlotOperand &place) const
{
    const std::size_t rank = place.shape.size(), whole = m_shape.size(), first = static_cast<std::size_t>(m_axes.first);
    const std::size_t last = whole - static_cast<std::size_t>(m_axes.last), ofRow = static_cast<std::size_t>(m_axes.count());
    if (rank != whole && rank != whole - ofRow) return std::nullopt;
    const auto within = [&](std::size_t from, std::size_t end) {
        return rank == whole ? stepThrough(place, from, end, 0) : std::optional<std::int64_t>(0);
    };
    const auto step = stepThrough(place, first, last, rank == whole ? 0 : first), before = within(0, first), behind = within(last, whole);
    if (!step || !before || !behind) return std::nullopt;
    const Lie lies = m_axes.areColumns() ? Lie{*step, *before, 0} : Lie{*step, *behind, *before};
    const auto width = static_cast<std::int64_t>(sizeOf(place.dtype)), close = m_axes.areColumns() ? lies.step : lies.along;
    if (close != 0 && close != width) return std::nullopt;
    // A number for each piece is none of the row.
    if (m_pieces > 1 && (lies.along == 0) != (lies.apart == 0)) return std::nullopt;
    return lies;
}

// The same for all rows, with axes of one element where there are rows.
SlotOperand RowKernelWork::alongRows(SlotOperand place) const
{
    Dims shape, strides;
    for (std::size_t axis = static_cast<std::size_t>(m_axes.count()); axis < m_shape.size(); ++axis)
        shape.push_back(1), strides.push_back(0);
    for (std::size_t axis = 0; axis < place.shape.size(); ++axis)
        shape.push_back(place.shape[axis]), strides.push_back(place.strides[axis]);
    place.shape = shape;
    place.strides = strides;
    return place;
}

bool RowKernelWork::collect(std::span<const RowMember> members)
{
    std::vector<RowParts> parts;
    for (const RowMember &member : members) {
        m_thunks.push_back(member.thunk);
        m_shares.push_back(member.thunk ? member.weight : 0);
        auto own = partsOf(member.thunk);
        if (!own) return false;
        if (own->axes.count() > 0 && m_axes.count() == 0) {
            std::vector<SlotOperand> operands;
            std::size_t rank = 0; // those of fewer axes are numbers of rows
            for (const RowMember::Operand &input : member.inputs) rank = std::max(rank, input.place.shape.size());
            for (std::size_t i = 0; i < member.inputs.size(); ++i)
                if (std::find(own->lines.begin(), own->lines.end(), static_cast<int>(i)) == own->lines.end() &&
                    member.inputs[i].place.shape.size() == rank)
                    operands.push_back(member.inputs[i].place);
            m_shape = broadcastShape(operands);
            m_axes = own->axes;
        }
        parts.push_back(std::move(*own));
    }
    if (m_axes.count() == 0) return false;
    const auto first = static_cast<std::size_t>(m_axes.first), last = static_cast<std::size_t>(m_axes.last);
    m_columns = Dims(std::span(m_shape.begin(), first)).product();
    if (!m_axes.areColumns()) m_pieces = std::exchange(m_columns, Dims(std::span(m_shape.end() - last, last)).product());
    m_rows = Dims(std::span(m_shape.begin() + first, m_shape.size() - first - last)).product();
    m_program.areColumns = m_axes.areColumns();
    m_program.areInPieces = m_pieces > 1;
    if (m_pieces == 0) return false;
    // One row alone is summed up in chunks.
    if (m_axes.areColumns() ? m_rows < kStripOfColumns || m_columns < kShortestColumn : m_rows < 2 || m_columns < kShortestKernelRow)
        return false;

    int values = 0;
    for (const RowMember &member : members) {
        for (const RowMember::Operand &input : member.inputs) values = std::max(values, input.value + 1);
        for (const RowMember::Operand &output : member.outputs) values = std::max(values, output.value + 1);
    }
    std::vector<char> isMade(static_cast<std::size_t>(values), 0), isRead(static_cast<std::size_t>(values), 0),
        isRowValue(static_cast<std::size_t>(values), 0);
    std::vector<Operand> outputs;
    std::vector<SlotOperand> read, written;
    for (std::size_t m = 0; m < members.size(); ++m) {
        const RowMember &member = members[m];
        if (!member.thunk) continue;
        if (parts[m].axes.count() > 0 && parts[m].axes != m_axes) return false;
        std::vector<int> numbers;
        for (const RowMember::Operand &input : member.inputs) {
            if (input.value < 0) return false;
            SlotOperand place = input.place;
            const auto port = static_cast<int>(&input - member.inputs.data());
            if (std::find(parts[m].lines.begin(), parts[m].lines.end(), port) != parts[m].lines.end()) place = alongRows(place);
            const std::optional<Lie> lies = lie(place);
            if (!lies) return false;
            const auto value = static_cast<std::size_t>(input.value);
            numbers.push_back(input.value);
            if (isMade[value]) {
                if (lies->isRow() != static_cast<bool>(isRowValue[value])) return false;
                continue;
            }
            if (isRead[value]) {
                for (std::size_t i = 0; i < m_program.inputs.size(); ++i)
                    if (m_program.inputs[i].value == input.value && m_operands[i].lie != *lies) return false;
                continue;
            }
            isRead[value] = 1;
            m_program.inputs.push_back({input.value, place.dtype, lies->isRow(), m_axes.areColumns() && lies->step == 0});
            m_operands.push_back({place.slot, *lies});
            read.push_back(place);
            for (const RowParts::Place &one : parts[m].places)
                if (one.input == port) m_places.push_back({m_operands.back(), place.dtype, one.countsFromEnd});
        }
        for (const RowMember::Operand &output : member.outputs) {
            const std::optional<Lie> lies = lie(output.place);
            if (!lies || lies->step == 0) return false;
            const auto value = static_cast<std::size_t>(output.value);
            if (isMade[value] || isRead[value]) return false;
            isMade[value] = 1;
            isRowValue[value] = lies->isRow();
            numbers.push_back(output.value);
            if (!output.isWanted) continue;
            m_program.outputs.push_back({output.value, output.place.dtype, lies->isRow(), false});
            outputs.push_back({output.place.slot, *lies});
            written.push_back(output.place);
        }
        while (static_cast<int>(numbers.size()) < parts[m].values) numbers.push_back(values++);
        for (RowPart &part : parts[m].parts) {
            for (int &input : part.inputs) input = numbers[static_cast<std::size_t>(input)];
            for (int &output : part.outputs) output = numbers[static_cast<std::size_t>(output)];
            m_program.parts.push_back(std::move(part));
        }
    }
    m_program.values = values;
    // What overwrites an input has to take the place of the very elements that were read, row by row.
    for (std::size_t o = 0; o < written.size(); ++o)
        for (std::size_t i = 0; i < read.size(); ++i) {
            if (written[o].root == kNoSlot || written[o].root != read[i].root) continue;
            if (m_operands[i].lie != outputs[o].lie || sizeOf(read[i].dtype) != sizeOf(written[o].dtype)) return false;
            m_program.outputs[o].isLate = true;
            m_overwritten.push_back({written[o].slot, read[i].slot});
        }
    m_operands.insert(m_operands.end(), outputs.begin(), outputs.end());
    m_steps.push_back(m_columns);
    for (const Operand &operand : m_operands) m_steps.push_back(m_axes.areColumns() ? operand.lie.along : operand.lie.step);
    m_steps.push_back(m_pieces);
    for (const Operand &operand : m_operands) m_steps.push_back(operand.lie.apart);
    double all = 0;
    for (double share : m_shares) all += share;
    for (double &share : m_shares) share = all > 0 ? share / all : 1.0 / static_cast<double>(m_shares.size());
    return !m_program.outputs.empty();
}

void RowKernelWork::adopt(KernelFunction function, const RtLoop *math)
{
    m_kernel = function;
    m_math = math;
}

bool RowKernelWork::standsApart(Slots slots) const
{
    return std::all_of(m_overwritten.begin(), m_overwritten.end(),
                       [&](const Overwritten &pair) { return slots[pair.output] == slots[pair.input]; });
}

bool RowKernelWork::isInRows(const Places &places, Slots slots) const
{
    const auto *at = static_cast<const char *>(slots[places.operand.slot]);
    const std::int64_t count = places.operand.lie.step == 0 ? 1 : m_rows, lowest = places.countsFromEnd ? -m_columns : 0;
    const auto check = [&]<class T>(T) {
        bool isIn = true;
        for (std::int64_t r = 0; r < count; ++r) {
            const auto place = static_cast<std::int64_t>(*reinterpret_cast<const T *>(at + r * places.operand.lie.step));
            isIn &= place >= lowest && place < m_columns;
        }
        return isIn;
    };
    switch (places.dtype) {
    case DType::Int8: return check(std::int8_t());
    case DType::Int16: return check(std::int16_t());
    case DType::Int32: return check(std::int32_t());
    case DType::Int64: return check(std::int64_t());
    case DType::UInt8: return check(std::uint8_t());
    case DType::UInt16: return check(std::uint16_t());
    case DType::UInt32: return check(std::uint32_t());
    default: return false;
    }
}

bool RowKernelWork::kernelCan(Slots slots) const
{
    return m_kernel && standsApart(slots) &&
           std::all_of(m_places.begin(), m_places.end(), [&](const Places &places) { return isInRows(places, slots); });
}

void RowKernelWork::runKernel(Slots slots) const
{
    const std::size_t count = m_operands.size();
    const auto part = [&](std::int64_t first, std::int64_t end) {
        constexpr std::size_t kLocal = 64;
        void *local[kLocal];
        std::vector<void *> many(count + 2 > kLocal ? count + 2 : 0);
        void **operands = many.empty() ? local : many.data();
        for (std::size_t i = 0; i < count; ++i)
            operands[i] = static_cast<char *>(slots[m_operands[i].slot]) + first * m_operands[i].lie.step;
        operands[count] = const_cast<std::int64_t *>(m_steps.data());
        operands[count + 1] = threadScratch(static_cast<std::size_t>(m_text.buffers) * bufferBytes() + 64);
        m_kernel(operands, m_math, end - first);
    };
    const std::int64_t ofRow = m_columns * m_pieces;
    if (m_rows * ofRow >= sharedElements() && canShare())
        sharePieces(m_rows, pieceFor(m_rows, atOnce(), std::max<std::int64_t>(atOnce(), kPieceElements / ofRow)), part);
    else part(0, m_rows);
}

void RowKernelWork::runMembers(Slots slots, std::span<std::uint64_t> spent) const
{
    for (std::size_t i = 0; i < m_thunks.size(); ++i) {
        if (!m_thunks[i]) continue;
        const std::uint64_t before = spent.empty() ? 0 : ticks();
        m_thunks[i]->run(slots);
        if (!spent.empty()) spent[i] += ticks() - before;
    }
}

void RowKernelWork::run(Slots slots)
{
    if (kernelCan(slots)) runKernel(slots);
    else runMembers(slots, {});
}

void RowKernelWork::run(Slots slots, std::span<std::uint64_t> spent)
{
    if (!kernelCan(slots)) return runMembers(slots, spent);
    const std::uint64_t start = ticks();
    runKernel(slots);
    const auto took = static_cast<double>(ticks() - start);
    for (std::size_t i = 0; i < spent.size(); ++i) spent[i] += static_cast<std::uint64_t>(took * m_shares[i]);
}

} // namespace engine
