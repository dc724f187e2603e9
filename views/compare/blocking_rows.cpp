#include "views/compare/blocking_rows.h"

#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/numbers.h"
#include "views/common/text.h"
#include "views/session/function_name.h"

#include <QFileInfo>

#include <algorithm>

namespace views {
BlockingRows::BlockingRows(const SessionData &session)
{
    if (!session.costs) return;
    pairs = profiler::blockingPairs(session.functions, *session.costs);
    for (const profiler::BlockingPair &pair : pairs) {
        const profiler::FunctionInfo *function = session.function(raw(pair.function));
        m_functions.push_back(function ? functionName(*function) : QString());
        m_off += pair.offNs * static_cast<double>(pair.calls);
        m_on += pair.onNs * static_cast<double>(pair.calls);
    }
    caption = tr("%1: %2, means of all calls, the first among them")
                  .arg(QFileInfo(QString::fromStdString(session.info.path)).fileName(),
                       formats::counted(static_cast<std::int64_t>(pairs.size()), formats::Thing::Apply));
}

TextTable BlockingRows::table() const
{
    TextTable table;
    table.columns = {
        {tr("Off"), tr("Per call by the host's clock, which goes on after each launch"), true, false, 84},
        {tr("On"), tr("Per call with CUDA_LAUNCH_BLOCKING=1, in a run of its own: the host waits for each launch"), true, false, 84},
        {tr("Difference"), tr("On − off; left of the line blocking is faster, right of it slower"), false, false, 180},
        {tr("On − off"), tr("Per call; nothing says whether it may be chance, for the run that waited is one of sums"), true, false, 104},
        {tr("Device"), tr("Per call by the device's clock, with blocking off"), true, false, 84},
        {tr("Calls"), {}, true, false, 68},
        {tr("Function"), {}, false, false, 110},
        {tr("Name"), {}, false, true, 240},
    };
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const profiler::BlockingPair &pair = pairs[i];
        const auto time = [](double ns) { return numberCell(ns < 0 ? QString() : formats::timeNs(ns), ns); };
        table.rows.push_back({{time(pair.offNs),
                               time(pair.onNs),
                               {QString(), 0},
                               numberCell(formats::signedTimeNs(pair.deltaNs()), pair.deltaNs()),
                               time(pair.deviceNs),
                               numberCell(formats::count(pair.calls), static_cast<double>(pair.calls)),
                               {m_functions[i], 0},
                               {views::text(pair.name), 0}},
                              static_cast<std::int64_t>(i)});
    }
    return table;
}

std::vector<double> BlockingRows::deltas() const
{
    std::vector<double> deltas;
    for (const profiler::BlockingPair &pair : pairs) deltas.push_back(pair.deltaNs());
    return deltas;
}

QString BlockingRows::headline() const
{
    if (m_off <= 0 || m_on <= 0) return tr("Blocking off | on");
    return m_on >= m_off ? tr("%1 × as long with blocking").arg(formats::number(m_on / m_off, 'f', 2))
                         : tr("%1 × as long without blocking").arg(formats::number(m_off / m_on, 'f', 2));
}

QString BlockingRows::sentence() const
{
    return tr("the applies of all calls: %1 off, %2 on").arg(formats::timeNs(m_off), formats::timeNs(m_on));
}

} // namespace views
