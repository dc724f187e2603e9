#pragma once
// The applies of one session that holds two runs: in one the host went on after each launch, in the other each launch waited.

#include "profiler/stats/machine/costs.h"

#include <string>
#include <vector>

namespace profiler {

// Per call, over all calls, the first among them: sessions keep no single calls of the run that waited.
struct BlockingPair {
    ApplyKey apply;
    FunctionId function = kNoFunction;
    std::string name;
    std::int64_t calls = 0;
    double offNs = 0;
    double onNs = 0;
    double deviceNs = -1; // by the device's clock, in the run that went on; -1: nothing of it ran there
    [[nodiscard]] double deltaNs() const { return onNs - offNs; }
};

// What differs most first. None where all launches waited, or none did.
[[nodiscard]] std::vector<BlockingPair> blockingPairs(const std::vector<FunctionInfo> &functions, const Costs &costs);

} // namespace profiler
