#include "engine/tensor/loop_layout.h"

#include <algorithm>
#include <cstdlib>

namespace engine {

LoopLayout collapseLoops(std::span<const std::int64_t> shape, std::span<const Dims> strides, std::size_t leader)
{
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] != 1) axes.push_back(axis);
    std::stable_sort(axes.begin(), axes.end(),
                     [&](std::size_t a, std::size_t b) { return std::llabs(strides[leader][a]) > std::llabs(strides[leader][b]); });
    LoopLayout result;
    result.strides.resize(strides.size());
    for (std::size_t axis : axes) {
        bool merges = !result.shape.empty();
        for (std::size_t o = 0; o < strides.size() && merges; ++o)
            merges = result.strides[o][result.shape.size() - 1] == strides[o][axis] * shape[axis];
        if (merges) {
            const std::size_t last = result.shape.size() - 1;
            result.shape[last] *= shape[axis];
            for (std::size_t o = 0; o < strides.size(); ++o) result.strides[o][last] = strides[o][axis];
        } else {
            result.shape.push_back(shape[axis]);
            for (std::size_t o = 0; o < strides.size(); ++o) result.strides[o].push_back(strides[o][axis]);
        }
    }
    return result;
}

} // namespace engine
