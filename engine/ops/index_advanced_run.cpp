#include "engine/ops/index_advanced.h"
#include "engine/ops/index_canonical.h"
#include "engine/ops/index_places.h"
#include "engine/ops/run_support.h"
#include "engine/tensor/interrupt.h"

#include <cstring>

namespace engine {
namespace {

Dims broadcastShape(const char *symbol, std::span<const View> arrays)
{
    Dims result;
    for (const View &array : arrays) {
        while (result.rank() < array.rank) {
            Dims longer{1};
            for (std::int64_t size : result) longer.push_back(size);
            result = longer;
        }
        for (int k = 0; k < array.rank; ++k) {
            std::int64_t &size = result[result.rank() - array.rank + k];
            if (array.shape[k] == 1 || array.shape[k] == size) continue;
            if (size != 1) {
                std::string shapes;
                for (const View &view : arrays) shapes += (shapes.empty() ? "" : " and ") + shapeOfView(view).text();
                throw ShapeMismatch(std::string("[") + symbol + "] the index arrays do not fit together: " + shapes);
            }
            size = array.shape[k];
        }
    }
    return result;
}

} // namespace

IndexLayout layoutOfIndex(const char *symbol, std::span<const AdvancedEntry> entries, const View &x, std::span<const View> indices)
{
    IndexLayout result;
    std::vector<View> arrays;
    std::vector<IndexEntry> slices;
    std::vector<View> scalars;
    std::size_t next = 0, first = entries.size(), last = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const AdvancedEntry &entry = entries[i];
        IndexEntry slice;
        slice.isSlice = true;
        if (entry.isArray) {
            arrays.push_back(indices[next++]);
            result.axes.push_back({static_cast<int>(i), 0, 0});
            first = std::min(first, i);
            last = i;
        } else {
            slice = entry.slice;
            for (int k = 0; k < entry.slice.inputCount(); ++k) scalars.push_back(indices[next++]);
        }
        slices.push_back(slice);
    }
    const Window window = windowOf(slices, x, scalars);
    result.base = static_cast<char *>(window.data);
    result.arrayShape = broadcastShape(symbol, arrays);
    std::size_t nextArray = 0;
    for (int axis = 0; axis < window.shape.rank(); ++axis) {
        if (nextArray < result.axes.size() && result.axes[nextArray].axis == axis) {
            result.axes[nextArray++] = {axis, window.shape[axis], window.strides[axis]};
            continue;
        }
        if (static_cast<std::size_t>(axis) < first && last - first + 1 == arrays.size()) ++result.place;
        result.restShape.push_back(window.shape[axis]);
        result.restStrides.push_back(window.strides[axis]);
    }
    return result;
}

ResolvedIndex resolveIndex(const char *symbol, std::span<const AdvancedEntry> entries, const View &x, std::span<const View> indices)
{
    ResolvedIndex result{layoutOfIndex(symbol, entries, x, indices), {}};
    const std::int64_t count = result.arrayShape.product();
    result.offsets.assign(static_cast<std::size_t>(count), 0);
    std::size_t next = 0;
    auto axis = result.axes.begin();
    for (const AdvancedEntry &entry : entries) {
        const std::size_t input = next;
        next += static_cast<std::size_t>(entry.inputCount());
        if (!entry.isArray) continue;
        const auto [number, size, stride] = *axis++;
        const View &array = indices[input];
        // The array stretched to the common shape, as dense integers.
        Dims strides(result.arrayShape.size(), 0);
        for (int k = 0; k < array.rank; ++k)
            if (array.shape[k] != 1) strides[result.arrayShape.rank() - array.rank + k] = array.strides[k];
        const View seen{array.data, array.dtype, result.arrayShape.rank(), result.arrayShape.data(), strides.data()};
        const Dense<std::int64_t> values(seen, DType::Int64);
        Pace pace;
        for (std::int64_t i = 0; i < count; ++i) {
            pace.did(1);
            const std::int64_t wanted = values[i];
            const std::int64_t position = wanted < 0 ? wanted + size : wanted;
            if (position < 0 || position >= size)
                throw OutOfBounds(std::string("[") + symbol + "] index " + std::to_string(wanted) + " is out of bounds for axis " +
                                  std::to_string(number) + " with size " + std::to_string(size));
            result.offsets[i] += position * stride;
        }
    }
    return result;
}

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

bool isDense(const View &block)
{
    std::int64_t step = static_cast<std::int64_t>(sizeOf(block.dtype));
    for (int axis = block.rank - 1; axis >= 0; --axis) {
        if (block.shape[axis] != 1 && block.strides[axis] != step) return false;
        step *= block.shape[axis];
    }
    return true;
}

template <class T>
void addDense(const ResolvedIndex &index, const View &other)
{
    const std::int64_t n = index.restShape.product();
    forBlocks(index, other.dtype, other, [n](const View &to, const View &from) {
        auto *sum = static_cast<T *>(to.data);
        const auto *term = static_cast<const T *>(from.data);
        for (std::int64_t i = 0; i < n; ++i) sum[i] += term[i];
    });
}

// Blocks that lie together, of the dtypes that embeddings have: a loop each, and no walk over axes.
bool addsDense(const ResolvedIndex &index, const View &other)
{
    Dims otherRest;
    for (std::size_t i = 0; i < index.restShape.size(); ++i)
        otherRest.push_back(other.strides[i < index.place ? i : i + index.arrayShape.size()]);
    const int rank = index.restShape.rank();
    if (!isDense({nullptr, other.dtype, rank, index.restShape.data(), index.restStrides.data()}) ||
        !isDense({nullptr, other.dtype, rank, index.restShape.data(), otherRest.data()}))
        return false;
    switch (other.dtype) {
    case DType::Float32: addDense<float>(index, other); return true;
    case DType::Float64: addDense<double>(index, other); return true;
    default: return false;
    }
}

void gather(const char *symbol, std::span<const AdvancedEntry> entries, PerformArgs &args)
{
    const View &x = args.inputs[0];
    const ResolvedIndex index = resolveIndex(symbol, entries, x, args.inputs.subspan(1));
    const View &out = output(args, 0, index.resultShape());
    if (out.size() == 0) return;
    const std::size_t item = sizeOf(x.dtype);
    const View block{nullptr, x.dtype, index.restShape.rank(), index.restShape.data(), index.restStrides.data()};
    const bool dense = isDense(block) && index.place == 0 && out.isContiguous();
    if (dense) {
        const std::size_t bytes = static_cast<std::size_t>(index.restShape.product()) * item;
        auto *to = static_cast<char *>(out.data);
        Pace pace;
        for (std::int64_t offset : index.offsets) {
            pace.did(1 + index.restShape.product());
            std::memcpy(to, index.base + offset, bytes);
            to += bytes;
        }
        return;
    }
    forBlocks(index, x.dtype, out, [](const View &from, const View &to) { copyConverted(from, to); });
}

void scatter(const char *symbol, std::span<const AdvancedEntry> entries, PerformArgs &args, bool isSet)
{
    const View &out = output(args, 0, shapeOfView(args.inputs[0]));
    if (out.data != args.inputs[0].data) copyConverted(args.inputs[0], out);
    const ResolvedIndex index = resolveIndex(symbol, entries, out, args.inputs.subspan(2));
    const Dims shape = index.resultShape();
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
    if (y.dtype != out.dtype) {
        same = Tensor::empty(out.dtype, shape);
        copyConverted(seen, same.view());
        seen = same.view();
    }
    if (isSet) forBlocks(index, out.dtype, seen, [](const View &to, const View &from) { copyConverted(from, to); });
    else if (!addsDense(index, seen)) forBlocks(index, out.dtype, seen, [](const View &to, const View &from) { addInto(to, from); });
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
    for (std::int64_t i = 0; i < total; ++i) {
        pace.did(1);
        count += isSet[i];
    }
    std::vector<DenseOutput<std::int64_t>> places;
    for (int axis = 0; axis < x.rank; ++axis) places.emplace_back(output(args, axis, Dims{count}), DType::Int64);
    std::int64_t next = 0;
    for (std::int64_t i = 0; i < total; ++i) {
        pace.did(1);
        if (!isSet[i]) continue;
        std::int64_t rest = i;
        for (int axis = x.rank - 1; axis >= 0; --axis) {
            places[axis][next] = rest % x.shape[axis];
            rest /= x.shape[axis];
        }
        ++next;
    }
    for (auto &place : places) place.finish();
}

} // namespace engine
