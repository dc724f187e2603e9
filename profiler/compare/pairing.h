#pragma once
// Which function and which apply of one session is which of another: by name, and by what they stem from.

#include "profiler/stats/times/profile_data.h"

#include <string>
#include <vector>

namespace profiler {

// "GpuElemwise{exp}[(0, 0)]" and "Elemwise{exp,no_inplace}" do the same in another place: "Elemwise{exp}".
[[nodiscard]] std::string opWithoutPlace(std::string op);

// Indices into ProfileData::functions; -1 = only in the other session.
struct FunctionPair {
    int a = -1;
    int b = -1;
};

// By name, else by place; the k-th of a name with the k-th.
[[nodiscard]] std::vector<FunctionPair> pairFunctions(const ProfileData &a, const ProfileData &b);

// Indices into ProfileData::applies; -1 = only in the other session.
struct ApplyPair {
    int a = -1;
    int b = -1;
};

// The applies of two optimized graphs. First those that stem from the same original applies and do the
// same, then those that stem from the same and do it elsewhere or in place, then those of the same name, then
// those that have most of their origin in common.
[[nodiscard]] std::vector<ApplyPair> pairApplies(const ProfileData &a, GraphId graphA, const ProfileData &b, GraphId graphB);

} // namespace profiler
