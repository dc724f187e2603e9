// A graph picture as a file: the same paint code as on the screen. Any thread may write it.
#pragma once

#include "views/graph/colour_key.h"
#include "views/graph/graph_drawing.h"

#include <QString>

namespace views {

enum class GraphFormat { Svg, Png, Pdf, Dot };

/// A drawing with what its lines and colours mean below it.
struct GraphSheet {
    GraphDrawing drawing;
    QString title;
    ColourScale scale;
    ColourKey kinds;
};

struct ExportEnd {
    bool isWritten = false;
    QString error; ///< one sentence that names the file and what to do; empty where it was called off
};

/// What stands at the path is replaced once all of the picture is written, else it stays.
[[nodiscard]] ExportEnd exportGraph(const GraphSheet &page, GraphFormat format, const QString &path, PaintProgress &progress);
/// By the file's ending; SVG when it has none of the four.
[[nodiscard]] GraphFormat formatOfPath(const QString &path);

} // namespace views
