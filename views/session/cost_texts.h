#pragma once

#include "profiler/stats/machine/costs.h"

#include <QString>

namespace views {

/// How good the times of a row are: count, clock, spread. The tool tip of its numbers wherever they stand.
QString qualityText(const profiler::TableRow &row);
/// The name of a device, marked where it is one of those that are `simulated`: its times say nothing of a card.
QString deviceText(const std::string &device, const std::string &simulated);
/// Nanoseconds, as profiler/stats counts, in seconds, as formats write.
double seconds(double ns);
double seconds(std::int64_t ns);

} // namespace views
