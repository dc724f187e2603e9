#include "engine/codegen/loop_writer.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index_canonical.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {

CanonicalSlice canonicalSlice(std::optional<std::int64_t> start, std::optional<std::int64_t> stop, std::int64_t step, std::int64_t size)
{
    if (step == 0) throw ShapeMismatch("[subtensor] a slice cannot have step 0");
    const std::int64_t furthest = std::max<std::int64_t>(size, 1); // a longer step reaches as little, but sums and products overflow
    step = std::clamp(step, -furthest, furthest);
    const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    const auto clamp = [&](std::int64_t bound) { return std::clamp(bound < 0 ? bound + size : bound, low, high); };
    const std::int64_t from = start ? clamp(*start) : step > 0 ? 0 : size - 1;
    const std::int64_t to = stop ? clamp(*stop) : step > 0 ? size : -1;
    std::int64_t length = 0;
    if (step > 0 && to > from) length = (to - from + step - 1) / step;
    if (step < 0 && from > to) length = (from - to - step - 1) / -step;
    return {from, length, step};
}

std::int64_t scalarInt(const View &view)
{
    return withStorageType(view.dtype, [&]<class T>() { return convertElement<std::int64_t>(*view.as<T>()); });
}

Window windowOf(std::span<const IndexEntry> entries, const View &x, std::span<const View> scalars)
{
    Window window;
    window.dtype = x.dtype;
    auto *data = static_cast<char *>(x.data);
    std::size_t next = 0;
    for (int axis = 0; axis < x.rank; ++axis) {
        const std::int64_t size = x.shape[axis], stride = x.strides[axis];
        if (axis >= static_cast<int>(entries.size())) {
            window.shape.push_back(size);
            window.strides.push_back(stride);
            continue;
        }
        const IndexEntry &entry = entries[axis];
        std::optional<std::int64_t> bounds[3];
        const std::optional<DType> *parts[] = {&entry.start, &entry.stop, &entry.step};
        for (int i = 0; i < 3; ++i)
            if (parts[i]->has_value()) bounds[i] = scalarInt(scalars[next++]);
        if (entry.isSlice) {
            const CanonicalSlice slice = canonicalSlice(bounds[0], bounds[1], bounds[2].value_or(1), size);
            if (slice.length > 0) data += slice.start * stride;
            window.shape.push_back(slice.length);
            window.strides.push_back(stride * slice.step);
        } else {
            const std::int64_t i = *bounds[0] < 0 ? *bounds[0] + size : *bounds[0];
            if (i < 0 || i >= size)
                throw OutOfBounds("[subtensor] index " + std::to_string(*bounds[0]) + " is out of bounds for axis " + std::to_string(axis) +
                                  " with size " + std::to_string(size));
            data += i * stride;
        }
    }
    window.data = data;
    return window;
}

std::optional<Layout> Subtensor::viewLayout(const Layout &input, DType, const Dims &,
                                            std::span<const std::optional<std::int64_t>> integers) const
{
    // The window on an array at address 0 with its scalars known: what is left is the offset.
    for (const auto &integer : integers.subspan(1))
        if (!integer) return std::nullopt;
    std::vector<std::int64_t> values;
    for (const auto &integer : integers.subspan(1)) values.push_back(*integer);
    std::vector<View> scalars;
    for (std::int64_t &value : values) scalars.push_back({&value, DType::Int64, 0, nullptr, nullptr});
    alignas(16) static char origin;
    const View x{&origin, DType::Int8, input.shape.rank(), input.shape.data(), input.strides.data()};
    const Window window = windowOf(m_entries, x, scalars);
    return Layout{window.shape, window.strides, input.offset + (static_cast<char *>(window.data) - &origin)};
}

namespace {

// Runs over both arrays in C order with an odometer; rows go to f(to, toStride, from, fromStride, count).
template <class F>
void forRows(const View &to, const View &from, F f)
{
    if (to.size() == 0) return;
    if (to.rank == 0) {
        f(static_cast<char *>(to.data), 0, static_cast<const char *>(from.data), 0, 1);
        return;
    }
    const int last = to.rank - 1;
    Dims position(static_cast<std::size_t>(to.rank), 0);
    auto *a = static_cast<char *>(to.data);
    auto *b = static_cast<const char *>(from.data);
    while (true) {
        f(a, to.strides[last], b, from.strides[last], to.shape[last]);
        int axis = last - 1;
        for (; axis >= 0; --axis) {
            a += to.strides[axis];
            b += from.strides[axis];
            if (++position[axis] < to.shape[axis]) break;
            a -= to.strides[axis] * to.shape[axis];
            b -= from.strides[axis] * to.shape[axis];
            position[axis] = 0;
        }
        if (axis < 0) return;
    }
}

} // namespace

void addInto(const View &to, const View &from)
{
    withStorageType(to.dtype, [&]<class T>() {
        forRows(to, from, [](char *a, std::int64_t sa, const char *b, std::int64_t sb, std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i, a += sa, b += sb) {
                T &target = *reinterpret_cast<T *>(a);
                const T &value = *reinterpret_cast<const T *>(b);
                if constexpr (std::is_same_v<T, Half>) target = floatToHalf(halfToFloat(target) + halfToFloat(value));
                else if constexpr (std::is_same_v<T, bool>) target = target || value;
                else target = static_cast<T>(target + value);
            }
        });
    });
}

void writeInto(const View &target, const View &value, bool isSet)
{
    // The value as the target sees it: missing axes on the left and sizes of 1 repeat.
    Dims strides(static_cast<std::size_t>(target.rank), 0);
    const int offset = target.rank - value.rank;
    for (int axis = 0; axis < value.rank; ++axis) {
        const std::int64_t size = value.shape[axis], wanted = target.shape[axis + offset];
        if (size != wanted && size != 1)
            throw ShapeMismatch(std::string(isSet ? "[set_subtensor]" : "[inc_subtensor]") + " cannot broadcast a value of shape " +
                                Dims(std::span(value.shape, static_cast<std::size_t>(value.rank))).text() + " to the part of shape " +
                                Dims(std::span(target.shape, static_cast<std::size_t>(target.rank))).text());
        strides[axis + offset] = size == 1 ? 0 : value.strides[axis];
    }
    View seen{value.data, value.dtype, target.rank, target.shape, strides.data()};
    if (isSet) {
        copyConverted(seen, target);
        return;
    }
    if (value.dtype == target.dtype) {
        addInto(target, seen);
        return;
    }
    const Tensor same = Tensor::empty(target.dtype, Dims(std::span(target.shape, static_cast<std::size_t>(target.rank))));
    copyConverted(seen, same.view());
    addInto(target, same.view());
}

VarRef sumOver(const VarRef &g, Type wanted)
{
    const int added = g->type().rank() - wanted.rank();
    VarRef result = g;
    if (added > 0) {
        std::vector<int> axes;
        for (int axis = 0; axis < added; ++axis) axes.push_back(axis);
        result = sum(result, axes);
    }
    return sumToPattern(result, wanted);
}

// Where the place is known: where it is not, a step has to look it up.
IN_LOOPS(IncSubtensor, [](const IncSubtensor &op, LoopWriter &writer) {
    std::vector<std::int64_t> places;
    for (std::size_t i = 2; i < writer.inputCount(); ++i) {
        const auto place = writer.integer(i);
        if (!place) return false;
        places.push_back(*place);
    }
    const LoopArray &x = writer.input(0), &y = writer.input(1), &out = writer.output(0);
    std::vector<View> scalars;
    for (std::int64_t &place : places) scalars.push_back({&place, DType::Int64, 0, nullptr, nullptr});
    const auto size = static_cast<std::int64_t>(sizeOf(out.dtype));
    const Window window = windowOf(op.entries(), {nullptr, out.dtype, out.shape.rank(), out.shape.data(), out.strides.data()}, scalars);
    if (x.root != out.root && !writer.writeCopy(writer.all(writer.outputArray(0)), writer.all(writer.inputArray(0)), out.shape))
        return false;
    LoopWriter::Part to{writer.outputArray(0), reinterpret_cast<std::intptr_t>(window.data) / size, window.strides};
    for (std::int64_t &step : to.steps) step /= size;
    LoopWriter::Part from = writer.all(writer.inputArray(1)); // which stretches
    Dims steps(window.shape.size(), 0);
    if (y.shape.size() > window.shape.size()) return false;
    for (std::size_t axis = 0; axis < y.shape.size(); ++axis)
        steps[axis + window.shape.size() - y.shape.size()] = y.shape[axis] == 1 ? 0 : from.steps[axis];
    from.steps = steps;
    return window.shape.product() == 0 || writer.writeCopy(to, from, window.shape, !op.isSet());
})

} // namespace engine
