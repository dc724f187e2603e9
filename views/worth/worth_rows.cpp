#include "views/worth/worth_rows.h"

#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/numbers.h"
#include "views/common/text.h"

#include <algorithm>
#include <cmath>

namespace views {

using profiler::AblationKind;
using profiler::AblationRow;
using profiler::WorthMeasure;

namespace {

QString withSign(double value, const QString &unsignedText)
{
    return (value < 0 ? QStringLiteral("−") : QStringLiteral("+")) + unsignedText;
}

QString amountText(double value, WorthMeasure measure)
{
    const double size = std::fabs(value);
    switch (measure) {
    case WorthMeasure::Time:
    case WorthMeasure::Compile: return formats::timeNs(size);
    case WorthMeasure::Memory: return formats::bytes(size);
    case WorthMeasure::Applies: return formats::count(static_cast<std::int64_t>(size));
    case WorthMeasure::Error: return std::isinf(size) ? tr("not finite") : tr("%1 ulp").arg(formats::number(size, 'g', 3));
    }
    return {};
}

QString differenceText(double value, WorthMeasure measure)
{
    if (value == 0) return measure == WorthMeasure::Error || measure == WorthMeasure::Applies ? QStringLiteral("0") : tr("none");
    if (std::isinf(value)) return value > 0 ? tr("not finite") : tr("finite");
    return withSign(value, amountText(value, measure));
}

/// Errors lie many powers of ten apart.
double scaled(double worth, WorthMeasure measure)
{
    if (measure != WorthMeasure::Error) return worth;
    return std::copysign(std::log10(1 + std::min(std::fabs(worth), 1e300)), worth);
}

} // namespace

QString WorthRows::title(WorthMeasure measure)
{
    switch (measure) {
    case WorthMeasure::Time: return tr("Time of a call");
    case WorthMeasure::Memory: return tr("Peak memory");
    case WorthMeasure::Compile: return tr("Compile time");
    case WorthMeasure::Applies: return tr("Applies");
    case WorthMeasure::Error: return tr("Error");
    }
    return {};
}

QString WorthRows::valueText(const AblationRow &row, WorthMeasure measure)
{
    if (measure == WorthMeasure::Error && row.notFinite > 0) return tr("%1 not finite").arg(formats::count(row.notFinite));
    return amountText(profiler::valueOf(row, measure), measure);
}

QString WorthRows::namesOf(const AblationRow &row)
{
    if (row.kind == AblationKind::Nothing) return tr("nothing left out");
    if (row.kind == AblationKind::All) return tr("all of them left out");
    QStringList names;
    for (const std::string &name : row.leftOut) names << text(name);
    return names.join(QStringLiteral(" + "));
}

std::vector<int> WorthRows::stepsOf(const SessionData &session, const profiler::WorthTable &table, const AblationRow &row)
{
    std::vector<int> steps;
    const profiler::FunctionInfo *function = session.function(raw(table.function));
    const auto graph = function ? session.graphOf(raw(function->id)) : nullptr;
    if (!graph || row.kind == AblationKind::Nothing || row.kind == AblationKind::All) return steps;
    const std::set<std::string> names(row.leftOut.begin(), row.leftOut.end());
    std::set<std::string> rewrites; // with one of the tags
    if (table.by == "tag")
        for (const profiler::RewriteInfo &rewrite : session.rewrites)
            for (const QString &tag : text(rewrite.tags).split(u',', Qt::SkipEmptyParts))
                if (names.contains(tag.trimmed().toStdString())) rewrites.insert(rewrite.name);
    for (std::size_t i = 1; i < graph->steps.size(); ++i) {
        const profiler::StepInfo &step = graph->steps[i];
        const bool made = table.by == "pass"  ? names.contains(step.phase)
                          : table.by == "tag" ? rewrites.contains(step.rewrite)
                                              : names.contains(step.rewrite);
        if (made) steps.push_back(static_cast<int>(i));
    }
    return steps;
}

WorthRows::WorthRows(const SessionData &session, const profiler::WorthTable &source, WorthMeasure by) : table(source), measure(by)
{
    const auto lineOf = [&](const AblationRow &row, WorthLine::Kind kind) {
        WorthLine line;
        line.kind = kind;
        line.row = row.position;
        line.name = namesOf(row);
        if (kind == WorthLine::Kind::Rewrite) {
            const profiler::RewriteInfo *rewrite = table.by == "rewrite" ? session.rewrite(row.leftOut.front()) : nullptr;
            line.phase = rewrite ? text(rewrite->phase) : table.by == "pass" ? text(row.leftOut.front()) : QString();
        }
        if (!row.error.empty()) line.instead = tr("cannot be run without it");
        else if (row.sameAs == 0) line.instead = tr("the same graph: others do what it does");
        if (line.instead.isEmpty()) {
            line.worth = profiler::worthOf(table.rows, row, measure);
            line.text = differenceText(line.worth, measure);
            line.sure = profiler::isSure(table.rows, row, measure);
        }
        return line;
    };
    for (const AblationRow *row : table.singles(measure)) lines.push_back(lineOf(*row, WorthLine::Kind::Rewrite));
    if (measure != WorthMeasure::Error) { // errors do not add up
        WorthLine sum;
        sum.kind = WorthLine::Kind::Sum;
        sum.name = tr("sum of the single differences");
        sum.worth = profiler::sumOfSingles(table.rows, measure);
        sum.text = differenceText(sum.worth, measure);
        sum.sure = true;
        lines.push_back(sum);
    }
    if (const AblationRow *all = table.all()) lines.push_back(lineOf(*all, WorthLine::Kind::All));
    for (const AblationRow &row : table.rows)
        if (row.kind == AblationKind::Pair) lines.push_back(lineOf(row, WorthLine::Kind::Pair));
    double largest = 0, every = 0;
    for (const WorthLine &line : lines) {
        if (std::isinf(line.worth)) continue;
        const double size = std::fabs(scaled(line.worth, measure));
        every = std::max(every, size);
        if (line.kind == WorthLine::Kind::Rewrite || line.kind == WorthLine::Kind::Pair) largest = std::max(largest, size);
    }
    if (largest <= 0) largest = every;
    for (WorthLine &line : lines) {
        const double place = std::isinf(line.worth) ? std::copysign(1.0, line.worth)
                             : largest > 0          ? scaled(line.worth, measure) / largest
                                                    : 0;
        line.place = std::clamp(place, -1.0, 1.0);
        line.beyond = std::fabs(place) > 1 || std::isinf(line.worth);
    }
}

QString WorthRows::caption() const
{
    const AblationRow &nothing = table.nothing();
    return tr("call %1 · %2 with all of them").arg(formats::count(table.call), valueText(nothing, measure));
}

QString WorthRows::tip(const SessionData &session, std::size_t index) const
{
    const WorthLine &line = lines[index];
    QStringList said{line.name};
    if (line.row < 0) return said.first() + u'\n' + tr("What lies between it and all of them left out no single one explains");
    const AblationRow &row = table.rows[static_cast<std::size_t>(line.row)];
    if (!row.error.empty()) return said.first() + u'\n' + text(row.error);
    if (const profiler::RewriteInfo *rewrite = session.rewrite(row.leftOut.empty() ? std::string() : row.leftOut.front());
        rewrite && table.by == "rewrite" && line.kind == WorthLine::Kind::Rewrite)
        said << text(rewrite->why);
    if (row.fired > 0) said << tr("It fired %1").arg(formats::counted(row.fired, formats::Thing::Time));
    if (row.sameAs == 0) said << tr("Without it the optimized graph is the same: others do what it does");
    else {
        said << tr("Without it: %1 a call, %2 at most, %3, %4 to compile, error %5")
                    .arg(valueText(row, WorthMeasure::Time), valueText(row, WorthMeasure::Memory),
                         formats::counted(row.applies, formats::Thing::Apply), valueText(row, WorthMeasure::Compile),
                         valueText(row, WorthMeasure::Error));
        if (measure == WorthMeasure::Time)
            said << (row.counts ? tr("More than chance: p = %1").arg(formats::number(row.p, 'g', 2))
                                : tr("It may be chance: p = %1").arg(formats::number(row.p, 'g', 2)));
        if (row.sameAs > 0) said << tr("The graph is that without %1").arg(namesOf(table.rows[static_cast<std::size_t>(row.sameAs)]));
    }
    if (line.kind == WorthLine::Kind::Pair && measure != WorthMeasure::Error)
        said << tr("What neither alone explains: %1").arg(differenceText(profiler::interactionOf(table.rows, row, measure), measure));
    return said.join(u'\n');
}

TextTable WorthRows::textTable() const
{
    TextTable out;
    out.columns = {
        {tr("Left out"), tr("The rewrite, pass or tag without which the call was compiled and run"), false, true, 260},
        {tr("Difference"), tr("What leaving it out costs, of the measure that is shown; below 0 it would be better without"), true, false,
         104},
        {tr("Sure"), tr("Whether it is more than chance: of times by Mann-Whitney with Holm's correction, p < 0.01"), false, false, 64},
        {tr("A call"), tr("Middle of its calls, in turns with the others"), true, false, 88},
        {tr("Peak"), tr("Most memory that a call took"), true, false, 88},
        {tr("Compile"), tr("Time to compile it"), true, false, 88},
        {tr("Applies"), tr("Of the optimized graph"), true, false, 72},
        {tr("Error"), tr("Largest difference of an output from the reference"), true, false, 104},
        {tr("Fired"), tr("Steps that it made"), true, false, 64},
        {tr("Note"), {}, false, false, 160},
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const WorthLine &line = lines[i];
        const bool has = line.row >= 0 && line.instead.isEmpty();
        const AblationRow none, &row = line.row >= 0 ? table.rows[static_cast<std::size_t>(line.row)] : none;
        const auto cell = [&](WorthMeasure of) {
            return has ? numberCell(valueText(row, of), profiler::valueOf(row, of)) : numberCell(QStringLiteral("–"), -1);
        };
        out.rows.push_back({{{line.name, 0},
                             numberCell(line.instead.isEmpty() ? line.text : QStringLiteral("–"), line.worth),
                             {line.instead.isEmpty() && line.row >= 0 ? line.sure ? tr("yes") : tr("no") : QString(), 0},
                             cell(WorthMeasure::Time),
                             cell(WorthMeasure::Memory),
                             cell(WorthMeasure::Compile),
                             cell(WorthMeasure::Applies),
                             cell(WorthMeasure::Error),
                             numberCell(row.fired > 0 ? formats::count(row.fired) : QString(), static_cast<double>(row.fired)),
                             {line.instead, 0}},
                            static_cast<std::int64_t>(i)});
    }
    return out;
}

} // namespace views
