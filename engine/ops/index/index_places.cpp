#include "engine/ops/index/index_places.h"

#include "engine/ops/index/index_canonical.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <array>

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

PlaceReader::PlaceReader(const char *symbol, std::span<const AdvancedEntry> entries, const IndexLayout &layout,
                         std::span<const View> indices)
    : m_symbol(symbol), m_count(layout.arrayShape.product())
{
    std::size_t next = 0;
    auto axis = layout.axes.begin();
    for (const AdvancedEntry &entry : entries) {
        const std::size_t input = next;
        next += static_cast<std::size_t>(entry.inputCount());
        if (!entry.isArray) continue;
        const View &array = indices[input];
        // The array stretched to the common shape.
        Dims strides(layout.arrayShape.size(), 0);
        for (int k = 0; k < array.rank; ++k)
            if (array.shape[k] != 1) strides[layout.arrayShape.rank() - array.rank + k] = array.strides[k];
        const View seen{array.data, array.dtype, layout.arrayShape.rank(), layout.arrayShape.data(), strides.data()};
        const bool isNarrow = array.dtype == DType::Int32 && seen.isContiguous();
        m_arrays.push_back({*axis++, isNarrow ? array.as<std::int32_t>() : nullptr,
                            isNarrow ? std::nullopt : std::optional<Dense<std::int64_t>>(std::in_place, seen, DType::Int64)});
    }
}

template <class T>
bool PlaceReader::readOne(const IndexLayout::Axis &axis, const T *wanted, std::int64_t count, bool isFirst, std::int64_t *offsets)
{
    const std::int64_t size = axis.size, stride = axis.stride;
    bool isOutside = false;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t value = wanted[i], position = value + (value < 0 ? size : 0);
        isOutside |= static_cast<std::uint64_t>(position) >= static_cast<std::uint64_t>(size);
        offsets[i] = (isFirst ? 0 : offsets[i]) + position * stride;
    }
    return !isOutside;
}

void PlaceReader::read(std::int64_t first, std::int64_t count, std::int64_t *offsets) const
{
    bool isInside = true, isFirst = true;
    for (const Array &array : m_arrays) {
        isInside &= array.narrow ? readOne(array.axis, array.narrow + first, count, isFirst, offsets)
                                 : readOne(array.axis, array.wide->data() + first, count, isFirst, offsets);
        isFirst = false;
    }
    if (!isInside) fail();
}

void PlaceReader::check() const
{
    std::array<std::int64_t, kPiece> offsets;
    Pace pace;
    for (std::int64_t first = 0; first < m_count; first += kPiece) {
        pace.did(kPiece);
        read(first, std::min(kPiece, m_count - first), offsets.data());
    }
}

// Array by array, so that it does not depend on pieces which place is named.
void PlaceReader::fail() const
{
    for (const Array &array : m_arrays)
        for (std::int64_t i = 0; i < m_count; ++i) {
            const std::int64_t wanted = array.narrow ? array.narrow[i] : (*array.wide)[i];
            const auto [number, size, stride] = array.axis;
            if (wanted < -size || wanted >= size)
                throw OutOfBounds(std::string("[") + m_symbol + "] index " + std::to_string(wanted) + " is out of bounds for axis " +
                                  std::to_string(number) + " with size " + std::to_string(size));
        }
    throw InternalError("an index is out of bounds and inside");
}

ResolvedIndex resolveIndex(const char *symbol, std::span<const AdvancedEntry> entries, const View &x, std::span<const View> indices)
{
    ResolvedIndex result{layoutOfIndex(symbol, entries, x, indices), {}};
    const PlaceReader places(symbol, entries, result, indices);
    result.offsets.resize(static_cast<std::size_t>(places.count()));
    Pace pace;
    for (std::int64_t first = 0; first < places.count(); first += PlaceReader::kPiece) {
        pace.did(PlaceReader::kPiece);
        places.read(first, std::min(PlaceReader::kPiece, places.count() - first), result.offsets.data() + first);
    }
    return result;
}

} // namespace engine
