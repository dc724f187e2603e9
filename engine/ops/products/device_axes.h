// The axes of images, as kernels of convolutions and poolings name them.
#pragma once

#include "engine/codegen/ir/builder.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// The axes of images (2) or volumes (3), outermost first, and where each stands among three.
inline std::string_view imageAxes(int count) { return count == 2 ? "yx" : "zyx"; }
inline std::size_t placeOfAxis(char axis) { return axis == 'x' ? 2 : axis == 'y' ? 1 : 0; }

/// An axis along which windows move over an image.
struct WindowAxis {
    std::string name;
    ir::Value size, window, step, border, places, dilation = 1;
};

inline std::vector<std::string> namesOf(std::span<const WindowAxis> axes, const std::string &prefix)
{
    std::vector<std::string> names;
    for (const WindowAxis &axis : axes) names.push_back(prefix + axis.name);
    return names;
}
inline std::vector<ir::Value> valuesOf(std::span<const WindowAxis> axes, ir::Value WindowAxis::*member)
{
    std::vector<ir::Value> values;
    for (const WindowAxis &axis : axes) values.push_back(axis.*member);
    return values;
}

} // namespace engine
