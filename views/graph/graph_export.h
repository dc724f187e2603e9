// A graph picture as a file: the same paint code as on the screen.
#pragma once

#include "views/common/selection_hub.h"
#include "views/graph/scene.h"

#include <QSet>
#include <QString>

namespace views {

class GraphCanvas;

enum class GraphFormat { Svg, Png, Pdf, Dot };

// `only` not empty: those nodes and the edges among them. Under the picture stands what its lines and colours mean. Empty on success, else
// one sentence that names the file and what to do.
[[nodiscard]] QString exportGraph(const GraphCanvas &canvas, GraphFormat format, const QString &path, const QString &title = {},
                                  const QSet<SceneKey> &only = {}, const ColourScale &scale = {});
// By the file's ending; SVG when it has none of the four.
[[nodiscard]] GraphFormat formatOfPath(const QString &path);

} // namespace views
