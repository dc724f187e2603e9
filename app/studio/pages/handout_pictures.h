#pragma once

#include <QImage>
#include <QSizeF>

#include <vector>

namespace views {
class GraphCanvas;
}

namespace app {

/// A graph, or a piece of it, on paper.
struct PaperPiece {
    QImage image;
    QSizeF size; ///< in points
};

/// One picture where its letters can be read on a page of that size (in points); else pieces, cut between the layers, from top to bottom
/// and from left to right.
std::vector<PaperPiece> onPaper(const views::GraphCanvas &canvas, const QSizeF &page);

} // namespace app
