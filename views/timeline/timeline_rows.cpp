#include "views/timeline/timeline_rows.h"

#include "profiler/session/model/collection_names.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/node_title.h"
#include "views/common/text.h"
#include "views/session/function_name.h"
#include "views/session/shared_words.h"

#include <algorithm>

namespace views {

using profiler::TrackKind;

QString TimelineRows::kindTitle(TrackKind kind)
{
    switch (kind) {
    case TrackKind::Script: return tr("Script");
    case TrackKind::Compile: return tr("Compile");
    case TrackKind::Passes: return tr("Passes");
    case TrackKind::Calls: return tr("Calls");
    case TrackKind::Applies: return tr("Applies");
    case TrackKind::Ranges: return tr("Ranges");
    case TrackKind::Waits: return tr("Waits");
    case TrackKind::Kernels: return tr("Kernels");
    case TrackKind::Copies: return tr("Copies");
    }
    return {};
}

TimelineRows::TimelineRows(const SessionData &session)
{
    if (session.trace) timeline = profiler::makeTimeline(session.profile, *session.trace);
    for (const profiler::FunctionInfo &function : session.functions) m_functions.emplace(raw(function.id), functionName(function));
    SharedWords words;
    for (const profiler::ZoneLabel &label : timeline.labels) {
        if (label.apply == profiler::kNoApply) continue;
        const auto graph = session.graphs.find(label.graph);
        const profiler::ApplyRow *row = graph == session.graphs.end() ? nullptr : graph->second->apply(raw(label.apply));
        if (row) m_applies.emplace(profiler::ApplyKey{label.graph, label.apply}, words.of(row->label.empty() ? row->op : row->label));
    }
    index();
}

TimelineRows::TimelineRows(profiler::Timeline made) : timeline(std::move(made)) { index(); }

void TimelineRows::index()
{
    whole = profiler::sumRange(timeline, timeline.startNs, timeline.endNs);
    for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
        const std::vector<profiler::Zone> &zones = timeline.tracks[track].zones.zones();
        for (std::size_t zone = 0; zone < zones.size(); ++zone)
            if (zones[zone].correlation != 0) m_correlations.emplace_back(zones[zone].correlation, Place{track, zone});
    }
    std::stable_sort(m_correlations.begin(), m_correlations.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
}

std::vector<TimelineRows::Place> TimelineRows::correlated(const Place &place) const
{
    const std::int64_t wanted = timeline.tracks[place.track].zones.zones()[place.zone].correlation;
    std::vector<Place> places;
    if (wanted == 0) return places;
    const auto first =
        std::partition_point(m_correlations.begin(), m_correlations.end(), [&](const auto &one) { return one.first < wanted; });
    for (auto at = first; at != m_correlations.end() && at->first == wanted; ++at) places.push_back(at->second);
    return places;
}

QString TimelineRows::trackTitle(const profiler::Track &track) const
{
    if (track.row > 0) return {};
    if (track.kind == TrackKind::Ranges && track.name == profiler::kCollectionLaneName) return tr("Collection");
    if (track.kind == TrackKind::Ranges && !track.name.empty()) return text(track.name);
    if (track.kind == TrackKind::Kernels || track.kind == TrackKind::Copies)
        return track.name.empty() ? kindTitle(track.kind) : text(track.name);
    return kindTitle(track.kind);
}

QString TimelineRows::trackDetail(const profiler::Track &track) const
{
    if (track.row > 0) return tr("at the same time");
    if (track.run > 0) return tr("run %1").arg(track.run + 1);
    switch (track.kind) {
    case TrackKind::Script: return tr("outside");
    case TrackKind::Compile: return tr("functions");
    case TrackKind::Passes: return tr("rewriting");
    case TrackKind::Calls: return tr("functions");
    case TrackKind::Applies: return tr("traced calls");
    case TrackKind::Ranges: return track.name == profiler::kCollectionLaneName ? tr("of garbage") : text(track.device);
    // Lanes that are called after what is in them need not say it twice.
    case TrackKind::Kernels: return track.name == "kernels" ? text(track.device) : tr("kernels, %1").arg(text(track.device));
    case TrackKind::Copies: return track.name == "copies" ? text(track.device) : tr("copies, %1").arg(text(track.device));
    default: return text(track.device);
    }
}

QString TimelineRows::labelText(const profiler::ZoneLabel &label) const
{
    if (label.gap) return label.notKept ? tr("calls that were not kept") : tr("Python, outside functions");
    if (label.kind == profiler::EventKind::Range && label.name.starts_with(profiler::kGeneration))
        return tr("Python's objects, generation %1").arg(text(label.name.substr(profiler::kGeneration.size())));
    if (label.kind == profiler::EventKind::Range && label.name == profiler::kGivenBack) return tr("memory given back");
    return friendlyName(text(label.name));
}

QString TimelineRows::zoneText(const profiler::Track &track, const profiler::ZoneCluster &cluster) const
{
    const profiler::Zone &zone = track.zones.zones()[cluster.first];
    const profiler::ZoneLabel &label = timeline.labels[zone.label];
    if (cluster.count > 1)
        return tr("%1: %2 in %3\nbusy for %4 of it · zoom in to see each")
            .arg(kindTitle(track.kind), formats::count(static_cast<std::int64_t>(cluster.count)),
                 formats::timeNs(cluster.endNs - cluster.startNs), formats::timeNs(cluster.busyNs));
    QStringList lines;
    QString name = labelText(label);
    if (const auto exact = m_applies.find({label.graph, label.apply}); exact != m_applies.end()) name = exact->second;
    if (track.kind == TrackKind::Compile) name = tr("compiling %1").arg(name);
    lines << QStringLiteral("%1 · %2").arg(name.size() > 120 ? name.left(119) + QChar(0x2026) : name, formats::timeNs(zone.durationNs));
    const auto function = m_functions.find(raw(label.function));
    if (zone.call >= 0 && function != m_functions.end()) lines << tr("call %1 of %2").arg(formats::count(zone.call + 1), function->second);
    else if (track.kind == TrackKind::Passes && function != m_functions.end()) lines << tr("compiling %1").arg(function->second);
    if (zone.bytes > 0) lines << formats::bytes(zone.bytes);
    lines << tr("at %1 of the session").arg(formats::timeNs(zone.startNs));
    return lines.join(QLatin1Char('\n'));
}

QString TimelineRows::sumText(const profiler::RangeSum &sum) const
{
    QStringList parts;
    const auto add = [&](const QString &name, std::int64_t ns, double share) {
        if (ns > 0) parts << QStringLiteral("%1 %2 (%3)").arg(name, formats::timeNs(ns), formats::percent(share));
    };
    add(tr("calls"), sum.callNs, sum.callShare);
    add(tr("compiling"), sum.compileNs, sum.compileShare);
    add(tr("Python, outside functions"), sum.outsideNs, sum.outsideShare);
    add(tr("with calls that were not kept"), sum.notKeptNs, sum.notKeptShare);
    const profiler::RangeRow *slowest = nullptr;
    for (const profiler::RangeRow &row : sum.rows)
        if (row.kind == TrackKind::Applies && (!slowest || row.totalNs > slowest->totalNs)) slowest = &row;
    if (slowest) parts << tr("most in %1: %2").arg(labelText(timeline.labels[slowest->label]), formats::timeNs(slowest->totalNs));
    return QStringLiteral("%1: %2").arg(formats::timeNs(sum.durationNs()),
                                        parts.isEmpty() ? tr("nothing was recorded") : parts.join(QStringLiteral(" · ")));
}

QString TimelineRows::caption() const
{
    QString result = formats::counted(static_cast<std::int64_t>(timeline.events), formats::Thing::Event);
    if (timeline.notKept > 0)
        result += QStringLiteral(" · ") + tr("a sample, without %1").arg(formats::counted(timeline.notKept, formats::Thing::Call));
    return result;
}

TextTable TimelineRows::table(const profiler::RangeSum &sum) const
{
    TextTable table;
    table.columns = {
        {tr("Lane"), tr("Where it is drawn"), false, false, 104},
        {tr("Total"), tr("Time within the range"), true, false, 88},
        {tr("% of range"), tr("Share of the range; lanes run beside each other, so each sums up by itself"), true, false, 88},
        {tr("Count"), tr("How many were recorded in the range"), true, false, 84},
        {tr("Mean"), tr("Total divided by the count"), true, false, 88},
        {tr("Longest"), tr("The longest one, also where it reaches out of the range"), true, false, 88},
        {tr("Name"), tr("Function, pass or op"), false, true, 200},
    };
    for (const profiler::RangeRow &row : sum.rows) {
        const profiler::ZoneLabel &label = timeline.labels[row.label];
        QString name = labelText(label);
        if (const auto exact = m_applies.find({label.graph, label.apply}); exact != m_applies.end()) name = exact->second;
        const auto function = m_functions.find(raw(label.function));
        if (row.kind == TrackKind::Passes && function != m_functions.end()) name += QStringLiteral(" · ") + function->second;
        table.rows.push_back({{{kindTitle(row.kind), 0},
                               numberCell(formats::timeNs(row.totalNs), static_cast<double>(row.totalNs)),
                               numberCell(formats::percent(row.share), row.share),
                               numberCell(formats::count(row.count), static_cast<double>(row.count)),
                               numberCell(formats::timeNs(row.meanNs), row.meanNs),
                               numberCell(formats::timeNs(row.maxNs), static_cast<double>(row.maxNs)),
                               {name, 0}},
                              row.label});
    }
    return table;
}

} // namespace views
