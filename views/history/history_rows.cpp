#include "views/history/history_rows.h"

#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/text.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>

namespace views {
namespace {

constexpr std::size_t kMostChanges = 4; // in a tip; the table has all

/// All that is another since the point before.
QStringList changesOf(const profiler::History &history, const profiler::HistoryPoint &point)
{
    QStringList changes;
    for (const profiler::GraphChange &one : point.changes) changes << text(one.text());
    if (point.writtenAnew) changes << tr("the graph is written another way");
    for (const profiler::GraphChange &one : history.sessions[point.session].changes) changes << text(one.text());
    return changes;
}

} // namespace

HistoryRows::HistoryRows(profiler::History all, std::string openPath, std::size_t olderSessions)
    : history(std::move(all)), open(std::move(openPath)), older(olderSessions)
{}

QString HistoryRows::title(Measure measure)
{
    switch (measure) {
    case Measure::Time: return tr("Time a call");
    case Measure::Memory: return tr("Memory");
    case Measure::Applies: return tr("Applies");
    case Measure::Compile: return tr("Compile time");
    }
    return {};
}

double HistoryRows::value(const profiler::HistoryPoint &point, Measure measure)
{
    switch (measure) {
    case Measure::Time: return point.nsPerCall;
    case Measure::Memory: return static_cast<double>(point.peakBytes);
    case Measure::Applies: return point.applies;
    case Measure::Compile: return static_cast<double>(point.compileNs);
    }
    return -1;
}

QString HistoryRows::text(const profiler::HistoryPoint &point, Measure measure)
{
    const double known = value(point, measure);
    if (known < 0) return QStringLiteral("–");
    switch (measure) {
    case Measure::Time:
    case Measure::Compile: return formats::timeNs(known);
    case Measure::Memory: return formats::bytes(known);
    case Measure::Applies: return formats::count(point.applies);
    }
    return {};
}

bool HistoryRows::isChanged(const profiler::HistoryPoint &point) const
{
    return point.writtenAnew || !point.changes.empty() || !history.sessions[point.session].changes.empty();
}

QString HistoryRows::path(int session) const { return views::text(history.sessions[static_cast<std::size_t>(session)].path); }

QString HistoryRows::when(int session) const
{
    const QDateTime created = QDateTime::fromMSecsSinceEpoch(history.sessions[static_cast<std::size_t>(session)].createdUnixMs);
    return QLocale().toString(created, QStringLiteral("d MMM yyyy HH:mm"));
}

QString HistoryRows::tip(const profiler::FunctionHistory &function, const profiler::HistoryPoint &point) const
{
    const int session = static_cast<int>(point.session);
    QStringList lines{
        QStringLiteral("%1 · %2").arg(views::text(function.name), when(session)), QFileInfo(path(session)).fileName(),
        tr("%1 a call · %2").arg(text(point, Measure::Time), formats::counted(point.calls, formats::Thing::Call)),
        tr("%1 · %2 · compiled in %3")
            .arg(text(point, Measure::Memory), formats::counted(point.applies, formats::Thing::Apply), text(point, Measure::Compile))};
    const QStringList changes = changesOf(history, point);
    for (std::size_t i = 0; i < std::min<std::size_t>(static_cast<std::size_t>(changes.size()), kMostChanges); ++i)
        lines << tr("since then: %1").arg(changes[static_cast<qsizetype>(i)].left(120));
    if (const qsizetype more = changes.size() - static_cast<qsizetype>(kMostChanges); more > 0)
        lines << (more == 1 ? tr("and one more change, in the table") : tr("and %1 more changes, in the table").arg(more));
    return lines.join(QLatin1Char('\n'));
}

QString HistoryRows::caption() const
{
    QString result = formats::counted(static_cast<std::int64_t>(history.sessions.size()), formats::Thing::Session);
    if (older > 0)
        result += QStringLiteral(" · ") +
                  (older == 1 ? tr("one older one is not shown")
                              : (older == 1 ? tr("one older one is not shown") : tr("%1 older ones are not shown").arg(older)));
    if (!history.leftOut.empty())
        result += QStringLiteral(" · ") + tr("%1 cannot be read, in the table with the reason").arg(history.leftOut.size());
    return result;
}

TextTable HistoryRows::table() const
{
    TextTable table;
    table.columns = {{tr("When"), {}, true, false, 136}, {tr("Function"), {}, false, true, 110}};
    for (const Measure measure : kMeasures) table.columns.push_back({title(measure), {}, true, false, 96});
    table.columns.push_back({tr("Calls"), {}, true, false, 80});
    table.columns.push_back({tr("Session"), {}, false, false, 180});
    table.columns.push_back({tr("Since then"), tr("What is another than in the session before"), false, false, 320});
    for (std::size_t session = history.sessions.size(); session-- > 0;)
        for (const profiler::FunctionHistory &function : history.functions)
            for (const profiler::HistoryPoint &point : function.points) {
                if (point.session != session) continue;
                TextTable::Row row{
                    {numberCell(when(static_cast<int>(session)), static_cast<double>(history.sessions[session].createdUnixMs)),
                     {views::text(function.name), 0}},
                    static_cast<std::int64_t>(session)};
                for (const Measure measure : kMeasures) row.cells.push_back(numberCell(text(point, measure), value(point, measure)));
                row.cells.push_back(numberCell(formats::count(point.calls), static_cast<double>(point.calls)));
                row.cells.push_back({QFileInfo(path(static_cast<int>(session))).fileName(), 0});
                row.cells.push_back({changesOf(history, point).join(QStringLiteral("; ")), 0});
                table.rows.push_back(std::move(row));
            }
    for (const profiler::LeftOut &one : history.leftOut) {
        TextTable::Row row{{}, -1};
        row.cells.resize(table.columns.size());
        row.cells[table.columns.size() - 2] = {QFileInfo(views::text(one.path)).fileName(), 0};
        row.cells.back() = {views::text(one.reason), 0};
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace views
