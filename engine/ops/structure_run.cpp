// Running what moves or measures data without computing on it: views, copies, shapes, new arrays.
#include "engine/graph/errors.h"
#include "engine/ops/alloc.h"
#include "engine/ops/dimshuffle.h"
#include "engine/ops/shape.h"
#include "engine/runtime/convert.h"
#include "engine/runtime/thunk.h"

#include <cstring>

namespace engine {

std::optional<Layout> DimShuffle::viewLayout(int, const Layout &input, DType, const Dims &,
                                             std::span<const std::optional<std::int64_t>>) const
{
    Layout out;
    std::vector<bool> used(input.shape.size());
    for (int axis : m_order) {
        if (axis == kNewAxis) {
            out.shape.push_back(1);
            out.strides.push_back(0);
        } else {
            const auto i = static_cast<std::size_t>(axis);
            used[i] = true;
            out.shape.push_back(input.shape[i]);
            out.strides.push_back(input.strides[i]);
        }
    }
    for (std::size_t i = 0; i < used.size(); ++i)
        if (!used[i] && input.shape[i] != 1)
            throw ShapeMismatch("dimshuffle drops dimension " + std::to_string(i) + ", whose size is " + std::to_string(input.shape[i]) +
                                    " and not 1: the input has shape " + input.shape.text(),
                                "only dimensions of size 1 can be dropped");
    return out;
}

void DimShuffle::perform(PerformArgs &args) const
{
    const View &in = args.inputs[0];
    const std::size_t rank = static_cast<std::size_t>(in.rank);
    const auto layout = viewLayout(0, {Dims(std::span(in.shape, rank)), Dims(std::span(in.strides, rank)), 0}, in.dtype, {}, {});
    copyConverted({in.data, in.dtype, layout->shape.rank(), layout->shape.data(), layout->strides.data()}, args.outputs[0]);
}

void Shape::perform(PerformArgs &args) const
{
    auto *out = args.outputs[0].as<std::int64_t>();
    for (int axis = 0; axis < args.inputs[0].rank; ++axis) out[axis] = args.inputs[0].shape[axis];
}

void Shape_i::perform(PerformArgs &args) const
{
    *args.outputs[0].as<std::int64_t>() = args.inputs[0].shape[m_axis];
}

void MakeVector::perform(PerformArgs &args) const
{
    const View &out = args.outputs[0];
    for (std::size_t i = 0; i < args.inputs.size(); ++i) {
        const View element{out.as<char>() + i * sizeOf(out.dtype), out.dtype, 0, nullptr, nullptr};
        copyConverted(args.inputs[i], element);
    }
}

void Alloc::perform(PerformArgs &args) const
{
    const View &value = args.inputs[0], &out = args.outputs[0];
    Dims strides(static_cast<std::size_t>(out.rank), 0);
    const int pad = out.rank - value.rank;
    for (int axis = 0; axis < value.rank; ++axis) {
        const std::size_t target = static_cast<std::size_t>(axis + pad);
        if (value.shape[axis] == out.shape[target]) strides[target] = value.strides[axis];
        else if (value.shape[axis] != 1)
            throw ShapeMismatch("alloc cannot stretch dimension " + std::to_string(axis) + " of size " + std::to_string(value.shape[axis]) +
                                " to " + std::to_string(out.shape[target]));
    }
    const View stretched{value.data, value.dtype, out.rank, out.shape, strides.data()};
    if (value.rank == 0 && out.isContiguous() && value.dtype == out.dtype) {
        const std::int64_t count = out.size();
        withStorageType(out.dtype, [&]<class T>() {
            T element;
            std::memcpy(&element, value.data, sizeof(T));
            T *place = out.as<T>();
            for (std::int64_t i = 0; i < count; ++i) place[i] = element;
        });
        return;
    }
    copyConverted(stretched, out);
}

void AllocEmpty::perform(PerformArgs &) const {}

void DeepCopyOp::perform(PerformArgs &args) const { copyConverted(args.inputs[0], args.outputs[0]); }

} // namespace engine
