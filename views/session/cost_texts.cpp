#include "views/session/cost_texts.h"

#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/text.h"

namespace views {
namespace {

QString clockText(profiler::ClockKind clock)
{
    switch (clock) {
    case profiler::ClockKind::Device: return tr("device clock");
    case profiler::ClockKind::Blocking: return tr("host clock, blocking");
    case profiler::ClockKind::Host: break;
    }
    return tr("host clock");
}

} // namespace

QString deviceText(const std::string &device, const std::string &simulated)
{
    const bool isOne = (", " + simulated + ",").find(", " + device + ",") != std::string::npos;
    const QString name = views::text(device);
    return isOne && !device.empty() ? tr("%1 (simulated)").arg(name) : name;
}

double seconds(double ns) { return ns * 1e-9; }
double seconds(std::int64_t ns) { return seconds(static_cast<double>(ns)); }

QString qualityText(const profiler::TableRow &row)
{
    return tr("%1, %2; median %3, 95 %% below %4, standard deviation %5")
        .arg(formats::counted(row.calls, formats::Thing::Call), clockText(profiler::clockOf(row)), formats::timeNs(row.medianNs),
             formats::timeNs(row.p95Ns), formats::timeNs(row.deviationNs))
        .replace("%%", "%");
}

} // namespace views
