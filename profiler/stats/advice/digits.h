#pragma once
// What the values of a call tell: where what should not be there was born, and where digits were lost.

#include "profiler/session/store/reader.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace profiler {

// One call as written, or as compiled.
struct ValuesOfSide {
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    ValueSide side = ValueSide::Original;
    std::vector<ValueRow> rows; // in the order in which they were made
    std::vector<std::string> notes;

    // The first of each kind: nan, inf, overflow, denormal.
    [[nodiscard]] std::vector<std::pair<std::string, const ValueRow *>> births() const;
    // The first that has lost more than half of its digits, and the one that has lost most; null: none lost any to speak of.
    [[nodiscard]] const ValueRow *firstLoss() const;
    [[nodiscard]] const ValueRow *greatestLoss() const;
};

[[nodiscard]] std::vector<ValuesOfSide> sidesOf(std::vector<ValueRow> rows, const std::vector<ValueNote> &notes);

// Lines of the user's source that rows stem from.
class ValueLines {
public:
    ValueLines() = default; // knows none
    explicit ValueLines(SessionReader &reader);
    // "train.py:12"; several are parted by commas; empty: none is known.
    [[nodiscard]] std::string of(const ValueRow &row) const;
    [[nodiscard]] std::vector<SourceLine> sourcesOf(const ValueRow &row) const;

private:
    std::map<std::pair<GraphId, ApplyId>, std::vector<SourceLine>> m_lines;
    std::map<std::pair<GraphId, ApplyId>, GraphId> m_bodies;
};

// What a row says about itself, for people: "1 − 1 gave 0, where 3.7e-348 is right". Empty: nothing was lost.
[[nodiscard]] std::string lossText(const ValueRow &row);
// "[3] of (6,)" in C order; "" for a number alone.
[[nodiscard]] std::string placeText(const ValueRow &row);
// Numbers as people read them: at most `digits` of them.
[[nodiscard]] std::string shortNumber(const std::string &text, int digits = 6);
[[nodiscard]] std::string shortNumber(double value, int digits = 6);

} // namespace profiler
