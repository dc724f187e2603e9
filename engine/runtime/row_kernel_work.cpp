#include "engine/runtime/row_kernel_work.h"

#include "engine/runtime/elementwise_thunk.h"
#include "engine/runtime/statistics.h"
#include "engine/runtime/threads.h"
#include "engine/scalar/registers.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::int64_t kShortestRow = 64;                   // below, what is done once a row is most of the work
constexpr std::size_t kMostScratch = std::size_t(32) << 20; // of a thread
constexpr std::int64_t kPieceElements = 16384;              // that one thread takes at a time

int lanesFor(std::int64_t columns) { return columns >= 1024 ? 64 : columns >= 128 ? 32 : 16; }

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
    auto text = rowKernel(work->m_program, lanesFor(work->m_columns));
    if (!text || static_cast<std::size_t>(text->buffers) * rowBufferBytes(work->m_columns) > kMostScratch) return nullptr;
    work->m_text = std::move(*text);
    return work;
}

// Where the elements of an operand lie: rows one behind the other or one number a row, the same step between all rows.
bool RowKernelWork::liesInRows(const SlotOperand &place, bool &isRow, std::int64_t &step) const
{
    const std::size_t rank = place.shape.size(), outer = m_rank - m_rowAxes;
    if (rank != m_rank && rank != outer) return false;
    step = 0;
    std::int64_t size = 1; // rows that lie evenly so far, from the last axis on
    for (std::size_t axis = outer; axis-- > 0;) {
        if (m_outer[axis] == 1) continue;
        if (place.shape[axis] != m_outer[axis] && place.shape[axis] != 1) return false;
        const std::int64_t stride = place.shape[axis] == 1 ? 0 : place.strides[axis];
        if (size == 1) step = stride;
        else if (stride != step * size) return false;
        size *= m_outer[axis];
    }
    isRow = false;
    std::int64_t width = static_cast<std::int64_t>(sizeOf(place.dtype)), elements = 1;
    bool isEven = true, isSingle = true;
    for (std::size_t axis = rank; axis-- > outer;) {
        if (place.shape[axis] == 1) continue;
        isEven &= place.strides[axis] == width;
        isSingle &= place.strides[axis] == 0;
        width *= place.shape[axis];
        elements *= place.shape[axis];
    }
    if (elements == 1) return true;
    isRow = !isSingle;
    return isSingle || (isEven && elements == m_columns);
}

// The same for all rows, with axes of one element where there are rows.
SlotOperand RowKernelWork::alongRows(SlotOperand place) const
{
    Dims shape, strides;
    for (std::size_t axis = 0; axis + m_rowAxes < m_rank; ++axis) shape.push_back(1), strides.push_back(0);
    for (std::size_t axis = 0; axis < place.shape.size(); ++axis)
        shape.push_back(place.shape[axis]), strides.push_back(place.strides[axis]);
    place.shape = shape;
    place.strides = strides;
    return place;
}

bool RowKernelWork::collect(std::span<const RowMember> members)
{
    std::vector<RowParts> parts;
    const Dims *shape = nullptr;
    Dims whole;
    for (const RowMember &member : members) {
        m_thunks.push_back(member.thunk);
        m_shares.push_back(member.thunk ? member.weight : 0);
        auto own = partsOf(member.thunk);
        if (!own) return false;
        if (own->rowAxes > 0 && !shape) {
            std::vector<SlotOperand> operands;
            std::size_t rank = 0; // those of fewer axes are numbers of rows
            for (const RowMember::Operand &input : member.inputs) rank = std::max(rank, input.place.shape.size());
            for (std::size_t i = 0; i < member.inputs.size(); ++i)
                if (std::find(own->lines.begin(), own->lines.end(), static_cast<int>(i)) == own->lines.end() &&
                    member.inputs[i].place.shape.size() == rank)
                    operands.push_back(member.inputs[i].place);
            whole = broadcastShape(operands);
            shape = &whole;
            m_rank = whole.size();
            m_rowAxes = static_cast<std::size_t>(own->rowAxes);
        }
        parts.push_back(std::move(*own));
    }
    if (!shape) return false;
    m_outer = Dims(std::span(whole.begin(), m_rank - m_rowAxes));
    m_rows = m_outer.product();
    m_columns = m_rows ? whole.product() / m_rows : 0;
    // One row alone is summed up in chunks.
    if (m_rows < 2 || m_columns < kShortestRow) return false;

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
        if (parts[m].rowAxes > 0 && static_cast<std::size_t>(parts[m].rowAxes) != m_rowAxes) return false;
        std::vector<int> numbers;
        for (const RowMember::Operand &input : member.inputs) {
            bool isRow = false;
            std::int64_t step = 0;
            if (input.value < 0) return false;
            SlotOperand place = input.place;
            const auto port = static_cast<int>(&input - member.inputs.data());
            if (std::find(parts[m].lines.begin(), parts[m].lines.end(), port) != parts[m].lines.end()) place = alongRows(place);
            if (!liesInRows(place, isRow, step)) return false;
            const auto value = static_cast<std::size_t>(input.value);
            numbers.push_back(input.value);
            if (isMade[value]) {
                if (isRow != static_cast<bool>(isRowValue[value])) return false;
                continue;
            }
            if (isRead[value]) {
                for (std::size_t i = 0; i < m_program.inputs.size(); ++i)
                    if (m_program.inputs[i].value == input.value && (m_program.inputs[i].isRow != isRow || m_operands[i].step != step))
                        return false;
                continue;
            }
            isRead[value] = 1;
            m_program.inputs.push_back({input.value, place.dtype, isRow});
            m_operands.push_back({place.slot, step});
            read.push_back(place);
            for (const RowParts::Place &one : parts[m].places)
                if (one.input == port) m_places.push_back({m_operands.back(), place.dtype, one.countsFromEnd});
        }
        for (const RowMember::Operand &output : member.outputs) {
            bool isRow = false;
            std::int64_t step = 0;
            if (!liesInRows(output.place, isRow, step) || step == 0) return false;
            const auto value = static_cast<std::size_t>(output.value);
            if (isMade[value] || isRead[value]) return false;
            isMade[value] = 1;
            isRowValue[value] = isRow;
            numbers.push_back(output.value);
            if (!output.isWanted) continue;
            m_program.outputs.push_back({output.value, output.place.dtype, isRow, false});
            outputs.push_back({output.place.slot, step});
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
            const bool isSame = m_program.inputs[i].isRow == m_program.outputs[o].isRow && m_operands[i].step == outputs[o].step &&
                                sizeOf(read[i].dtype) == sizeOf(written[o].dtype);
            if (!isSame) return false;
            m_program.outputs[o].isLate = true;
            m_overwritten.push_back({written[o].slot, read[i].slot});
        }
    m_operands.insert(m_operands.end(), outputs.begin(), outputs.end());
    m_steps.push_back(m_columns);
    for (const Operand &operand : m_operands) m_steps.push_back(operand.step);
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
    const std::int64_t count = places.operand.step == 0 ? 1 : m_rows, lowest = places.countsFromEnd ? -m_columns : 0;
    const auto check = [&]<class T>(T) {
        bool isIn = true;
        for (std::int64_t r = 0; r < count; ++r) {
            const auto place = static_cast<std::int64_t>(*reinterpret_cast<const T *>(at + r * places.operand.step));
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
        for (std::size_t i = 0; i < count; ++i) operands[i] = static_cast<char *>(slots[m_operands[i].slot]) + first * m_operands[i].step;
        operands[count] = const_cast<std::int64_t *>(m_steps.data());
        operands[count + 1] = threadScratch(static_cast<std::size_t>(m_text.buffers) * rowBufferBytes(m_columns) + 64);
        m_kernel(operands, m_math, end - first);
    };
    if (m_rows * m_columns >= sharedElements() && canShare())
        sharePieces(m_rows, pieceFor(m_rows, 1, std::max<std::int64_t>(1, kPieceElements / m_columns)), part);
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
