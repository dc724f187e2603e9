// All that a picture of a graph is painted from, as plain data: whoever holds it may paint in any thread, whatever the canvas shows next.
#pragma once

#include "views/common/theme.h"
#include "views/graph/graph_painter.h"

#include <QImage>

#include <atomic>
#include <memory>

namespace views {

/// How far a long painting is, told from one thread to another, and whether it is still wanted.
struct PaintProgress {
    std::atomic<int> done = 0;
    std::atomic<int> total = 0; ///< nodes and edges; 0: not known yet
    std::atomic<bool> isWriting = false;
    std::atomic<bool> isCalledOff = false;
};

struct GraphDrawing {
    Theme theme;
    std::shared_ptr<const Scene> scene;
    std::shared_ptr<const Picture> picture;
    PaintState look;     // of which theme, scene and picture are set when it is painted
    QSet<SceneKey> only; // not empty: those nodes and the edges among them

    [[nodiscard]] QRectF bounds() const;
    /// In scene coordinates. Breaks off where that is called off.
    void paint(QPainter &painter, PaintProgress *progress = nullptr) const;
    /// For the clipboard; null where it is too large, or called off.
    [[nodiscard]] QImage image(PaintProgress *progress = nullptr) const;
    /// How much larger than on the screen an image of it may be: twice for sharp print, less where it would not fit in memory.
    [[nodiscard]] static double sharpness(const QSizeF &size);
};

} // namespace views
