#include "views/timeline/timeline_axis.h"

#include "profiler/stats/times/timeline.h"
#include "views/common/formats.h"
#include "views/common/numbers.h"

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr double kNearest = 20;         // ns: nothing shorter is measured
constexpr double kMargin = 0.02;        // of the extent, beside it
constexpr std::int64_t kFewSteps = 400; // beyond, a mark would need too many digits

/// With the decimals that tell one step from the next.
QString inUnit(std::int64_t ns, std::int64_t step, double unit, const char *name)
{
    int decimals = 0;
    for (double part = static_cast<double>(step) / unit; part < 0.999 && decimals < 9; part *= 10) ++decimals;
    const QString number = formats::number(static_cast<double>(ns < 0 ? -ns : ns) / unit, 'f', decimals);
    return (ns < 0 ? QStringLiteral("−") : QString()) + number + QChar(0x00A0) + QString::fromUtf8(name);
}

QString markText(std::int64_t ns, std::int64_t step)
{
    const auto in = [&](double unit, const char *name) { return inUnit(ns, step, unit, name); };
    if (ns == 0 && step < 100'000'000) return step >= 1'000'000 ? in(1e6, "ms") : in(1e3, "µs");
    if (step >= 100'000'000) return in(1e9, "s");
    if (step >= 100'000) return in(1e6, "ms");
    return in(1e3, "µs");
}

} // namespace

void TimelineAxis::setExtent(std::int64_t startNs, std::int64_t endNs)
{
    const bool all = seesAll();
    const double length = std::max(static_cast<double>(endNs - startNs), kNearest);
    m_start = static_cast<double>(startNs);
    m_end = m_start + length;
    if (all) fit();
    else clamp();
}

void TimelineAxis::setWidth(double px) { m_width = std::max(px, 1.0); }

bool TimelineAxis::seesAll() const { return m_from <= m_start && m_to >= m_end; }

void TimelineAxis::fit()
{
    const double margin = (m_end - m_start) * kMargin / 4;
    m_from = m_start - margin;
    m_to = m_end + margin;
}

void TimelineAxis::show(std::int64_t startNs, std::int64_t endNs)
{
    m_from = static_cast<double>(startNs);
    m_to = std::max(static_cast<double>(endNs), m_from + kNearest);
    clamp();
}

void TimelineAxis::zoom(double factor, double x)
{
    const double at = nsAt(x);
    const double length = std::max((m_to - m_from) / factor, kNearest);
    m_from = at - length * x / m_width;
    m_to = m_from + length;
    clamp();
}

void TimelineAxis::pan(double px)
{
    const double by = px * nsPerPx();
    m_from += by;
    m_to += by;
    clamp();
}

void TimelineAxis::reveal(std::int64_t startNs, std::int64_t endNs)
{
    const auto start = static_cast<double>(startNs), end = static_cast<double>(endNs);
    if (start >= m_from && end <= m_to) return;
    const double length = std::max(m_to - m_from, (end - start) * 1.2);
    m_from = (start + end) / 2 - length / 2;
    m_to = m_from + length;
    clamp();
}

void TimelineAxis::clamp()
{
    const double margin = (m_end - m_start) * kMargin / 4;
    const double low = m_start - margin, high = m_end + margin;
    const double length = std::min(m_to - m_from, high - low);
    m_from = std::clamp(m_from, low, high - length);
    m_to = m_from + length;
}

std::int64_t TimelineAxis::step(double apartPx) const
{
    return profiler::roundStepNs(static_cast<std::int64_t>(m_to - m_from), std::max(2, static_cast<int>(m_width / apartPx)));
}

std::int64_t TimelineAxis::baseNs(double apartPx) const
{
    const std::int64_t by = step(apartPx);
    const std::int64_t since = from() - m_origin, first = since < 0 ? 0 : since / by;
    return first > kFewSteps ? first * by : 0;
}

QString TimelineAxis::base(double apartPx) const
{
    const std::int64_t ns = baseNs(apartPx);
    return ns == 0 ? QString() : ns < 1'000'000'000 ? inUnit(ns, step(apartPx), 1e6, "ms") : inUnit(ns, step(apartPx), 1e9, "s");
}

std::vector<TimelineAxis::Mark> TimelineAxis::marks(double apartPx) const
{
    const std::int64_t by = step(apartPx), base = baseNs(apartPx);
    std::vector<Mark> marks;
    const auto origin = static_cast<double>(m_origin);
    const auto next = static_cast<std::int64_t>(std::ceil((m_from - origin) / static_cast<double>(by)));
    const std::int64_t first = (m_origin == 0 ? std::max<std::int64_t>(0, next) : next) * by; // nothing was before the session
    for (std::int64_t ns = first; static_cast<double>(ns) + origin <= m_to; ns += by)
        marks.push_back({xOf(static_cast<double>(ns) + origin), base == 0 ? markText(ns, by) : QLatin1Char('+') + markText(ns - base, by)});
    return marks;
}

} // namespace views
