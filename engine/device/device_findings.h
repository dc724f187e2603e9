// What kernels find wrong with values that only they read: the first of it lies in memory of the device until somebody waits.
#pragma once

#include <cstdint>

namespace engine {

/// The whole numbers of a finding, in their order.
enum class FindingWord : std::uint8_t {
    IsThere, ///< 0: nothing was found; whoever sets it (th_isFirst) writes the others
    Tag,     ///< of the work
    Kind,
    Value,
    Place, ///< the axis of an index, the row of a class
    Size,
    Count
};

/// Indices by what reads them, and classes of rows.
enum class Finding : std::uint8_t { Subtensor, SetSubtensor, IncSubtensor, Class };
/// What the sentence of an index begins with.
const char *nameOf(Finding index);

} // namespace engine
