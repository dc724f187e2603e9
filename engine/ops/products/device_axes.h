// How kernels name the axes of an image.
#pragma once

#include <cstddef>
#include <string_view>

namespace engine {

/// The axes of images (2) or volumes (3), outermost first, and where each stands among three.
inline std::string_view imageAxes(int count) { return count == 2 ? "yx" : "zyx"; }
inline std::size_t placeOfAxis(char axis) { return axis == 'x' ? 2 : axis == 'y' ? 1 : 0; }

} // namespace engine
