#pragma once

#include "views/common/text_table.h"
#include "views/session/tried.h"

#include <QString>

#include <set>

namespace views {

/// A line of the picture: a rewrite that was left out, a pair, the sum of the singles, or all of them.
struct WorthLine {
    enum class Kind : std::uint8_t { Rewrite, Pair, Sum, All };
    Kind kind = Kind::Rewrite;
    int row = -1; ///< of the table's rows; -1: of no single one
    QString name;
    QString phase; ///< whose letter stands before it; empty: none
    double worth = 0;
    QString text; ///< "+1.24 ms"
    bool sure = false;
    QString instead;     ///< why there is no bar: "the same graph", "cannot be run"
    double place = 0;    ///< −1 … 1: where its bar ends
    bool beyond = false; ///< it would end farther out: of the sum and of all, which are no measure for the others
};

/// One run of croton ablate, looked at by one measure. `table` has to outlive it.
struct WorthRows {
    WorthRows(const SessionData &session, const profiler::WorthTable &table, profiler::WorthMeasure measure);

    const profiler::WorthTable &table;
    profiler::WorthMeasure measure;
    std::vector<WorthLine> lines;

    QString caption() const;
    QString tip(const SessionData &session, std::size_t line) const;
    /// A row's key is its line.
    TextTable textTable() const;

    static QString title(profiler::WorthMeasure measure);
    static QString valueText(const profiler::AblationRow &row, profiler::WorthMeasure measure);
    static QString namesOf(const profiler::AblationRow &row);
    /// Steps of the function's journal that what is left out made, ascending.
    static std::vector<int> stepsOf(const SessionData &session, const profiler::WorthTable &table, const profiler::AblationRow &row);
};

inline constexpr profiler::WorthMeasure kWorthMeasures[] = {profiler::WorthMeasure::Time, profiler::WorthMeasure::Memory,
                                                            profiler::WorthMeasure::Compile, profiler::WorthMeasure::Applies,
                                                            profiler::WorthMeasure::Error};

} // namespace views
