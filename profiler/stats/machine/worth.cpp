#include "profiler/stats/machine/worth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace profiler {
namespace {

constexpr double kTimeMatters = 0.1;    // of what a call took before: less is within what turns scatter
constexpr double kTimeOfSlowest = 0.02; // and of the slowest graph: what comes later may be tiny beside it
constexpr double kBytesMatter = 0.05;
constexpr double kErrorMatters = 4; // times as large
constexpr double kErrorFrom = 4;    // ulp: below, results are as good as they get

bool isPart(const AblationRow &single, const AblationRow &pair)
{
    return single.kind == AblationKind::Single && std::ranges::count(pair.leftOut, single.leftOut.front()) > 0;
}

void mark(AlongTable &table)
{
    double slowest = 0;
    for (const AlongRow &row : table.rows) slowest = std::max(slowest, row.ns);
    const AlongRow *last = nullptr;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const AlongRow &row = table.rows[i];
        if (!row.error.empty()) continue;
        if (!last) {
            last = &row;
            continue;
        }
        const auto add = [&](AlongTurn turn, double before, double after) { table.marks.push_back({i, turn, before, after}); };
        if (std::fabs(row.ns - last->ns) > std::max(kTimeMatters * last->ns, kTimeOfSlowest * slowest))
            add(row.ns < last->ns ? AlongTurn::Faster : AlongTurn::Slower, last->ns, row.ns);
        if (row.notFinite != last->notFinite)
            add(row.notFinite < last->notFinite ? AlongTurn::Stabler : AlongTurn::LessStable, last->ulp, row.ulp);
        else if (last->ulp > kErrorFrom && row.ulp * kErrorMatters < last->ulp) add(AlongTurn::Stabler, last->ulp, row.ulp);
        else if (row.ulp > kErrorFrom && last->ulp * kErrorMatters < row.ulp) add(AlongTurn::LessStable, last->ulp, row.ulp);
        const auto before = static_cast<double>(last->peakBytes), after = static_cast<double>(row.peakBytes);
        if (std::fabs(after - before) > kBytesMatter * before)
            add(after < before ? AlongTurn::LessMemory : AlongTurn::MoreMemory, before, after);
        last = &row;
    }
}

} // namespace

double valueOf(const AblationRow &row, WorthMeasure measure)
{
    switch (measure) {
    case WorthMeasure::Time: return row.ns;
    case WorthMeasure::Memory: return static_cast<double>(row.peakBytes);
    case WorthMeasure::Compile: return static_cast<double>(row.compileNs);
    case WorthMeasure::Applies: return static_cast<double>(row.applies);
    case WorthMeasure::Error: return row.ulp;
    }
    return 0;
}

double worthOf(std::span<const AblationRow> rows, const AblationRow &row, WorthMeasure measure)
{
    const AblationRow &nothing = rows.front();
    if (measure == WorthMeasure::Error && row.notFinite != nothing.notFinite)
        return row.notFinite > nothing.notFinite ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
    return valueOf(row, measure) - valueOf(nothing, measure);
}

double sumOfSingles(std::span<const AblationRow> rows, WorthMeasure measure)
{
    double sum = 0;
    for (const AblationRow &row : rows)
        if (row.kind == AblationKind::Single && row.error.empty()) sum += worthOf(rows, row, measure);
    return sum;
}

double worthOfAll(std::span<const AblationRow> rows, WorthMeasure measure)
{
    for (const AblationRow &row : rows)
        if (row.kind == AblationKind::All && row.error.empty()) return worthOf(rows, row, measure);
    return 0;
}

double interactionOf(std::span<const AblationRow> rows, const AblationRow &pair, WorthMeasure measure)
{
    double rest = worthOf(rows, pair, measure);
    for (const AblationRow &row : rows)
        if (isPart(row, pair)) rest -= worthOf(rows, row, measure);
    return rest;
}

std::vector<int> placesOf(std::span<const AblationRow> rows)
{
    std::vector<std::size_t> ranked;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].kind == AblationKind::Single && rows[i].counts && rows[i].error.empty() && worthOf(rows, rows[i]) > 0)
            ranked.push_back(i);
    std::ranges::stable_sort(ranked, {}, [&](std::size_t i) { return -rows[i].ns; });
    std::vector<int> places(rows.size(), 0);
    std::size_t first = 0; // of those that share a place
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        if (rows[ranked[first]].ns - rows[ranked[i]].ns >= kLeastTimeShare * rows.front().ns) first = i;
        places[ranked[i]] = static_cast<int>(first) + 1;
    }
    return places;
}

bool isSure(std::span<const AblationRow> rows, const AblationRow &row, WorthMeasure measure)
{
    if (!row.error.empty()) return false;
    if (measure == WorthMeasure::Time) return row.counts;
    return measure != WorthMeasure::Compile && worthOf(rows, row, measure) != 0;
}

std::vector<const AblationRow *> WorthTable::singles(WorthMeasure measure) const
{
    std::vector<const AblationRow *> result;
    for (const AblationRow &row : rows)
        if (row.kind == AblationKind::Single) result.push_back(&row);
    std::ranges::stable_sort(result, [&](const AblationRow *a, const AblationRow *b) {
        const auto rank = [&](const AblationRow *row) {
            return std::tuple(!row->error.empty(), row->sameAs == 0, row->error.empty() ? -worthOf(rows, *row, measure) : 0);
        };
        return rank(a) < rank(b);
    });
    return result;
}

const AblationRow *WorthTable::all() const
{
    const auto found = std::ranges::find(rows, AblationKind::All, &AblationRow::kind);
    return found == rows.end() ? nullptr : &*found;
}

bool WorthTable::hasPairs() const
{
    return std::ranges::any_of(rows, [](const AblationRow &row) { return row.kind == AblationKind::Pair; });
}

std::vector<WorthTable> worthTables(std::vector<AblationRow> rows)
{
    std::vector<WorthTable> tables;
    for (AblationRow &row : rows) {
        if (tables.empty() || tables.back().function != row.function || tables.back().call != row.call || tables.back().by != row.by)
            tables.push_back({row.function, row.call, row.by, {}});
        tables.back().rows.push_back(std::move(row));
    }
    std::erase_if(tables, [](const WorthTable &table) { return table.nothing().kind != AblationKind::Nothing; }); // damaged
    return tables;
}

const AlongRow *AlongTable::at(int step) const
{
    const AlongRow *found = nullptr;
    for (const AlongRow &row : rows)
        if (row.step <= step) found = &row;
    return found;
}

std::vector<AlongTable> alongTables(std::vector<AlongRow> rows)
{
    std::vector<AlongTable> tables;
    for (AlongRow &row : rows) {
        if (tables.empty() || tables.back().function != row.function || tables.back().call != row.call)
            tables.push_back({row.function, row.call, {}, {}});
        tables.back().rows.push_back(std::move(row));
    }
    for (AlongTable &table : tables) mark(table);
    return tables;
}

} // namespace profiler
