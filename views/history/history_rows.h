#pragma once

#include "profiler/compare/history.h"
#include "views/common/text_table.h"

#include <QString>

#include <array>
#include <cstdint>

namespace views {

/// What the small pictures show of a point.
enum class Measure : std::uint8_t { Time, Memory, Applies, Compile };
inline constexpr std::array kMeasures{Measure::Time, Measure::Memory, Measure::Applies, Measure::Compile};

/// The history of a script with its words. Immutable.
struct HistoryRows {
    HistoryRows(profiler::History history, std::string open, std::size_t older);

    profiler::History history;
    std::string open;      ///< path of the session that is open
    std::size_t older = 0; ///< sessions that are not shown

    static QString title(Measure measure);
    /// Negative: not known of this session.
    static double value(const profiler::HistoryPoint &point, Measure measure);
    static QString text(const profiler::HistoryPoint &point, Measure measure);
    /// Whether its graph, its settings or its script are others than before.
    bool isChanged(const profiler::HistoryPoint &point) const;
    QString path(int session) const;
    QString when(int session) const;
    QString tip(const profiler::FunctionHistory &function, const profiler::HistoryPoint &point) const;
    QString caption() const;
    /// A row's key is its session; a row for each function of it, the youngest session first.
    TextTable table() const;
};

} // namespace views
