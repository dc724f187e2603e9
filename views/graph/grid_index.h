// Which rectangles touch a region: a uniform grid, rebuilt with the picture.
#pragma once

#include <QHash>
#include <QPoint>
#include <QRectF>

#include <vector>

namespace views {

class GridIndex {
public:
    void build(std::vector<QRectF> rects);
    // Indices of the rectangles that touch `region`, ascending.
    [[nodiscard]] std::vector<int> query(const QRectF &region) const;

private:
    static constexpr double kCell = 320;
    static constexpr int kTooManyCells = 64;

    std::vector<QRectF> m_rects;
    QHash<QPair<int, int>, std::vector<int>> m_cells;
    std::vector<int> m_large; // in too many cells to list
};

} // namespace views
