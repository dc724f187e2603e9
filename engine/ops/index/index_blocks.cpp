#include "engine/ops/index/index_blocks.h"

#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace engine {
namespace {

constexpr std::int64_t kCallCost = 16; // of a block that is copied by a call, in elements
constexpr std::size_t kCacheLine = 64;
constexpr std::int64_t kLookAhead = 8; // blocks

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

// The processor sees single items coming by itself; a block of several lines it does not.
void fetch(const char *block, std::size_t bytes)
{
    __builtin_prefetch(block);
    if (bytes > kCacheLine) __builtin_prefetch(block + kCacheLine);
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
    const std::int64_t outer = m_outer.product();
    Pace pace;
    for (std::int64_t first = 0; first < places.count() && outer > 0; first += PlaceReader::kPiece) {
        const std::int64_t count = std::min(PlaceReader::kPiece, places.count() - first);
        places.read(first, count, offsets.data());
        char *array = m_array, *other = m_other + first * m_step;
        Dims position(m_outer.size(), 0);
        for (std::int64_t o = 0; o < outer; ++o) {
            pace.did(count * (kCallCost + m_elements));
            move(array, offsets.data(), count, other);
            for (std::size_t axis = m_outer.size(); axis-- > 0;) {
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
    const std::int64_t step = m_step;
    const auto ofBytes = [&]<std::size_t bytes> {
        forPieces(places, [step](const char *array, const std::int64_t *offsets, std::int64_t count, char *other) {
            for (std::int64_t i = 0; i < count; ++i) std::memcpy(other + i * step, array + offsets[i], bytes);
        });
    };
    if (withFewBytes(m_bytes, ofBytes)) return;
    const std::size_t bytes = m_bytes;
    forPieces(places, [step, bytes](const char *array, const std::int64_t *offsets, std::int64_t count, char *other) {
        for (std::int64_t i = 0; i < count; ++i) {
            if (i + kLookAhead < count) fetch(array + offsets[i + kLookAhead], bytes);
            std::memcpy(other + i * step, array + offsets[i], bytes);
        }
    });
}

void IndexBlocks::set(const PlaceReader &places) const
{
    const std::int64_t step = m_step;
    const auto ofBytes = [&]<std::size_t bytes> {
        forPieces(places, [step](char *array, const std::int64_t *offsets, std::int64_t count, const char *other) {
            for (std::int64_t i = 0; i < count; ++i) std::memcpy(array + offsets[i], other + i * step, bytes);
        });
    };
    if (withFewBytes(m_bytes, ofBytes)) return;
    const std::size_t bytes = m_bytes;
    forPieces(places, [step, bytes](char *array, const std::int64_t *offsets, std::int64_t count, const char *other) {
        for (std::int64_t i = 0; i < count; ++i) std::memcpy(array + offsets[i], other + i * step, bytes);
    });
}

template <class T>
void IndexBlocks::addAs(const PlaceReader &places) const
{
    const std::int64_t step = m_step, elements = m_elements;
    const std::size_t bytes = m_bytes;
    if (elements == 1)
        return forPieces(places, [step](char *array, const std::int64_t *offsets, std::int64_t count, const char *other) {
            for (std::int64_t i = 0; i < count; ++i)
                *reinterpret_cast<T *>(array + offsets[i]) += *reinterpret_cast<const T *>(other + i * step);
        });
    forPieces(places, [=](char *array, const std::int64_t *offsets, std::int64_t count, const char *other) {
        for (std::int64_t i = 0; i < count; ++i) {
            if (i + kLookAhead < count) fetch(array + offsets[i + kLookAhead], bytes);
            auto *sum = reinterpret_cast<T *>(array + offsets[i]);
            const auto *term = reinterpret_cast<const T *>(other + i * step);
            for (std::int64_t k = 0; k < elements; ++k) sum[k] += term[k];
        }
    });
}

bool IndexBlocks::add(const PlaceReader &places) const
{
    switch (m_dtype) {
    case DType::Float32: addAs<float>(places); return true;
    case DType::Float64: addAs<double>(places); return true;
    // Sums of integers begin again at the least one: that is what unsigned ones do.
    case DType::Int32:
    case DType::UInt32: addAs<std::uint32_t>(places); return true;
    case DType::Int64:
    case DType::UInt64: addAs<std::uint64_t>(places); return true;
    default: return false;
    }
}

} // namespace engine
