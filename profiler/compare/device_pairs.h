#pragma once
// Where a call of a function spends its time in each of two sessions: by device, and by whose clock.

#include "profiler/stats/times/profile_data.h"

#include <string>
#include <vector>

namespace profiler {

enum class TimedBy : std::uint8_t { Host, Device };

struct DevicePair {
    std::string device;    // "cpu", "cuda0"; empty: no device, what a call does around its applies
    bool transfer = false; // copies between devices, which are told apart from the other ops
    TimedBy clock = TimedBy::Host;
    double a = -1; // ns per call; -1: that side has nothing of it
    double b = -1;
    [[nodiscard]] double deltaNs() const { return (b < 0 ? 0 : b) - (a < 0 ? 0 : a); }
};

// Of the function of that name; empty where one side has none, or it was never called. The host first.
[[nodiscard]] std::vector<DevicePair> devicePairs(const ProfileData &a, const ProfileData &b, const std::string &function);

} // namespace profiler
