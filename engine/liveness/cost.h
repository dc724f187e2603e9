// What it costs to do an apply once more, by its flops and the bytes that it moves.
#pragma once

#include <algorithm>

namespace liveness {

/// In ns, for a core of no particular machine: to weigh one against another. Negative: not known.
inline double repeatCost(double flops, double bytes)
{
    constexpr double kStart = 500, kFlopsPerNs = 8, kBytesPerNs = 8;
    return kStart + std::max(flops, 0.0) / kFlopsPerNs + std::max(bytes, 0.0) / kBytesPerNs;
}

} // namespace liveness
