#pragma once
// What became of a function's optimized graph from one session to another, in words.

#include "profiler/stats/times/profile_data.h"

#include <string>
#include <vector>

namespace profiler {

enum class ChangeKind : std::uint8_t { NoLongerInPlace, InPlace, Device, Became, New, Gone, Setting, Script };

struct GraphChange {
    ChangeKind kind = ChangeKind::Became;
    std::string op;                         // what it is about, without its place: "CGemv"
    std::string now;                        // what it is now: another op, a device, a value of a setting
    std::string before;                     // what it was
    int count = 1;                          // applies of which the same is true
    SourceLine source;                      // of the first of them
    SourceLine reader;                      // NoLongerInPlace: the new reader of what was overwritten; none: not known
    bool returned = false;                  // NoLongerInPlace: it is also an output now
    [[nodiscard]] std::string text() const; // "CGemv is no longer in place: the reader at model.py:31 is new"
};

// Of two functions that were paired; those that say most come first.
[[nodiscard]] std::vector<GraphChange> graphChanges(const ProfileData &a, GraphId graphA, const ProfileData &b, GraphId graphB);

} // namespace profiler
