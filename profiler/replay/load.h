// What else the machine did while calls were timed: on a busy one, times say little, whatever the statistics say.
#pragma once

#include <string>

namespace profiler {

struct Load {
    double seconds = 0;    ///< that were timed
    double waited = 0;     ///< seconds in which our threads were ready to run and had no processor
    double stolen = 0;     ///< seconds of processors that the host of a virtual machine gave to others
    double others = 0;     ///< seconds of processors that other processes had
    double processors = 1; ///< of the machine

    void add(const Load &more);
};

bool isBusy(const Load &load);
/// "the machine was busy: calls waited 38% of the time for a processor"; empty where it was not.
std::string busyText(const Load &load);

/// From when it is made on. What the system does not tell counts as nothing.
class LoadMeter {
public:
    LoadMeter() : m_start(now()) {}
    Load load() const;

private:
    static Load now();
    Load m_start;
};

} // namespace profiler
