#include "views/compare/compare_rows.h"

#include "profiler/session/store/reader.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/numbers.h"
#include "views/common/text.h"
#include "views/compare/blocking_rows.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>

namespace views {

using profiler::Change;
using profiler::ComparedRow;

namespace {

const QStringList kTelling{"device", "mode", "floatX", "optimizer_excluding", "allow_gc"}; // settings that name a side

constexpr std::int64_t kOfFunction = std::int64_t{1} << 32; // keys of functions among those that are only in one

CompareSideText sideOf(const std::string &path, const profiler::ProfileData &data, const profiler::ScriptInfo &script)
{
    CompareSideText side;
    side.path = text(path);
    side.title = script.path.empty() ? QFileInfo(side.path).fileName() : QFileInfo(text(script.path)).fileName();
    if (side.title.startsWith('<')) side.title = QFileInfo(side.path).fileName();
    if (!data.info.label.empty()) side.title = text(data.info.label);
    QStringList parts{QFileInfo(side.path).fileName()};
    if (!data.functions.empty()) parts << text(data.functions.front().device) << text(data.functions.front().mode);
    std::int64_t applies = 0, calls = 0;
    for (const profiler::FunctionInfo &function : data.functions) {
        applies += function.appliesOptimized;
        calls += function.run.calls;
    }
    parts << formats::counted(applies, formats::Thing::Apply) << formats::counted(calls, formats::Thing::Call);
    side.detail = parts.join(QStringLiteral(" · "));
    return side;
}

QString mark(const ComparedRow &row)
{
    switch (profiler::changeOf(row)) {
    case Change::Worse: return QStringLiteral("▲ ");
    case Change::Better: return QStringLiteral("▼ ");
    case Change::Same: return {};
    }
    return {};
}

// What the host's clock sees of a device is the time to give it work, unless it waits for each.
QString placeOf(const profiler::DevicePair &pair)
{
    if (pair.device.empty()) return tr("around the applies: arguments, results, Python");
    const bool isHost = pair.device == "cpu";
    const QString where = pair.transfer ? tr("copies to and from devices")
                          : isHost      ? tr("ops on the host")
                                        : tr("ops on %1").arg(text(pair.device));
    if (pair.clock == profiler::TimedBy::Device) return tr("%1, by the device's clock").arg(where);
    return isHost && !pair.transfer ? where : tr("%1, by the host's clock").arg(where);
}

QString nameOf(const ComparedRow &row)
{
    const QString a = text(row.a.name), b = text(row.b.name);
    if (row.a.present && row.b.present && a != b) return QStringLiteral("%1  |  %2").arg(a, b);
    return row.a.present ? a : b;
}

} // namespace

CompareRows::CompareRows(const std::string &pathA, const std::string &pathB)
{
    const auto readerA = profiler::SessionReader::open(pathA), readerB = profiler::SessionReader::open(pathB);
    sessionA = readSession(*readerA, nullptr);
    sessionB = pathA == pathB ? sessionA : readSession(*readerB, nullptr);
    for (const auto &session : {sessionA, sessionB}) session->derived<BlockingRows>();
    const profiler::ProfileData &dataA = sessionA->profile, &dataB = sessionB->profile;
    const profiler::ScriptInfo scriptA = readerA->script(), scriptB = readerB->script();
    comparison = profiler::compareSessions(dataA, readerA->steadySamples(dataA.functions), dataB, readerB->steadySamples(dataB.functions));
    verdict = profiler::verdictOf(comparison);
    script = profiler::diffLines(scriptA.text, scriptB.text);
    scriptChanges = static_cast<int>(std::count_if(script.begin(), script.end(), [](const auto &line) { return !line.isSame(); }));
    a = sideOf(pathA, dataA, scriptA);
    b = sideOf(pathB, dataB, scriptB);
    QStringList apartA, apartB;
    for (const profiler::Difference &one : comparison.settings) {
        if (!kTelling.contains(text(one.name))) continue;
        apartA << text(one.a);
        apartB << text(one.b);
    }
    a.apart = apartA.join(QStringLiteral(", "));
    b.apart = apartB.join(QStringLiteral(", "));
    if (!verdict.function) return;
    explanation = profiler::explain(comparison, dataA, dataB, verdict.function->function);
    devices = profiler::devicePairs(dataA, dataB, verdict.function->function);
    a.figure = formats::timeNs(verdict.function->a.nsPerCall);
    b.figure = formats::timeNs(verdict.function->b.nsPerCall);
}

QString CompareRows::headline() const
{
    if (!verdict.function) return tr("Nothing in common");
    if (verdict.change == Change::Same) return tr("No difference that counts");
    const QString factor = formats::number(verdict.factor, 'f', 2);
    return verdict.change == Change::Worse ? tr("▲ B is %1 × slower").arg(factor) : tr("▼ B is %1 × faster").arg(factor);
}

QString CompareRows::sentence() const
{
    if (!verdict.function) return tr("no function of one is in the other");
    const QString name = text(verdict.function->function);
    const double delta = verdict.function->deltaNs;
    if (delta == 0) return tr("%1 takes as long in both").arg(name);
    const QString much = formats::timeNs(std::abs(delta));
    return delta > 0 ? tr("%1 takes %2 more a call").arg(name, much) : tr("%1 takes %2 less a call").arg(name, much);
}

QString CompareRows::reading() const
{
    QStringList lines;
    const profiler::CompareOptions &rule = comparison.options;
    lines << tr("%1 of %2 changed significantly.").arg(comparison.alarms).arg(formats::counted(verdict.paired, formats::Thing::Pair));
    lines << (comparison.byRun
                  ? tr("Judged by %1 on each side: Mann-Whitney with Holm's correction, and at least %2 of the apply.")
                        .arg(formats::counted(comparison.runs, formats::Thing::Run))
                        .arg(formats::percent(rule.leastRelative))
                  : tr("Judged by single calls: Mann-Whitney with Holm's correction, and at least %1 of the apply, %2 where its operands "
                       "exceed the innermost cache.")
                        .arg(formats::percent(rule.leastOfOneRun), formats::percent(rule.leastOfPlace)));
    if (comparison.commonShift != 1)
        lines << tr("All applies of B share a shift of %1: a busy machine, or one change that touches all. “Judged” is without it.")
                     .arg(formats::signedPercent(comparison.commonShift - 1));
    if (!comparison.byRun)
        lines << tr(
            "Two runs of one program differ by some percent; “croton profile --runs 12” on both sides tells smaller changes from that.");
    return lines.join(QLatin1Char(' '));
}

std::vector<CompareCheck> CompareRows::checks() const
{
    std::vector<CompareCheck> checks;
    checks.push_back(scriptChanges == 0
                         ? CompareCheck{!script.empty(), script.empty() ? tr("Neither session holds its script") : tr("The same script")}
                         : CompareCheck{true, scriptChanges == 1 ? tr("Scripts that differ in one line")
                                                                 : tr("Scripts that differ in %1 lines").arg(scriptChanges)});
    const int alone = verdict.onlyA + verdict.onlyB;
    checks.push_back({alone <= verdict.paired, tr("%1, %2 only in A, %3 only in B")
                                                   .arg(formats::counted(verdict.paired, formats::Thing::Pair),
                                                        formats::count(verdict.onlyA), formats::count(verdict.onlyB))});
    if (verdict.function) {
        const std::int64_t callsA = verdict.function->a.calls, callsB = verdict.function->b.calls;
        const bool alike = callsA <= 2 * callsB && callsB <= 2 * callsA;
        checks.push_back(
            {alike,
             callsA == callsB
                 ? tr("%1 of %2 on both sides").arg(formats::counted(callsA, formats::Thing::Call), text(verdict.function->function))
                 : tr("%1 of %2 in A, %3 in B")
                       .arg(formats::counted(callsA, formats::Thing::Call), text(verdict.function->function), formats::count(callsB))});
    }
    if (comparison.commonShift != 1)
        checks.push_back({false, tr("All applies of B share a shift of %1").arg(formats::signedPercent(comparison.commonShift - 1))});
    checks.push_back({comparison.byRun, comparison.byRun ? tr("%1 on each side").arg(formats::counted(comparison.runs, formats::Thing::Run))
                                                         : tr("One run each: differences of some percent may be chance")});
    return checks;
}

int CompareRows::count(CompareTable table) const
{
    switch (table) {
    case CompareTable::Classes: return static_cast<int>(explanation.parts.size());
    case CompareTable::Devices: return static_cast<int>(devices.size());
    case CompareTable::Applies: return verdict.paired;
    case CompareTable::Functions:
        return static_cast<int>(
            std::count_if(comparison.functions.begin(), comparison.functions.end(), [](const ComparedRow &row) { return row.isPaired(); }));
    case CompareTable::OnlyInOne: return static_cast<int>(this->table(table).rows.size());
    case CompareTable::Settings: return static_cast<int>(comparison.settings.size());
    case CompareTable::Script: return scriptChanges;
    }
    return 0;
}

const ComparedRow *CompareRows::row(CompareTable table, std::int64_t key) const
{
    const bool function = table == CompareTable::Functions || (table == CompareTable::OnlyInOne && key >= kOfFunction);
    if (key < 0 || table == CompareTable::Settings || table == CompareTable::Script || table == CompareTable::Classes ||
        table == CompareTable::Devices)
        return nullptr;
    const auto index = static_cast<std::size_t>(key % kOfFunction);
    const std::vector<ComparedRow> &rows = function ? comparison.functions : comparison.applies;
    return index < rows.size() ? &rows[index] : nullptr;
}

TextTable CompareRows::settingsTable() const
{
    TextTable table;
    table.columns = {{tr("Setting"), tr("Flags, and what is known of the machine"), false, false, 180},
                     {tr("A"), {}, false, true, 320},
                     {tr("B"), {}, false, true, 320}};
    for (const profiler::Difference &one : comparison.settings)
        table.rows.push_back(
            {{{text(one.name), 0}, {one.a.empty() ? tr("(nothing)") : text(one.a), 0}, {one.b.empty() ? tr("(nothing)") : text(one.b), 0}},
             -1});
    return table;
}

TextTable CompareRows::scriptTable() const
{
    TextTable table;
    table.columns = {{tr("A"), tr("Line in A"), true, false, 52},
                     {tr("B"), tr("Line in B"), true, false, 52},
                     {QString(), tr("+ only in B, − only in A"), false, true, 28},
                     {tr("Line"), {}, false, true, 400}};
    std::int64_t key = 0;
    for (const profiler::DiffLine &line : script)
        table.rows.push_back({{numberCell(line.a ? QString::number(line.a) : QString(), line.a),
                               numberCell(line.b ? QString::number(line.b) : QString(), line.b),
                               {line.isSame() ? QString()
                                : line.a      ? QString(QChar(0x2212))
                                              : QStringLiteral("+"),
                                0},
                               {text(line.text), 0}},
                              key++});
    return table;
}

TextTable CompareRows::classesTable() const
{
    TextTable table;
    table.columns = {{tr("A"), tr("Per call of the function in A: the mean of all calls"), true, false, 84},
                     {tr("B"), tr("Per call of the function in B"), true, false, 84},
                     {tr("Difference"), tr("B − A; left of the line B is faster, right of it slower"), false, false, 180},
                     {tr("B − A"), tr("Per call of the function"), true, false, 104},
                     {tr("Class of ops"), {}, false, true, 240}};
    std::int64_t key = 0;
    for (const profiler::ExplainedPart &part : explanation.parts)
        table.rows.push_back({{numberCell(formats::timeNs(part.a), part.a),
                               numberCell(formats::timeNs(part.b), part.b),
                               {QString(), 0},
                               numberCell(formats::signedTimeNs(part.deltaNs()), part.deltaNs()),
                               {text(part.name), 0}},
                              key++});
    return table;
}

TextTable CompareRows::devicesTable() const
{
    TextTable table;
    table.columns = {{tr("A"), tr("Per call of the function in A"), true, false, 84},
                     {tr("B"), tr("Per call of the function in B"), true, false, 84},
                     {tr("Difference"), tr("B − A; left of the line B is faster, right of it slower"), false, false, 180},
                     {tr("B − A"), tr("Per call of the function"), true, false, 104},
                     {tr("Where, by whose clock"), {}, false, false, 240}};
    std::int64_t key = 0;
    for (const profiler::DevicePair &pair : devices) {
        const auto time = [](double ns) { return numberCell(ns < 0 ? QString() : formats::timeNs(ns), ns); };
        table.rows.push_back({{time(pair.a),
                               time(pair.b),
                               {QString(), 0},
                               numberCell(formats::signedTimeNs(pair.deltaNs()), pair.deltaNs()),
                               {placeOf(pair), 0}},
                              key++});
    }
    return table;
}

TextTable CompareRows::onlyInOneTable() const
{
    TextTable table;
    table.columns = {{tr("Side"), tr("The session that has it"), false, false, 60},
                     {tr("Per call"), {}, true, false, 96},
                     {tr("Function"), {}, false, false, 120},
                     {tr("Name"), {}, false, true, 300}};
    const auto add = [&](const std::vector<ComparedRow> &rows, std::int64_t base) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const ComparedRow &row = rows[i];
            if (row.a.present == row.b.present) continue;
            const profiler::ComparedSide &side = row.a.present ? row.a : row.b;
            table.rows.push_back({{{row.a.present ? QStringLiteral("● A") : QStringLiteral("■ B"), 0},
                                   numberCell(formats::timeNs(side.nsPerCall), side.nsPerCall),
                                   {text(row.function), 0},
                                   {base ? tr("the whole function") : text(side.name), 0}},
                                  base + static_cast<std::int64_t>(i)});
        }
    };
    add(comparison.functions, kOfFunction);
    add(comparison.applies, 0);
    return table;
}

TextTable CompareRows::measuredTable(CompareTable which) const
{
    TextTable table;
    table.columns = {
        {tr("A"), tr("Per call in A: the middle of the samples"), true, false, 84},
        {tr("B"), tr("Per call in B"), true, false, 84},
        {tr("Difference"), tr("B − A per call; left of the line B is faster, right of it slower"), false, false, 180},
        {tr("B − A"), tr("Per call, as measured; ▲ or ▼ where it counts, nothing where it may be chance"), true, false, 104},
        {tr("Measured"), tr("B / A − 1, as measured"), true, false, 84},
        {tr("Judged"), tr("The same without the shift that all applies share"), true, false, 76},
        {tr("p"), tr("Chance of such a difference between equal ones, after Holm's correction"), true, false, 72},
        {tr("Share"), tr("Of the function's time in thunks, where it is larger"), true, false, 68},
        {tr("Name"), tr("A, and B where it differs"), false, true, 240},
    };
    const std::vector<ComparedRow> &rows = which == CompareTable::Functions ? comparison.functions : comparison.applies;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const ComparedRow &row = rows[i];
        if (!row.isPaired()) continue;
        const QString name = which == CompareTable::Functions ? text(row.function) : nameOf(row);
        table.rows.push_back({{numberCell(formats::timeNs(row.a.nsPerCall), row.a.nsPerCall),
                               numberCell(formats::timeNs(row.b.nsPerCall), row.b.nsPerCall),
                               {QString(), 0},
                               numberCell(mark(row) + formats::signedTimeNs(row.deltaNs), row.deltaNs),
                               numberCell(formats::signedPercent(row.rawRelative), row.rawRelative),
                               numberCell(formats::signedPercent(row.relative), row.relative),
                               numberCell(row.p < 0.001 ? QStringLiteral("<0.001") : formats::number(row.p, 'f', 3), row.p),
                               numberCell(formats::percent(row.share), row.share),
                               {name, 0}},
                              static_cast<std::int64_t>(i)});
    }
    return table;
}

TextTable CompareRows::table(CompareTable which) const
{
    switch (which) {
    case CompareTable::Settings: return settingsTable();
    case CompareTable::Script: return scriptTable();
    case CompareTable::Classes: return classesTable();
    case CompareTable::Devices: return devicesTable();
    case CompareTable::OnlyInOne: return onlyInOneTable();
    case CompareTable::Applies:
    case CompareTable::Functions: break;
    }
    return measuredTable(which);
}

} // namespace views
