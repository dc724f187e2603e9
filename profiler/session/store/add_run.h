#pragma once
// Further runs of one script in one session: where arrays lie in memory and how busy the machine is differ from process to
// process, and a comparison has to know by how much.

#include <cstdint>
#include <string>

namespace profiler {

// Takes the calls and applies that were sampled in the steady state of `run`, a finished session of the same script, into
// the finished session `session`, on lanes of their own (kLanesPerRun). `number`: 2 for the second run. Functions that are
// not the same in both are left out. Returns the events taken over; throws SessionError.
std::int64_t addRun(const std::string &session, const std::string &run, int number);

// Takes the host's times of applies out of `run`, a finished session of the same script in which each launch waited for the device, as
// the blocking times of `session`. Functions that are not the same in both have none. Returns the functions that have; throws SessionError.
std::int64_t addBlockingTimes(const std::string &session, const std::string &run);

} // namespace profiler
