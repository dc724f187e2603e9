// Where many small things fall on one pixel, drawing the first of each look is drawing all.
#pragma once

#include <QPointF>

#include <cmath>
#include <cstdint>
#include <unordered_set>

namespace views {

class PixelsTaken {
public:
    // False: something of this look begins at that pixel of the screen already.
    bool take(QPointF at, std::uint32_t look)
    {
        const auto x = static_cast<std::uint16_t>(static_cast<std::int64_t>(std::floor(at.x())));
        const auto y = static_cast<std::uint16_t>(static_cast<std::int64_t>(std::floor(at.y())));
        return m_taken.insert(std::uint64_t{look} << 32 | std::uint32_t{x} << 16 | y).second;
    }

private:
    std::unordered_set<std::uint64_t> m_taken;
};

} // namespace views
