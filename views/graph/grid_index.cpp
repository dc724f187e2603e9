#include "views/graph/grid_index.h"

#include <algorithm>
#include <cmath>

namespace views {
namespace {

struct Cells {
    int left, top, right, bottom;
    [[nodiscard]] qint64 count() const { return qint64(right - left + 1) * (bottom - top + 1); }
};

Cells cellsOf(const QRectF &rect, double cell)
{
    auto at = [cell](double value) { return static_cast<int>(std::floor(value / cell)); };
    return {at(rect.left()), at(rect.top()), at(rect.right()), at(rect.bottom())};
}

} // namespace

void GridIndex::build(std::vector<QRectF> given)
{
    m_rects = std::move(given);
    const std::vector<QRectF> &rects = m_rects;
    m_cells.clear();
    m_large.clear();
    for (std::size_t i = 0; i < rects.size(); ++i) {
        const Cells cells = cellsOf(rects[i], kCell);
        if (cells.count() > kTooManyCells) {
            m_large.push_back(static_cast<int>(i));
            continue;
        }
        for (int y = cells.top; y <= cells.bottom; ++y)
            for (int x = cells.left; x <= cells.right; ++x) m_cells[{x, y}].push_back(static_cast<int>(i));
    }
}

std::vector<int> GridIndex::query(const QRectF &region) const
{
    std::vector<int> found;
    const Cells cells = cellsOf(region, kCell);
    if (cells.count() > qint64(m_cells.size())) { // most of the picture is asked for
        for (std::size_t i = 0; i < m_rects.size(); ++i)
            if (m_rects[i].intersects(region)) found.push_back(static_cast<int>(i));
        return found;
    }
    for (int y = cells.top; y <= cells.bottom; ++y)
        for (int x = cells.left; x <= cells.right; ++x)
            if (const auto cell = m_cells.constFind({x, y}); cell != m_cells.constEnd())
                found.insert(found.end(), cell->begin(), cell->end());
    found.insert(found.end(), m_large.begin(), m_large.end());
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::erase_if(found, [&](int index) { return !m_rects[index].intersects(region); });
    return found;
}

} // namespace views
