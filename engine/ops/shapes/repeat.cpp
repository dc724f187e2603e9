#include "engine/ops/shapes/repeat.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/op/precise_form.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/compose.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/run_support.h"
#include "engine/ops/index/index.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rt/rt.h"
#include "engine/runtime/device/device_windows.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <cstring>

namespace engine {

std::vector<Type> Repeat::outputTypes(std::span<const Operand> inputs) const
{
    const Type x = inputs[0].type, repeats = inputs[1].type;
    if (!x.isTensor() || m_axis < 0 || m_axis >= x.rank())
        throw ShapeMismatch("[repeat] axis " + std::to_string(m_axis) + " is out of range for " + x.text());
    if (!repeats.isTensor() || repeats.rank() > 1 || !isInteger(repeats.dtype()))
        throw TypeMismatch("[repeat] repeats must be an integer or a vector of integers, got " + repeats.text());
    std::vector<std::int64_t> shape(x.shape().begin(), x.shape().end());
    shape[m_axis] = kUnknownDim;
    return {Type::tensor(x.dtype(), shape)};
}

bool Repeat::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    SymShape shape = shapes.sizesOf(0);
    Sym &length = shape[m_axis];
    if (shapes.inputRank(1) == 0) {
        const auto count = shapes.value(1);
        if (!count) return false;
        length = shapes.mul(length, *count);
    } else {
        const auto known = shapes.known(shapes.dim(1, 0));
        if (!known || *known > 32) return false;
        Sym total = shapes.constant(0);
        for (int i = 0; i < *known; ++i) {
            const auto count = shapes.value(1, i);
            if (!count) return false;
            total = shapes.add(total, *count);
        }
        length = *known == 1 ? shapes.mul(length, total) : total;
    }
    outputs = {shape};
    return true;
}

std::vector<VarRef> Repeat::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0), &repeats = node.input(1);
    if (isDiscrete(x->type().dtype())) return {zerosLike(x, floatX()), disconnected()};
    if (repeats->type().rank() == 0 && x->type().rank() < kMaxRank) {
        // The repetitions of an element stand together.
        std::vector<VarRef> sizes;
        for (int axis = 0; axis < x->type().rank(); ++axis) {
            sizes.push_back(x->type().isBroadcastable(axis) ? constantOf(DType::Int64, 1) : shapeOf(x, axis));
            if (axis == m_axis) sizes.push_back(cast(repeats, DType::Int64));
        }
        return {sum(reshape(outputGrads[0], sizes), std::vector<int>{m_axis + 1}), disconnected()};
    }
    // The same repetition of the places tells where each arriving gradient belongs.
    const VarRef places = engine::apply(makeOp<Repeat>(0), {arange(shapeOf(x, m_axis)), repeats});
    std::vector<IndexItem> items(static_cast<std::size_t>(m_axis), IndexItem::slice());
    items.push_back(IndexItem::array(places));
    return {incSubtensor(subtensor(zerosLike(x), items), outputGrads[0]), disconnected()};
}

std::vector<VarRef> Repeat::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return {evalPoints[0] ? engine::apply(node.opRef(), {evalPoints[0], node.input(1)}) : VarRef()};
}

namespace {

// What lies behind the axis is a block; it is written as often as it is asked for.
void repeatDense(const View &x, int axis, const std::int64_t *counts, std::int64_t countStep, const View &out)
{
    std::int64_t outer = 1;
    std::size_t bytes = sizeOf(x.dtype);
    for (int k = 0; k < axis; ++k) outer *= x.shape[k];
    for (int k = axis + 1; k < x.rank; ++k) bytes *= static_cast<std::size_t>(x.shape[k]);
    const auto *from = static_cast<const char *>(x.data);
    auto *to = static_cast<char *>(out.data);
    Pace pace;
    if (countStep == 0 && (bytes == 4 || bytes == 8)) { // with one count for all it does not matter where the axis ends
        constexpr std::int64_t kAtOnce = 1 << 16;
        const std::int64_t count = counts[0], items = outer * x.shape[axis];
        for (std::int64_t i = 0; i < items && count > 0; i += kAtOnce) {
            const std::int64_t here = std::min(kAtOnce, items - i), size = static_cast<std::int64_t>(bytes);
            pace.did(here * count);
            rt_table()->repeatItems(from + i * size, here, size, count, to + i * count * size);
        }
        return;
    }
    const auto copy = [&](auto copyBlock) {
        for (std::int64_t o = 0; o < outer; ++o)
            for (std::int64_t i = 0; i < x.shape[axis]; ++i, from += bytes) {
                const std::int64_t count = counts[i * countStep];
                pace.did(1 + count * static_cast<std::int64_t>(bytes / 4));
                for (std::int64_t k = 0; k < count; ++k, to += bytes) copyBlock(to, from);
            }
    };
    const auto ofFewBytes = [&]<std::size_t few> { copy([](char *target, const char *source) { std::memcpy(target, source, few); }); };
    if (!withFewBytes(bytes, ofFewBytes)) copy([bytes](char *target, const char *source) { std::memcpy(target, source, bytes); });
}

} // namespace

void Repeat::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    const auto counts = integers(args.inputs[1]);
    const std::int64_t given = args.inputs[1].size(), length = x.shape[m_axis];
    if (given != 1 && given != length)
        throw ShapeMismatch("[repeat] there are " + std::to_string(given) + " repetitions for an axis of " + std::to_string(length));
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t count = counts[given == 1 ? 0 : i];
        if (count < 0) throw ShapeMismatch("[repeat] a repetition is negative: " + std::to_string(count));
        total += count;
    }
    Dims shape = shapeOfView(x);
    shape[m_axis] = total;
    const View &out = output(args, 0, shape);
    if (x.isContiguous() && out.isContiguous()) return repeatDense(x, m_axis, counts.data(), given == 1 ? 0 : 1, out);
    // Each slice of the input goes to `count` slices of the output, seen with a stride of 0.
    Dims block = shapeOfView(x), from(std::span(x.strides, static_cast<std::size_t>(x.rank)));
    from[m_axis] = 0;
    constexpr std::int64_t kCopyCost = 16; // of a slice of one element
    const std::int64_t slice = length > 0 ? x.size() / length : 0;
    Pace pace;
    auto *source = static_cast<char *>(x.data);
    auto *target = static_cast<char *>(out.data);
    for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t count = counts[given == 1 ? 0 : i];
        pace.did(kCopyCost + count * slice);
        block[m_axis] = count;
        copyConverted(View{source, x.dtype, x.rank, block.data(), from.data()},
                      View{target, out.dtype, out.rank, block.data(), out.strides});
        source += x.strides[m_axis];
        target += count * out.strides[m_axis];
    }
}

namespace {

/// Each slice along the axis, seen as often as it is asked for.
class RepeatOnDevice final : public Thunk {
public:
    RepeatOnDevice(const ThunkSpec &spec, int axis, const std::string &name)
    {
        DeviceWindow from{spec.inputs[0]}, to{spec.outputs[0]};
        const auto at = static_cast<std::size_t>(axis);
        const std::int64_t length = from.array.shape[at], total = to.array.shape[at];
        if (to.array.shape.product() == 0) return;
        const std::int64_t step = to.array.strides[at];
        widen(from.array, at, length, from.array.strides[at], 1, 0);
        widen(to.array, at, length, step * (total / length), total / length, step);
        m_copy = copyThunk(from, to, name);
    }
    void run(Slots slots) override
    {
        if (m_copy) m_copy->run(slots);
    }

private:
    /// Two axes for one.
    static void widen(SlotOperand &array, std::size_t axis, std::int64_t size, std::int64_t stride, std::int64_t inner, std::int64_t step)
    {
        Dims shape, strides;
        for (std::size_t k = 0; k < array.shape.size(); ++k) {
            shape.push_back(k == axis ? size : array.shape[k]);
            strides.push_back(k == axis ? stride : array.strides[k]);
            if (k != axis) continue;
            shape.push_back(inner);
            strides.push_back(step);
        }
        array.shape = shape;
        array.strides = strides;
        array.type = Type();
    }

    std::unique_ptr<Thunk> m_copy;
};

} // namespace

bool Repeat::readsInputOnHost(std::size_t input, const Operand &) const { return input == 1; }

std::string Repeat::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type>) const
{
    if (inputs[1].rank() != 0) return "devices repeat all elements equally often only";
    return inputs[0].rank() == kMaxRank ? "devices repeat arrays of fewer axes only" : std::string();
}

std::unique_ptr<Thunk> Repeat::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<RepeatOnDevice>(spec, m_axis, name()) : nullptr;
}

VarRef repeat(const VarRef &a, const VarRef &repeats, std::optional<int> axis)
{
    const VarRef x = axis ? a : flatten(a);
    const int rank = x->type().rank();
    const int place = axis ? (*axis < 0 ? *axis + rank : *axis) : 0;
    return engine::apply(makeOp<Repeat>(place), {x, repeats});
}

VarRef tile(const VarRef &a, std::span<const VarRef> reps)
{
    const int rank = std::max(a->type().rank(), static_cast<int>(reps.size()));
    const VarRef x = padLeft(a, rank - a->type().rank());
    // Interleave a new axis before each, fill it, and join the pairs.
    std::vector<int> order;
    std::vector<VarRef> wide, sizes;
    for (int axis = 0; axis < rank; ++axis) {
        const int index = axis - (rank - static_cast<int>(reps.size()));
        const VarRef count = index < 0 ? constantOf(DType::Int64, 1) : cast(reps[index], DType::Int64);
        const VarRef size = shapeOf(x, axis);
        order.push_back(DimShuffle::kNewAxis);
        order.push_back(axis);
        wide.push_back(count);
        wide.push_back(size);
        // Once a column is a column still, and is known to be one.
        const bool isOnce = x->type().isBroadcastable(axis) && scalarConstantValue(count) == 1;
        sizes.push_back(isOnce ? constantOf(DType::Int64, 1) : mul(count, size));
    }
    return reshape(alloc(dimshuffle(x, order), wide), sizes);
}

PRECISE_MOVES(Repeat, 0, 1);
OP_CARD(Repeat, Join, arity(2), axis("axis", &Repeat::axis));

NOTATION("repeat(x, repeats, axis=None)", repeat);
NOTATION("tile(x, n0, n1, …)", tile);

} // namespace engine
