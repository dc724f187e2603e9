#include "views/steps/step_bar_layout.h"

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr double kSmallest = 24;
constexpr double kGap = 2;
constexpr double kClosestTicks = 3;

} // namespace

QString phaseTitle(const QString &phase)
{
    if (phase == QStringLiteral("blas")) return QStringLiteral("BLAS");
    if (phase == QStringLiteral("final_merge")) return QStringLiteral("final merge");
    return phase == QStringLiteral("inplace") ? QStringLiteral("in-place") : phase;
}

StepBarGeometry layOutSteps(const std::vector<StepTick> &ticks, double width)
{
    StepBarGeometry bar;
    bar.width = width;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        if (bar.segments.empty() || bar.segments.back().phase != ticks[i].phase)
            bar.segments.push_back({ticks[i].phase, static_cast<int>(i) + 1});
        ++bar.segments.back().count;
    }
    if (bar.segments.empty()) return bar;
    const double count = static_cast<double>(bar.segments.size());
    const double room = std::max(0.0, width - kGap * (count - 1));
    const double smallest = std::min(kSmallest, room / count);
    // Segments that their share would make too narrow get the minimum; the others share what is left.
    std::vector<char> fixed(bar.segments.size(), 0);
    for (bool again = true; again;) {
        again = false;
        double free = room, steps = 0;
        for (std::size_t i = 0; i < fixed.size(); ++i) {
            free -= fixed[i] ? smallest : 0;
            steps += fixed[i] ? 0 : bar.segments[i].count;
        }
        for (std::size_t i = 0; i < fixed.size(); ++i) {
            if (fixed[i]) continue;
            bar.segments[i].width = free * bar.segments[i].count / steps;
            if (bar.segments[i].width < smallest) {
                fixed[i] = 1;
                again = true;
            }
        }
        for (std::size_t i = 0; i < fixed.size(); ++i)
            if (fixed[i]) bar.segments[i].width = smallest;
    }
    double left = 0;
    for (StepSegment &segment : bar.segments) {
        segment.left = left;
        left += segment.width + kGap;
    }
    return bar;
}

int StepBarGeometry::stepCount() const { return segments.empty() ? 0 : segments.back().firstStep + segments.back().count - 1; }

int StepBarGeometry::segmentOf(int step) const
{
    for (std::size_t i = 0; i < segments.size(); ++i)
        if (step >= segments[i].firstStep && step < segments[i].firstStep + segments[i].count) return static_cast<int>(i);
    return -1;
}

double StepBarGeometry::xOf(int step) const
{
    const int at = segmentOf(step);
    if (at < 0) return step <= 0 || segments.empty() ? 0 : width;
    const StepSegment &segment = segments[at];
    return segment.left + (step - segment.firstStep + 0.5) * segment.width / segment.count;
}

int StepBarGeometry::stepAt(double x) const
{
    for (const StepSegment &segment : segments) {
        if (x >= segment.left + segment.width + kGap / 2) continue;
        const double tick = segment.width / segment.count;
        // The first half of the first tick belongs to "as written".
        if (segment.firstStep == 1 && x < tick * 0.25) return 0;
        const int index = static_cast<int>(std::floor((x - segment.left) / tick));
        return segment.firstStep + std::clamp(index, 0, segment.count - 1);
    }
    return stepCount();
}

bool StepBarGeometry::isDense(int segment) const { return segments[segment].width / segments[segment].count < kClosestTicks; }

} // namespace views
