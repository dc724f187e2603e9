// Texts of kernels that do the same along each axis of an image: written once, with @ for the axis.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace engine {

/// The axes of images (2) or volumes (3), outermost first, and where each stands among three.
inline std::string_view imageAxes(int count) { return count == 2 ? "yx" : "zyx"; }
inline std::size_t placeOfAxis(char axis) { return axis == 'x' ? 2 : axis == 'y' ? 1 : 0; }

inline std::string forAxis(char axis, std::string text)
{
    std::replace(text.begin(), text.end(), '@', axis);
    return text;
}
/// For each axis, or from the innermost to the outermost.
inline std::string forAxes(std::string_view axes, const std::string &text)
{
    std::string all;
    for (char axis : axes) all += forAxis(axis, text);
    return all;
}
inline std::string forAxesInwards(std::string_view axes, const std::string &text)
{
    std::string all;
    for (std::size_t i = axes.size(); i-- > 0;) all += forAxis(axes[i], text);
    return all;
}

} // namespace engine
