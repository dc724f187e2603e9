#include "engine/ops/index/index_blocks.h"

#include "engine/rt/rt.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

constexpr std::int64_t kCallCost = 16;            // of a block that is copied by a call, in elements
constexpr std::int64_t kElementsAtOnce = 1 << 20; // between two looks for an interrupt

bool liesTogether(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, std::size_t item)
{
    auto step = static_cast<std::int64_t>(item);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] != 1 && strides[axis] != step) return false;
        step *= shape[axis];
    }
    return true;
}

// The one step between neighbours of these axes, in C order; nothing: there are several.
std::optional<std::int64_t> stepOf(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides)
{
    std::optional<std::int64_t> step;
    std::int64_t inner = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] == 1) continue;
        if (!step) step = strides[axis];
        else if (strides[axis] != *step * inner) return std::nullopt;
        inner *= shape[axis];
    }
    return step.value_or(0);
}

} // namespace

std::optional<IndexBlocks> IndexBlocks::of(const IndexLayout &layout, const View &other)
{
    const std::size_t place = layout.place, arrays = layout.arrayShape.size(), item = sizeOf(other.dtype);
    const std::span<const std::int64_t> rest(layout.restShape.begin(), layout.restShape.end());
    const std::span<const std::int64_t> restStrides(layout.restStrides.begin(), layout.restStrides.end());
    const std::span<const std::int64_t> strides(other.strides, static_cast<std::size_t>(other.rank));
    const auto step =
        stepOf(std::span<const std::int64_t>(layout.arrayShape.begin(), layout.arrayShape.end()), strides.subspan(place, arrays));
    if (!step || !liesTogether(rest.subspan(place), restStrides.subspan(place), item) ||
        !liesTogether(rest.subspan(place), strides.subspan(place + arrays), item))
        return std::nullopt;
    IndexBlocks result;
    result.m_array = layout.base;
    result.m_other = static_cast<char *>(other.data);
    result.m_dtype = other.dtype;
    for (std::int64_t size : rest.subspan(place)) result.m_elements *= size;
    result.m_bytes = static_cast<std::size_t>(result.m_elements) * item;
    result.m_step = *step;
    result.m_outer = Dims(rest.first(place));
    result.m_arraySteps = Dims(restStrides.first(place));
    result.m_otherSteps = Dims(strides.first(place));
    return result;
}

template <class Move>
void IndexBlocks::forPieces(const PlaceReader &places, Move move) const
{
    std::array<std::int64_t, PlaceReader::kPiece> offsets;
    const std::size_t inner = m_outer.size() - 1; // the innermost axis before the arrays is left to the loop
    const bool isOne = m_outer.empty();
    const std::int64_t outer = m_outer.product(), rows = isOne ? 1 : m_outer[inner];
    RtIndexed blocks{nullptr, nullptr, reinterpret_cast<const long long *>(offsets.data()), 0, m_step, 0, 0, 0};
    if (!isOne) blocks.arrayStep = m_arraySteps[inner], blocks.otherStep = m_otherSteps[inner];
    Pace pace;
    for (std::int64_t first = 0; first < places.count() && outer > 0; first += PlaceReader::kPiece) {
        blocks.count = std::min(PlaceReader::kPiece, places.count() - first);
        places.read(first, blocks.count, offsets.data());
        const std::int64_t rowCost = blocks.count * (kCallCost + m_elements);
        const std::int64_t atOnce = std::max<std::int64_t>(1, kElementsAtOnce / rowCost);
        char *array = m_array, *other = m_other + first * m_step;
        Dims position(m_outer.size(), 0);
        for (std::int64_t o = 0; o < outer; o += rows) {
            for (std::int64_t row = 0; row < rows; row += blocks.outer) {
                blocks.array = array + row * blocks.arrayStep;
                blocks.other = other + row * blocks.otherStep;
                blocks.outer = std::min(atOnce, rows - row);
                pace.did(blocks.outer * rowCost);
                move(&blocks);
            }
            for (std::size_t axis = inner; !isOne && axis-- > 0;) {
                array += m_arraySteps[axis];
                other += m_otherSteps[axis];
                if (++position[axis] < m_outer[axis]) break;
                array -= m_arraySteps[axis] * m_outer[axis];
                other -= m_otherSteps[axis] * m_outer[axis];
                position[axis] = 0;
            }
        }
    }
}

void IndexBlocks::gather(const PlaceReader &places) const
{
    forPieces(places, [this](const RtIndexed *blocks) { rt_table()->gatherBlocks(blocks, static_cast<std::int64_t>(m_bytes)); });
}

void IndexBlocks::set(const PlaceReader &places) const
{
    forPieces(places, [this](const RtIndexed *blocks) { rt_table()->setBlocks(blocks, static_cast<std::int64_t>(m_bytes)); });
}

bool IndexBlocks::add(const PlaceReader &places) const
{
    const auto add = rt_table()->addBlocks[static_cast<int>(m_dtype)];
    if (add) forPieces(places, [this, add](const RtIndexed *blocks) { add(blocks, m_elements); });
    return add != nullptr;
}

} // namespace engine
