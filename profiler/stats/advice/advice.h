#pragma once
// What a person could do to make the program faster: Theano's tips, and Croton's own. Each speaks only with evidence.

#include "profiler/stats/times/profile_data.h"

#include <string>
#include <vector>

namespace profiler {

struct Advice {
    std::string id;   // "float32"
    std::string text; // one sentence without its full stop
    std::string evidence;
    std::vector<ApplyKey> nodes;
    SourceLine place;                   // the line to look at first; no line: none in particular
    double gain = 0;                    // the most that following it can save, by the numbers of this session, 0..1; 0 = not known
    std::string of;                     // what it is a share of: "the time in ops", "the memory peak"
    std::string setting = {};           // the Theano flag that follows it: "floatX=float32"; empty: the script has to change
    std::vector<SourceLine> lines = {}; // all that it is about, `place` among them
    double savesNs = 0;                 // what the gain is in time, for the order
};

// What can save most time first, ties in Theano's order; empty when there is nothing to say.
[[nodiscard]] std::vector<Advice> advise(const ProfileData &data);

// "at most 34% of the time in ops", or nothing.
[[nodiscard]] std::string gainText(const Advice &advice);

// The parts, for tests.
[[nodiscard]] std::vector<Advice> theanoTips(const ProfileData &data);
[[nodiscard]] std::vector<Advice> graphAdvice(const ProfileData &data);  // of what is in the optimized graphs
[[nodiscard]] std::vector<Advice> dtypeAdvice(const ProfileData &data);  // of float64 where it is not wanted
[[nodiscard]] std::vector<Advice> loopAdvice(const ProfileData &data);   // of scans that need not be
[[nodiscard]] std::vector<Advice> hostAdvice(const ProfileData &data);   // of what the script does around its functions
[[nodiscard]] std::vector<Advice> runAdvice(const ProfileData &data);    // of calls
[[nodiscard]] std::vector<Advice> deviceAdvice(const ProfileData &data); // of work on devices, and copies to and from them
[[nodiscard]] std::vector<Advice> memoryAdvice(const ProfileData &data); // of plans
[[nodiscard]] std::vector<Advice> compileAdvice(const ProfileData &data);

} // namespace profiler
