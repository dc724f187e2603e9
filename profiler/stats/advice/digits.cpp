#include "profiler/stats/advice/digits.h"

#include "profiler/stats/times/ground.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

namespace profiler {

namespace {

constexpr std::array kKinds{"nan", "inf", "overflow", "denormal"};
constexpr double kToSpeakOf = 1; // a digit

bool isCounted(const ValueRow &row) { return row.accuracy.isMeasured() && row.accuracy.digits > 0; }

} // namespace

std::vector<std::pair<std::string, const ValueRow *>> ValuesOfSide::births() const
{
    std::vector<std::pair<std::string, const ValueRow *>> found;
    for (const char *kind : kKinds)
        for (const ValueRow &row : rows)
            if (std::find(row.accuracy.born.begin(), row.accuracy.born.end(), kind) != row.accuracy.born.end()) {
                found.emplace_back(kind, &row);
                break;
            }
    return found;
}

const ValueRow *ValuesOfSide::firstLoss() const
{
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [](const ValueRow &row) { return isCounted(row) && row.accuracy.lost > row.accuracy.digits / 2; });
    return found == rows.end() ? nullptr : &*found;
}

const ValueRow *ValuesOfSide::greatestLoss() const
{
    const ValueRow *greatest = nullptr;
    for (const ValueRow &row : rows)
        if (isCounted(row) && row.accuracy.lost >= kToSpeakOf && (!greatest || row.accuracy.lost > greatest->accuracy.lost))
            greatest = &row;
    return greatest;
}

std::vector<ValuesOfSide> sidesOf(std::vector<ValueRow> rows, const std::vector<ValueNote> &notes)
{
    std::vector<ValuesOfSide> sides;
    const auto belongs = [](const auto &row, const ValuesOfSide &side) {
        return row.function == side.function && row.call == side.call && row.side == side.side;
    };
    for (ValueRow &row : rows) {
        if (sides.empty() || !belongs(row, sides.back())) sides.push_back({row.function, row.call, row.side, {}, {}});
        sides.back().rows.push_back(std::move(row));
    }
    for (const ValueNote &note : notes)
        for (ValuesOfSide &side : sides)
            if (belongs(note, side)) side.notes.push_back(note.text);
    return sides;
}

ValueLines::ValueLines(SessionReader &reader)
{
    for (const SourceLink &link : reader.graphRows().sources)
        if (!link.source.file.empty()) m_lines[{link.graph, link.apply}].push_back(link.source);
    for (const GraphInfo &graph : reader.graphs())
        if (graph.kind == GraphKind::Composite) m_bodies[{graph.parentGraph, graph.parentApply}] = graph.id;
}

std::vector<SourceLine> ValueLines::sourcesOf(const ValueRow &row) const
{
    if (row.step >= 0)
        if (const auto body = m_bodies.find({row.graph, row.apply}); body != m_bodies.end())
            if (const auto found = m_lines.find({body->second, ApplyId{static_cast<std::uint32_t>(row.step)}}); found != m_lines.end())
                return found->second;
    const auto found = m_lines.find({row.graph, row.apply});
    return found == m_lines.end() ? std::vector<SourceLine>() : found->second;
}

std::string ValueLines::of(const ValueRow &row) const
{
    std::string text;
    for (const SourceLine &line : sourcesOf(row))
        text += (text.empty() ? "" : ", ") + std::filesystem::path(line.file.str()).filename().string() + ":" + std::to_string(line.line);
    return text;
}

std::string shortNumber(double value, int digits) { return format("%.*g", digits, value); }

// The range of the text may be far beyond that of a double.
std::string shortNumber(const std::string &text, int digits)
{
    const std::size_t exponent = text.find_first_of("eE");
    if (exponent != std::string::npos)
        return shortNumber(std::strtod(text.substr(0, exponent).c_str(), nullptr), digits) + text.substr(exponent);
    char *end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end == text.c_str() ? text : shortNumber(value, digits);
}

std::string placeText(const ValueRow &row)
{
    return row.facts.elements > 1 && row.accuracy.worst >= 0
               ? "element " + std::to_string(row.accuracy.worst) + " of " + std::to_string(row.facts.elements)
               : "";
}

std::string lossText(const ValueRow &row)
{
    if (row.accuracy.worst < 0) return {};
    // As many digits as it takes to see the difference.
    std::string got, wanted;
    for (int digits : {6, 10, 17}) {
        got = shortNumber(row.accuracy.got, digits);
        wanted = shortNumber(row.accuracy.wanted, digits);
        if (got != wanted) break;
    }
    std::string read;
    for (const std::string &value : row.accuracy.read) read += (read.empty() ? "" : ", ") + shortNumber(value);
    const std::string place = placeText(row);
    const std::string what = (place.empty() ? "" : place + ": ") + (read.empty() ? "" : row.op + "(" + read + ") ");
    if (wanted.empty() || got == wanted) return what + "is " + got;
    return what + "gave " + got + ", right is " + wanted;
}

} // namespace profiler
