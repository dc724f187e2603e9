#include "engine/ops/index/index_places.h"

#include "engine/ops/index/index_canonical.h"
#include "engine/rt/rt.h"
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
    : m_symbol(symbol), m_shape(layout.arrayShape), m_count(m_shape.product())
{
    constexpr std::int64_t kLongRow = 8; // shorter ones are better copied
    std::size_t next = 0;
    auto axis = layout.axes.begin();
    m_arrays.reserve(layout.axes.size());
    for (const AdvancedEntry &entry : entries) {
        const std::size_t input = next;
        next += static_cast<std::size_t>(entry.inputCount());
        if (!entry.isArray) continue;
        const View &array = indices[input];
        const int rank = m_shape.rank();
        Array &one = m_arrays.emplace_back(Array{*axis++, array.as<char>(), array.dtype, Dims(m_shape.size(), 0), {}});
        for (int k = 0; k < array.rank; ++k)
            if (array.shape[k] != 1) one.steps[rank - array.rank + k] = array.strides[k];
        const View seen{array.data, array.dtype, rank, m_shape.data(), one.steps.data()};
        const auto item = static_cast<std::int64_t>(sizeOf(array.dtype));
        const std::int64_t lastStep = rank ? one.steps[rank - 1] : item;
        const bool hasLoop = rt_table()->offsets[static_cast<int>(array.dtype)] != nullptr;
        one.isDense = seen.isContiguous();
        if (hasLoop && (one.isDense || ((lastStep == item || lastStep == 0) && m_shape[rank - 1] >= kLongRow))) continue;
        one.copy = Tensor::empty(DType::Int64, m_shape);
        copyConverted(seen, one.copy.view());
        one = {one.axis, one.copy.as<char>(), DType::Int64, one.copy.strides(), one.copy};
    }
}

const char *PlaceReader::at(const Array &array, std::int64_t position) const
{
    const char *place = array.data;
    for (std::size_t k = m_shape.size(); k-- > 0; position /= m_shape[k]) place += position % m_shape[k] * array.steps[k];
    return place;
}

bool PlaceReader::readOne(const Array &array, std::int64_t first, std::int64_t count, bool adds, std::int64_t *offsets) const
{
    if (!array.isDense) return readRows(array, first, count, adds, offsets);
    const auto item = static_cast<std::int64_t>(sizeOf(array.dtype));
    return rt_table()->offsets[static_cast<int>(array.dtype)](array.data + first * item, count, array.axis.size, array.axis.stride, adds,
                                                              reinterpret_cast<long long *>(offsets));
}

bool PlaceReader::readRows(const Array &array, std::int64_t first, std::int64_t count, bool adds, std::int64_t *offsets) const
{
    const auto read = rt_table()->offsets[static_cast<int>(array.dtype)];
    const std::int64_t length = m_shape[m_shape.size() - 1], end = first + count;
    const bool isOne = array.steps[m_shape.size() - 1] == 0;
    bool isInside = true;
    for (std::int64_t position = first, here = 0; position < end; position += here) {
        here = std::min(length - position % length, end - position);
        if (isOne) {
            long long offset = 0;
            isInside &= read(at(array, position), 1, array.axis.size, array.axis.stride, 0, &offset) != 0;
            for (std::int64_t i = 0; i < here; ++i) offsets[i] = (adds ? offsets[i] : 0) + offset;
        } else {
            isInside &=
                read(at(array, position), here, array.axis.size, array.axis.stride, adds, reinterpret_cast<long long *>(offsets)) != 0;
        }
        offsets += here;
    }
    return isInside;
}

void PlaceReader::read(std::int64_t first, std::int64_t count, std::int64_t *offsets) const
{
    bool isInside = true;
    for (const Array &array : m_arrays) isInside &= readOne(array, first, count, &array != m_arrays.data(), offsets);
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
            const std::int64_t wanted = scalarInt({const_cast<char *>(at(array, i)), array.dtype, 0, nullptr, nullptr});
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
