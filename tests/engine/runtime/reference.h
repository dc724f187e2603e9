// Odd arrays and plain loops over them: the independent side of the runtime's tests.
#pragma once

#include "engine/tensor/convert.h"
#include "engine/tensor/tensor.h"

#include <functional>
#include <random>
#include <vector>

namespace reference {

using engine::Dims;
using engine::DType;
using engine::Tensor;

/// How an array lies in memory.
enum class Order { Contiguous, Fortran, Stepped, Reversed, Broadcast };
inline constexpr Order kLayouts[] = {Order::Contiguous, Order::Fortran, Order::Stepped, Order::Reversed, Order::Broadcast};

/// An array of that layout (Broadcast: stride 0 along the first axis), filled by `draw`.
inline Tensor make(DType dtype, const Dims &shape, Order layout, const std::function<double()> &draw)
{
    Dims outer = shape;
    if (layout == Order::Stepped)
        for (std::int64_t &size : outer) size = 2 * size + 1;
    if (layout == Order::Fortran) std::reverse(outer.begin(), outer.end());
    if (layout == Order::Broadcast && !outer.empty()) outer[0] = 1;
    Tensor memory = Tensor::empty(dtype, outer);
    const std::int64_t count = memory.size();
    engine::withStorageType(dtype, [&]<class T>() {
        for (std::int64_t i = 0; i < count; ++i) memory.as<T>()[i] = engine::convertElement<T>(draw());
    });
    Dims strides = memory.strides();
    auto *data = memory.as<char>();
    switch (layout) {
    case Order::Contiguous: break;
    case Order::Fortran: std::reverse(strides.begin(), strides.end()); break;
    case Order::Stepped:
        for (std::int64_t &stride : strides) {
            data += stride;
            stride *= 2;
        }
        if (count == 0) data = memory.as<char>();
        break;
    case Order::Reversed:
        for (std::size_t axis = 0; axis < strides.size(); ++axis) {
            if (shape[axis] > 0 && memory.size() > 0) data += strides[axis] * (shape[axis] - 1);
            strides[axis] = -strides[axis];
        }
        break;
    case Order::Broadcast:
        if (!strides.empty()) strides[0] = 0;
        break;
    }
    return Tensor(dtype, shape, strides, data, memory.storage());
}

} // namespace reference
