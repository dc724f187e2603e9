#pragma once
// How long a call takes, how long it would take at least at what the machine can do, and where the difference lies.

#include "profiler/stats/machine/machine_roofs.h"
#include "profiler/stats/machine/roofline.h"

#include <string>
#include <vector>

namespace profiler {

// What the least time of an apply comes from. Unknown: there is no bound, and its time counts as it is.
enum class Bound : std::uint8_t { Arithmetic, Bytes, Beginning, Unknown };

// Times are those of a call of the function, in the steady state where there was one.
struct ApplyRoof {
    RooflinePoint what;
    double nowNs = 0;
    double leastNs = 0;
    Bound bound = Bound::Unknown;
    Unplaced why = Unplaced::NotCounted; // of Unknown
    bool isTransfer = false, isToDevice = false;
    double copiedBytes = 0; // of a transfer
    [[nodiscard]] double gainNs() const { return nowNs - leastNs; }
    [[nodiscard]] double atMost() const { return leastNs > 0 ? nowNs / leastNs : 1; }
};

struct Headroom {
    FunctionId function = kNoFunction;
    std::int64_t calls = 0;
    double nowNs = 0;                            // a call: the applies, and what is around them
    double aroundNs = 0;                         // the call itself, the order of applies, Python: stays as it is
    double leastNs = 0;                          // a call at the roofs
    double unknownNs = 0;                        // part of both: applies without a bound
    std::string unknownOps;                      // what takes most of that: "Python op SlowClip"
    int threads = 1;                             // of the run
    std::vector<ApplyRoof> applies;              // by what the roof would save
    std::vector<std::string> unmeasured;         // devices that worked and whose roofs are not known
    std::map<std::string, MachineRoofs> devices; // whose roofs are known
    int arraysIn = 0, arraysOut = 0;             // that a call is given and gives: were it on another device, they would be copied
    double bytesIn = 0, bytesOut = 0;
    [[nodiscard]] double atMost() const { return leastNs > 0 ? nowNs / leastNs : 1; }
    [[nodiscard]] bool isBounded() const; // there is a roof for one of the applies at least
    // How fast it could be is then no answer: most of a call has no bound.
    [[nodiscard]] bool isMostlyUnknown() const { return 2 * unknownNs > nowNs; }
};

[[nodiscard]] Headroom makeHeadroom(const ProfileData &data, FunctionId function);

// An apply nearer to its roof: all the way, or a share of what the roof would save.
struct Reached {
    Reached(const ApplyKey &which, double howFar = 1) : apply(which), share(howFar) {}
    ApplyKey apply;
    double share = 1; // 0 … 1
};

// A call, were it otherwise.
struct WhatIf {
    std::vector<Reached> atRoof; // as fast as the machine lets them be
    std::vector<ApplyKey> gone;  // taking no time: a transfer that is not needed, a result that is kept
    int threads = 0;             // at best: what may be shared is shared evenly; 0: as it is
    std::string device;          // at its roofs, what has some; one of Headroom::devices. Empty: where it is
};

[[nodiscard]] double callNsIf(const Headroom &headroom, const WhatIf &change);

// What such a prediction is. What is shared evenly and at its roof takes no less; what is shared among fewer takes no more, for what was
// shared badly loses less by it; with some of each it may take either.
enum class Sureness : std::uint8_t { AtBest, AtWorst, About };
[[nodiscard]] Sureness surenessOf(const Headroom &headroom, const WhatIf &change);

} // namespace profiler
