#include "engine/ops/elements/run_support.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/index/index_blocks.h"
#include "engine/ops/index/index_canonical.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::int64_t kBlockCost = 16; // of a block of one element, in elements

// Calls f(block of x at an offset, block of the other array) for each position of the arrays. `other` has the result's shape.
template <class F>
void forBlocks(const ResolvedIndex &index, DType dtype, const View &other, F f)
{
    Dims otherRest;
    for (std::size_t i = 0; i < index.restShape.size(); ++i)
        otherRest.push_back(other.strides[i < index.place ? i : i + index.arrayShape.size()]);
    Dims position(index.arrayShape.size(), 0);
    auto *place = static_cast<char *>(other.data);
    const std::int64_t *steps = other.strides + index.place;
    const int rank = index.restShape.rank();
    const std::int64_t elements = kBlockCost + index.restShape.product();
    Pace pace;
    for (std::int64_t offset : index.offsets) {
        pace.did(elements);
        f(View{index.base + offset, dtype, rank, index.restShape.data(), index.restStrides.data()},
          View{place, other.dtype, rank, index.restShape.data(), otherRest.data()});
        for (int axis = index.arrayShape.rank() - 1; axis >= 0; --axis) {
            const auto k = static_cast<std::size_t>(axis);
            place += steps[k];
            if (++position[k] < index.arrayShape[k]) break;
            place -= steps[k] * index.arrayShape[k];
            position[k] = 0;
        }
    }
}

void gather(const char *symbol, std::span<const AdvancedEntry> entries, PerformArgs &args)
{
    const View &x = args.inputs[0];
    const IndexLayout layout = layoutOfIndex(symbol, entries, x, args.inputs.subspan(1));
    const PlaceReader places(symbol, entries, layout, args.inputs.subspan(1));
    const View &out = output(args, 0, layout.resultShape());
    if (out.size() == 0) return places.check();
    if (const auto blocks = IndexBlocks::of(layout, out)) return blocks->gather(places);
    forBlocks(resolveIndex(symbol, entries, x, args.inputs.subspan(1)), x.dtype, out,
              [](const View &from, const View &to) { copyConverted(from, to); });
}

void scatter(const char *symbol, std::span<const AdvancedEntry> entries, PerformArgs &args, bool isSet)
{
    const View &out = output(args, 0, shapeOfView(args.inputs[0]));
    if (out.data != args.inputs[0].data) copyConverted(args.inputs[0], out);
    const IndexLayout layout = layoutOfIndex(symbol, entries, out, args.inputs.subspan(2));
    const PlaceReader places(symbol, entries, layout, args.inputs.subspan(2));
    places.check();
    const Dims shape = layout.resultShape();
    // The value as NumPy broadcasts it to the indexed part.
    const View &y = args.inputs[1];
    Dims strides(shape.size(), 0);
    for (int axis = 0; axis < y.rank; ++axis) {
        const auto place = static_cast<std::size_t>(shape.rank() - y.rank + axis);
        if (y.shape[axis] == shape[place]) strides[place] = y.strides[axis];
        else if (y.shape[axis] != 1)
            throw ShapeMismatch(std::string("[") + symbol + "] cannot broadcast a value of shape " + shapeOfView(y).text() +
                                " to the part of shape " + shape.text());
    }
    if (shape.product() == 0) return;
    Tensor same;
    View seen{y.data, y.dtype, shape.rank(), shape.data(), strides.data()};
    auto blocks = y.dtype == out.dtype ? IndexBlocks::of(layout, seen) : std::nullopt;
    if (!blocks) {
        same = Tensor::empty(out.dtype, shape);
        copyConverted(seen, same.view());
        seen = same.view();
        blocks = IndexBlocks::of(layout, seen);
    }
    if (blocks && isSet) return blocks->set(places);
    if (blocks && blocks->add(places)) return;
    const ResolvedIndex index = resolveIndex(symbol, entries, out, args.inputs.subspan(2));
    if (isSet) forBlocks(index, out.dtype, seen, [](const View &to, const View &from) { copyConverted(from, to); });
    else forBlocks(index, out.dtype, seen, [](const View &to, const View &from) { addInto(to, from); });
}

const AdvancedEntry kOneArray[] = {{true, {}}};

} // namespace

void AdvancedSubtensor1::perform(PerformArgs &args) const { gather("subtensor", kOneArray, args); }
void AdvancedSubtensor::perform(PerformArgs &args) const { gather("subtensor", m_entries, args); }

void AdvancedIncSubtensor1::perform(PerformArgs &args) const { scatter(m_set ? "set_subtensor" : "inc_subtensor", kOneArray, args, m_set); }

void AdvancedIncSubtensor::perform(PerformArgs &args) const { scatter(m_set ? "set_subtensor" : "inc_subtensor", m_entries, args, m_set); }

void Nonzero::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    const Dense<bool> isSet(x, DType::Bool);
    const std::int64_t total = x.size();
    std::int64_t count = 0;
    Pace pace;
    for (std::int64_t first = 0; first < total; first += Pace::kElements) {
        const std::int64_t end = std::min(total, first + Pace::kElements);
        pace.did(end - first);
        for (std::int64_t i = first; i < end; ++i) count += isSet[i];
    }
    std::vector<DenseOutput<std::int64_t>> places;
    for (int axis = 0; axis < x.rank; ++axis) places.emplace_back(output(args, axis, Dims{count}), DType::Int64);
    // Row by row: the places on the axes before the last one change with the row only.
    const std::int64_t row = x.rank ? x.shape[x.rank - 1] : 1;
    Dims outer(static_cast<std::size_t>(x.rank), 0);
    std::int64_t next = 0;
    for (std::int64_t begin = 0; begin < total && next < count; begin += row) {
        const std::int64_t first = next;
        for (std::int64_t piece = 0; piece < row; piece += Pace::kElements) {
            const std::int64_t end = std::min(row, piece + Pace::kElements);
            pace.did(end - piece);
            for (std::int64_t i = piece; i < end && next < count; ++i) {
                if (x.rank) places.back()[next] = i;
                next += isSet[begin + i];
            }
        }
        for (int axis = 0; axis + 1 < x.rank; ++axis) std::fill(places[axis].data() + first, places[axis].data() + next, outer[axis]);
        for (int axis = x.rank - 2; axis >= 0 && ++outer[axis] == x.shape[axis]; --axis) outer[axis] = 0;
    }
    for (auto &place : places) place.finish();
}

} // namespace engine
