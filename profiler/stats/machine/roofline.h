#pragma once
// How near applies come to what the machine can do: arithmetic for each byte against arithmetic a second, under measured roofs.

#include "profiler/stats/times/profile_data.h"

#include <string>
#include <vector>

namespace profiler {

// Why an apply has no place under the roofs.
enum class Unplaced : std::uint8_t { NoArithmetic, NotCounted, NoSizes, TooShort, NoRoof, NoDeviceRoof };

struct RooflinePoint {
    ApplyKey apply;
    FunctionId function = kNoFunction;
    std::string name;
    std::string label; // with its inputs
    std::string runs;  // what took most of its time: "interpreter", "compiled", "library"
    std::string dtype;
    std::string device;
    std::int64_t calls = 0;
    std::int64_t ns = 0;
    double share = 0;     // of the time of all points and of those that are unplaced
    double nsPerCall = 0; // by the clock of its device, where that was read
    bool isDeviceClock = false;
    double flops = 0;     // a call, as the op states
    double bytes = 0;     // a call: of its inputs and outputs
    double ownBytes = 0;  // without the operands that an earlier apply of the same kernel moved already
    double newBytes = 0;  // of the outputs that lie in memory of their own
    int threads = 1;      // that may have shared the work: the roofs are those of one
    double intensity = 0; // flops / bytes
    double rate = 0;      // flops a second
    double roof = 0;      // flops a second at this intensity, from the innermost measured memory
    double atMost = 1;    // times faster, were it at its roof
    bool byBytes = false; // the roof is that of the bandwidth
};

struct UnplacedApply {
    RooflinePoint what;
    Unplaced why = Unplaced::NoArithmetic;
};

// The measured roofs of a device, as a picture draws them.
struct DrawnRoof {
    std::string device;
    std::string dtype;            // that the arithmetic is of: float64 where all that is placed there is
    double flops = 0;             // a second
    double memory = 0, cache = 0; // bytes a second; 0: not measured
};

struct Roofline {
    std::vector<RooflinePoint> points; // by time
    std::vector<UnplacedApply> unplaced;
    std::vector<DrawnRoof> roofs;                   // of the devices of the points, of all that worked where there is no point
    double lowIntensity = 0.1, highIntensity = 100; // what a picture holds, whole decades
    double lowRate = 1e8, highRate = 1e12;
};

// Of the applies of one function, or of all that were called, each under the roofs of its device.
[[nodiscard]] Roofline makeRoofline(const ProfileData &data, FunctionId function = kNoFunction);

} // namespace profiler
