// Copies between arrays of any strides and dtypes: as few and as long loops as the two layouts allow.
#include "engine/rt/rt.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/interrupt.h"
#include "engine/tensor/loop_layout.h"
#include "engine/tensor/tensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace engine {
namespace {

constexpr std::int64_t kFewRows = 4;
constexpr std::size_t kBytesAtOnce = std::size_t(1) << 26;

struct Axis {
    std::int64_t size = 1, from = 0, to = 0; // steps in bytes
};

/// The axes of a copy, outermost first by the steps of the target; what both walk through evenly is one.
struct Nest {
    Axis axes[kMaxRank];
    int rank = 0;

    Nest(const View &from, const View &to)
    {
        Axis sorted[kMaxRank];
        int count = 0;
        for (int i = 0; i < to.rank; ++i) {
            if (to.shape[i] == 1) continue;
            const Axis axis{to.shape[i], from.strides[i], to.strides[i]};
            int place = count++;
            for (; place > 0 && std::llabs(sorted[place - 1].to) < std::llabs(axis.to); --place) sorted[place] = sorted[place - 1];
            sorted[place] = axis;
        }
        for (int i = 0; i < count; ++i) {
            Axis *outer = rank ? &axes[rank - 1] : nullptr;
            if (outer && outer->from == sorted[i].from * sorted[i].size && outer->to == sorted[i].to * sorted[i].size)
                *outer = {outer->size * sorted[i].size, sorted[i].from, sorted[i].to};
            else axes[rank++] = sorted[i];
        }
        if (rank == 0) axes[rank++] = {1, 0, 0};
    }

    /// body(from, to) for every place of the axes but the last `inner`.
    template <class Body>
    void forEach(const char *from, char *to, int inner, Body body) const
    {
        std::int64_t counter[kMaxRank] = {}, elements = 1;
        for (int axis = rank - inner; axis < rank; ++axis) elements *= axes[axis].size;
        Pace pace;
        while (true) {
            body(from, to);
            pace.did(elements);
            int axis = rank - inner - 1;
            for (; axis >= 0; --axis) {
                from += axes[axis].from;
                to += axes[axis].to;
                if (++counter[axis] < axes[axis].size) break;
                from -= axes[axis].from * axes[axis].size;
                to -= axes[axis].to * axes[axis].size;
                counter[axis] = 0;
            }
            if (axis < 0) return;
        }
    }
};

using Move = void (*)(const char *from, char *to, const Axis &axis);

template <class From, class To>
void moveConverted(const char *from, char *to, const Axis &axis)
{
    for (std::int64_t i = 0; i < axis.size; ++i, from += axis.from, to += axis.to) {
        From element;
        std::memcpy(&element, from, sizeof(From));
        const To value = convertElement<To>(element);
        std::memcpy(to, &value, sizeof(To));
    }
}

template <std::size_t bytes>
void moveBits(const char *from, char *to, const Axis &axis)
{
    for (std::int64_t i = 0; i < axis.size; ++i, from += axis.from, to += axis.to) std::memcpy(to, from, bytes);
}

Move bitMover(std::size_t bytes)
{
    switch (bytes) {
    case 1: return moveBits<1>;
    case 2: return moveBits<2>;
    case 4: return moveBits<4>;
    case 8: return moveBits<8>;
    default: return moveBits<16>;
    }
}

/// Where the source is contiguous along an outer axis of a target with contiguous rows, squares are transposed. False: it is not.
bool copyAcross(Nest &nest, const char *from, char *to, std::size_t bytes)
{
    const auto width = static_cast<std::int64_t>(bytes);
    if (nest.rank < 2 || (bytes != 4 && bytes != 8)) return false;
    const Axis row = nest.axes[nest.rank - 1];
    if (row.to != width || std::llabs(row.from) <= width) return false;
    int across = nest.rank - 2;
    const auto fits = [&](const Axis &axis) { return axis.from == width && axis.size >= kFewRows && axis.to > 0 && axis.to % width == 0; };
    while (across >= 0 && !fits(nest.axes[across])) --across;
    if (across < 0) return false;
    std::rotate(nest.axes + across, nest.axes + across + 1, nest.axes + nest.rank - 1);
    const Axis columns = nest.axes[nest.rank - 2];
    const RtLoadColumns load = rt_table()->loadColumns[bytes == 4 ? RT_D_F32 : RT_D_F64];
    Pace pace;
    nest.forEach(from, to, 2, [&](const char *source, char *target) {
        for (std::int64_t first = 0; first < columns.size; first += kSquareRows) {
            pace.did(kSquareRows * row.size);
            load(source + first * columns.from, std::min(kSquareRows, columns.size - first), row.size, row.from,
                 target + first * columns.to, columns.to / width);
        }
    });
    return true;
}

} // namespace

void copyConverted(const View &from, const View &to)
{
    ENGINE_ASSERT(from.rank == to.rank, "copy between different ranks");
    const std::size_t bytes = sizeOf(to.dtype);
    const auto *source = static_cast<const char *>(from.data);
    auto *target = static_cast<char *>(to.data);
    if (from.dtype == to.dtype && from.isContiguous() && to.isContiguous()) {
        const std::size_t all = static_cast<std::size_t>(to.size()) * bytes;
        if (target <= source || target >= source + all) // otherwise they overlap, and the last ones go first
            for (std::size_t at = 0; at < all; at += kBytesAtOnce) {
                if (at) checkInterrupt();
                std::memmove(target + at, source + at, std::min(kBytesAtOnce, all - at));
            }
        else if (all) std::memmove(target, source, all);
        return;
    }
    if (to.size() == 0) return;
    Nest nest(from, to);
    const Axis &row = nest.axes[nest.rank - 1];
    if (from.dtype != to.dtype) {
        const Move move = withStorageType(from.dtype, [&]<class From>() -> Move {
            return withStorageType(to.dtype, []<class To>() -> Move { return moveConverted<From, To>; });
        });
        return nest.forEach(source, target, 1, [&](const char *s, char *t) { move(s, t, row); });
    }
    const auto width = static_cast<std::int64_t>(bytes);
    if (row.from == width && row.to == width) {
        const auto length = static_cast<std::size_t>(row.size) * bytes;
        return nest.forEach(source, target, 1, [&](const char *s, char *t) { std::memmove(t, s, length); });
    }
    if (copyAcross(nest, source, target, bytes)) return;
    const Move move = bitMover(bytes);
    nest.forEach(source, target, 1, [&](const char *s, char *t) { move(s, t, row); });
}

} // namespace engine
