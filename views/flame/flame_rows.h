#pragma once

#include "profiler/stats/times/flame.h"
#include "views/common/text_table.h"
#include "views/session/session_data.h"

#include <QString>

namespace views {

/// The flame graph of a session with its words. Immutable; made in the reading thread.
struct FlameRows {
    explicit FlameRows(const SessionData &session);

    profiler::Flame flame;
    int levels = 0;                     ///< frames under one another
    std::vector<QString> texts;         ///< what stands in a frame
    std::vector<std::string> lineTexts; ///< text of the line of a frame of a line, else empty; what a search looks into

    QString kindText(std::size_t node) const;
    QString tip(std::size_t node) const;
    /// "train · 57.7 ms in thunks"
    QString caption(std::size_t node) const;
    /// A row's key is its node.
    TextTable table() const;
};

} // namespace views
