#pragma once
// What was tried on captured calls, to be read: what each rewrite is worth, and which steps made a call fast, stable or large.

#include "profiler/session/model/model_trial.h"

#include <span>
#include <string>
#include <vector>

namespace profiler {

enum class WorthMeasure : std::uint8_t { Time, Memory, Compile, Applies, Error };

// Of the rows of one run of croton ablate, nothing left out first. The value of a row, and how much more it is than with nothing left
// out: what the rewrite is worth; below 0: the call would be better off without it. Infinite: an error that is not finite any more.
[[nodiscard]] double valueOf(const AblationRow &row, WorthMeasure measure);
[[nodiscard]] double worthOf(std::span<const AblationRow> rows, const AblationRow &row, WorthMeasure measure = WorthMeasure::Time);
[[nodiscard]] double sumOfSingles(std::span<const AblationRow> rows, WorthMeasure measure = WorthMeasure::Time);
[[nodiscard]] double worthOfAll(std::span<const AblationRow> rows, WorthMeasure measure = WorthMeasure::Time);
// What a pair costs beyond its two: what no single one explains.
[[nodiscard]] double interactionOf(std::span<const AblationRow> rows, const AblationRow &pair, WorthMeasure measure = WorthMeasure::Time);
// Of the time of a call: less is not worth a word, and no order.
inline constexpr double kLeastTimeShare = 0.03;
// Of each row: 1 has the single that it costs most time to leave out. Those behind it by less than the share above have its place; those
// that gain time, or whose cost may be chance, have none, which is 0.
[[nodiscard]] std::vector<int> placesOf(std::span<const AblationRow> rows);
// Whether the difference is more than chance. What is no time is counted, so that any difference is one; compiling was timed once only.
[[nodiscard]] bool isSure(std::span<const AblationRow> rows, const AblationRow &row, WorthMeasure measure);

// One run of croton ablate.
struct WorthTable {
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    std::string by; // rewrite, pass, tag
    std::vector<AblationRow> rows;
    [[nodiscard]] const AblationRow &nothing() const { return rows.front(); }
    // Singles, those first whose absence costs most of the measure; what cannot be run and what changes nothing last.
    [[nodiscard]] std::vector<const AblationRow *> singles(WorthMeasure measure) const;
    [[nodiscard]] const AblationRow *all() const;
    [[nodiscard]] bool hasPairs() const;
};
[[nodiscard]] std::vector<WorthTable> worthTables(std::vector<AblationRow> rows);

enum class AlongTurn : std::uint8_t { Faster, Slower, Stabler, LessStable, LessMemory, MoreMemory };

// From the graph before it that could be called to this one.
struct AlongMark {
    std::size_t row = 0;
    AlongTurn turn = AlongTurn::Faster;
    double before = 0, after = 0; // ns, ulp or bytes
};

// One run of croton along: the graph as written first.
struct AlongTable {
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    std::vector<AlongRow> rows;
    std::vector<AlongMark> marks; // by row
    // The row whose graph stands there after `step`; null: before the first.
    [[nodiscard]] const AlongRow *at(int step) const;
};
[[nodiscard]] std::vector<AlongTable> alongTables(std::vector<AlongRow> rows);

} // namespace profiler
