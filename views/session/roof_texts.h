#pragma once

#include "profiler/stats/machine/roofline.h"

#include <QString>

namespace views {

/// "at most 1.3 × faster", or that it is at its roof.
QString atMostText(const profiler::RooflinePoint &point);
/// "1.2 Gflop/s at 0.5 flop a byte".
QString rateText(const profiler::RooflinePoint &point);
/// Why an apply has no place under the roofs.
QString whyUnplaced(profiler::Unplaced why);

} // namespace views
