#pragma once

#include "profiler/stats/machine/roofline.h"
#include "views/common/text_table.h"
#include "views/session/session_data.h"

#include <QString>

namespace views {

/// The rooflines of a session's functions with their words. Immutable; made in the reading thread.
struct RooflineRows {
    explicit RooflineRows(const SessionData &session);
    std::map<profiler::FunctionId, profiler::Roofline> functions; ///< only those that were called

    static QString runsText(const profiler::RooflinePoint &point);
    static QString tip(const profiler::RooflinePoint &point);
    static QString caption(const profiler::Roofline &roofline);
    /// A row's key is its point; those without a place follow.
    static TextTable table(const profiler::Roofline &roofline);
};

} // namespace views
