#include "views/roofline/roofline_rows.h"

#include "profiler/stats/times/profile_parts.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/numbers.h"
#include "views/common/text.h"
#include "views/session/roof_texts.h"

namespace views {

using profiler::RooflinePoint;

RooflineRows::RooflineRows(const SessionData &session)
{
    const profiler::ProfileParts parts(session.profile);
    for (const profiler::FunctionInfo &function : session.functions)
        if (function.run.calls > 0) functions.emplace(function.id, profiler::makeRoofline(parts.of(function.id), function.id));
}

QString RooflineRows::runsText(const RooflinePoint &point)
{
    if (point.runs == "library") return tr("library");
    if (point.runs == "compiled") return tr("generated code");
    if (point.runs == "interpreter") return tr("interpreter");
    return text(point.runs);
}

QString RooflineRows::tip(const RooflinePoint &point)
{
    const QString where = point.device == "cpu" ? QString() : QStringLiteral(" · ") + text(point.device);
    return QStringList{
        QStringLiteral("%1 · %2").arg(text(point.label).left(120), runsText(point)) + where,
        (point.isDeviceClock ? tr("%1 a call by the clock of the device · %2 of the host's time") : tr("%1 a call · %2 of the time"))
            .arg(formats::timeNs(point.nsPerCall), formats::percent(point.share)),
        rateText(point), tr("%1: %2 bounds it").arg(atMostText(point), point.byBytes ? tr("moving bytes") : tr("arithmetic"))}
        .join(QLatin1Char('\n'));
}

QString RooflineRows::caption(const profiler::Roofline &roofline)
{
    QString result = tr("%1 placed").arg(formats::counted(static_cast<std::int64_t>(roofline.points.size()), formats::Thing::Apply));
    if (!roofline.unplaced.empty())
        result += QStringLiteral(" · ") + tr("%1 without a place, in the table with the reason").arg(roofline.unplaced.size());
    return result;
}

TextTable RooflineRows::table(const profiler::Roofline &roofline)
{
    TextTable table;
    table.columns = {
        {tr("Time per call"), tr("Of what ran on a device by its clock"), true, false, 96},
        {tr("% time"), tr("Share of the function's time in thunks"), true, false, 72},
        {tr("At most"), tr("How much faster it could be at its roof; the roof is that of the innermost cache that was measured"), true,
         false, 96},
        {tr("Rate"), tr("Arithmetic a second, as the op states it"), true, false, 110},
        {tr("flop/byte"), tr("Arithmetic for each byte of inputs and outputs"), true, false, 84},
        {tr("Bytes"), tr("Of its inputs and outputs"), true, false, 84},
        {tr("Bound by"), tr("Or why it has no place"), false, false, 140},
        {tr("Run by"), {}, false, false, 110},
        {tr("Device"), tr("Under whose roofs it stands"), false, false, 84},
        {tr("Name"), {}, false, true, 240},
    };
    const auto add = [&](const RooflinePoint &point, bool placed, const QString &bound, std::int64_t key) {
        const QString none = QStringLiteral("–");
        table.rows.push_back({{numberCell(formats::timeNs(point.nsPerCall), point.nsPerCall),
                               numberCell(formats::percent(point.share), point.share),
                               numberCell(!placed               ? none
                                          : point.atMost < 1.05 ? tr("at its roof")
                                                                : QStringLiteral("%1 ×").arg(formats::number(point.atMost, 'f', 1)),
                                          placed ? point.atMost : 0),
                               numberCell(placed ? formats::flopRate(point.rate) : none, point.rate),
                               numberCell(placed ? formats::number(point.intensity, 'g', 3) : none, point.intensity),
                               numberCell(point.bytes > 0 ? formats::bytes(point.bytes) : none, point.bytes),
                               {bound, 0},
                               {runsText(point), 0},
                               {text(point.device), 0},
                               {text(point.label), 0}},
                              key});
    };
    std::int64_t key = 0;
    for (const RooflinePoint &point : roofline.points) add(point, true, point.byBytes ? tr("moving bytes") : tr("arithmetic"), key++);
    for (const profiler::UnplacedApply &one : roofline.unplaced) add(one.what, false, whyUnplaced(one.why), key++);
    return table;
}

} // namespace views
