// How the windows of a pooling lie on the image.
#pragma once

#include "engine/ops/products/pool.h"
#include "engine/tensor/tensor.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

namespace engine {

/// One axis: how its windows lie on the image.
struct PoolAxis {
    std::int64_t size = 1, window = 1, step = 1, border = 0, out = 1;

    struct Span {
        std::int64_t first, end; ///< of the image
        std::int64_t length;     ///< with the border
        std::int64_t pixels() const { return end - first; }
    };
    Span of(std::int64_t place) const
    {
        const std::int64_t begin = place * step, end = std::min(begin + window, size + 2 * border);
        return {std::clamp<std::int64_t>(begin - border, 0, size), std::clamp<std::int64_t>(end - border, 0, size), end - begin};
    }
    /// The windows that lie on the image as a whole.
    std::pair<std::int64_t, std::int64_t> whole() const
    {
        const std::int64_t first = std::min(out, (border + step - 1) / step), room = size + border - window;
        return {first, std::clamp(room < 0 ? 0 : room / step + 1, first, out)};
    }
};

/// Two axes count as three, the first of size 1.
using PoolAxes = std::array<PoolAxis, 3>;

/// `sizes`: window, steps and border as the op gets them. Throws UserErrors.
PoolAxes poolAxes(const PoolInfo &info, const Dims &image, std::span<const View> sizes, const std::string &symbol);

} // namespace engine
