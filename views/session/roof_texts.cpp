#include "views/session/roof_texts.h"

#include "views/common/formats.h"
#include "views/common/numbers.h"
#include "views/common/text.h"

namespace views {
QString atMostText(const profiler::RooflinePoint &point)
{
    constexpr double kFar = 1000; // what takes so much longer than its work is bound by its beginning
    if (point.atMost >= kFar) return tr("more than 1 000 × from its roof");
    return point.atMost < 1.05 ? tr("at its roof")
                               : tr("at most %1 × faster").arg(formats::number(point.atMost, 'f', point.atMost < 10 ? 1 : 0));
}

QString rateText(const profiler::RooflinePoint &point)
{
    return tr("%1 at %2 flop a byte").arg(formats::flopRate(point.rate), formats::number(point.intensity, 'g', 3));
}

QString whyUnplaced(profiler::Unplaced why)
{
    using profiler::Unplaced;
    switch (why) {
    case Unplaced::NoArithmetic: return tr("does no arithmetic");
    case Unplaced::NotCounted: return tr("runs a graph within, or Python: its arithmetic is not counted");
    case Unplaced::NoSizes: return tr("its sizes are not known");
    case Unplaced::TooShort: return tr("takes under 1 µs a call: beginning it counts more than its work");
    case Unplaced::NoRoof: return tr("this session holds no measured roofs");
    case Unplaced::NoDeviceRoof: return tr("the roofs of its device were not measured");
    }
    return {};
}

} // namespace views
