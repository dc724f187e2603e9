// The members of a kernel for rows become one program: what they read and make, and where the elements of it lie.
#include "engine/runtime/thunks/elementwise_thunk.h"
#include "engine/runtime/thunks/row_kernel_work.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace engine {
namespace {

constexpr std::int64_t kShortestKernelRow = 16; // below, what is done once a row is most of the work
constexpr std::int64_t kShortestColumn = 8;

// Of all values of the members, one more than the largest.
int valuesOf(std::span<const RowMember> members)
{
    int values = 0;
    for (const RowMember &member : members) {
        for (const RowMember::Operand &input : member.inputs) values = std::max(values, input.value + 1);
        for (const RowMember::Operand &output : member.outputs) values = std::max(values, output.value + 1);
    }
    return values;
}

} // namespace

std::optional<RowParts> rowPartsOf(const Thunk *thunk)
{
    if (!thunk) return RowParts();
    const auto *rows = dynamic_cast<const WorksOnRows *>(thunk);
    return rows ? rows->rowParts() : std::nullopt;
}

/// What is known of the members that were collected so far.
struct RowKernelWork::Collected {
    std::vector<char> isMade, isRead, isRowValue; // by value
    std::vector<Operand> outputs;
    std::vector<SlotOperand> read, written; // of the program's inputs and outputs
};

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
    if (!takeRows(members, parts)) return false;
    int values = valuesOf(members);
    const std::vector<char> none(static_cast<std::size_t>(values), 0);
    Collected seen{none, none, none, {}, {}, {}};
    for (std::size_t m = 0; m < members.size(); ++m) {
        const RowMember &member = members[m];
        if (!member.thunk) continue;
        if (parts[m].axes.count() > 0 && parts[m].axes != m_axes) return false;
        std::vector<int> numbers;
        for (const RowMember::Operand &input : member.inputs) {
            if (!takeInput(input, static_cast<int>(&input - member.inputs.data()), parts[m], seen)) return false;
            numbers.push_back(input.value);
        }
        for (const RowMember::Operand &output : member.outputs) {
            if (!takeOutput(output, seen)) return false;
            numbers.push_back(output.value);
        }
        while (static_cast<int>(numbers.size()) < parts[m].values) numbers.push_back(values++);
        for (RowPart &part : parts[m].parts) {
            for (int &input : part.inputs) input = numbers[static_cast<std::size_t>(input)];
            for (int &output : part.outputs) output = numbers[static_cast<std::size_t>(output)];
            m_program.parts.push_back(std::move(part));
        }
    }
    m_program.values = values;
    if (!takeOverwritten(seen)) return false;
    m_operands.insert(m_operands.end(), seen.outputs.begin(), seen.outputs.end());
    m_steps.push_back(m_columns);
    for (const Operand &operand : m_operands) m_steps.push_back(m_axes.areColumns() ? operand.lie.along : operand.lie.step);
    m_steps.push_back(m_pieces);
    for (const Operand &operand : m_operands) m_steps.push_back(operand.lie.apart);
    const double all = std::accumulate(m_shares.begin(), m_shares.end(), 0.0);
    for (double &share : m_shares) share = all > 0 ? share / all : 1.0 / static_cast<double>(m_shares.size());
    return !m_program.outputs.empty();
}

// The rows that they all work on, and what each does to one. False: none, or too few or too short ones.
bool RowKernelWork::takeRows(std::span<const RowMember> members, std::vector<RowParts> &parts)
{
    for (const RowMember &member : members) {
        m_thunks.push_back(member.thunk);
        m_shares.push_back(member.thunk ? member.weight : 0);
        auto own = rowPartsOf(member.thunk);
        if (!own) return false;
        if (own->axes.count() > 0 && m_axes.count() == 0) {
            std::vector<SlotOperand> operands;
            std::size_t rank = 0; // those of fewer axes are numbers of rows
            for (const RowMember::Operand &input : member.inputs) rank = std::max(rank, input.place.shape.size());
            for (std::size_t i = 0; i < member.inputs.size(); ++i)
                if (!own->isLine(static_cast<int>(i)) && member.inputs[i].place.shape.size() == rank)
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
    if (m_axes.areColumns()) return m_rows >= kStripOfColumns && m_columns >= kShortestColumn;
    return m_rows >= 2 && m_columns >= kShortestKernelRow; // one row alone is summed up in chunks
}

bool RowKernelWork::takeInput(const RowMember::Operand &input, int port, const RowParts &parts, Collected &seen)
{
    if (input.value < 0) return false;
    const SlotOperand place = parts.isLine(port) ? alongRows(input.place) : input.place;
    const std::optional<Lie> lies = lie(place);
    if (!lies) return false;
    const auto value = static_cast<std::size_t>(input.value);
    if (seen.isMade[value]) return lies->isRow() == static_cast<bool>(seen.isRowValue[value]);
    if (seen.isRead[value]) {
        for (std::size_t i = 0; i < m_program.inputs.size(); ++i)
            if (m_program.inputs[i].value == input.value && m_operands[i].lie != *lies) return false;
        return true;
    }
    seen.isRead[value] = 1;
    m_program.inputs.push_back({input.value, place.dtype, lies->isRow(), m_axes.areColumns() && lies->step == 0});
    m_operands.push_back({place.slot, *lies});
    seen.read.push_back(place);
    for (const RowParts::Place &one : parts.places)
        if (one.input == port) m_places.push_back({m_operands.back(), place.dtype, one.countsFromEnd});
    return true;
}

bool RowKernelWork::takeOutput(const RowMember::Operand &output, Collected &seen)
{
    const std::optional<Lie> lies = lie(output.place);
    if (!lies || lies->step == 0) return false;
    const auto value = static_cast<std::size_t>(output.value);
    if (seen.isMade[value] || seen.isRead[value]) return false;
    seen.isMade[value] = 1;
    seen.isRowValue[value] = lies->isRow();
    if (!output.isWanted) return true;
    m_program.outputs.push_back({output.value, output.place.dtype, lies->isRow(), false});
    seen.outputs.push_back({output.place.slot, *lies});
    seen.written.push_back(output.place);
    return true;
}

// What overwrites an input has to take the place of the very elements that were read, row by row.
bool RowKernelWork::takeOverwritten(const Collected &seen)
{
    for (std::size_t o = 0; o < seen.written.size(); ++o)
        for (std::size_t i = 0; i < seen.read.size(); ++i) {
            const SlotOperand &written = seen.written[o], &read = seen.read[i];
            if (written.root == kNoSlot || written.root != read.root) continue;
            if (m_operands[i].lie != seen.outputs[o].lie || sizeOf(read.dtype) != sizeOf(written.dtype)) return false;
            m_program.outputs[o].isLate = true;
            m_overwritten.push_back({written.slot, read.slot});
        }
    return true;
}

} // namespace engine
