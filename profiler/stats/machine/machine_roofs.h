#pragma once
// The measured ceilings of one device, and how long work takes at them at least.

#include "profiler/session/model/model.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace profiler {

struct MachineRoofs {
    double flops32 = 0, flops64 = 0; // a second, on one thread; 0: not measured
    double memory = 0, cache = 0;    // bytes a second
    double cacheBytes = 0;           // that the outermost cache holds; 0: not known
    double toDevice = 0, toHost = 0; // bytes a second of copies; of the host none
    double launchNs = 0, copyNs = 0; // what beginning a kernel, a copy takes at least, as the host waits for it
    [[nodiscard]] bool areMeasured() const { return bandwidth() > 0 && flops32 > 0; }

    [[nodiscard]] double peakOf(const std::string &dtype) const;
    [[nodiscard]] double bandwidth() const { return std::max(cache, memory); } // of the innermost memory that was measured
    // Nanoseconds. What exceeds the outermost cache has to come from memory; all else may lie in the innermost one.
    [[nodiscard]] double arithmeticNs(double flops, const std::string &dtype) const { return flops / peakOf(dtype) * 1e9; }
    [[nodiscard]] double movingNs(double bytes) const;
    // Between host and device; negative: not measured.
    [[nodiscard]] double copyingNs(double bytes, bool toIt) const;
};

// By device.
[[nodiscard]] std::map<std::string, MachineRoofs> roofsByDevice(const std::vector<Roof> &roofs);
[[nodiscard]] inline std::string deviceOf(const ApplyRow &row) { return row.device.empty() ? "cpu" : row.device; }
// That work together at most, by the settings of a session; 1 where it says nothing.
[[nodiscard]] int threadsOf(const std::vector<Flag> &flags, const std::vector<NameValue> &machine);
// Large enough that the engine's threads may share it.
[[nodiscard]] inline bool couldBeShared(double flops, double bytes) { return flops >= 1e5 || bytes >= 4e5; }

} // namespace profiler
