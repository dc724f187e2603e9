#pragma once
// What a person could do to make the program faster. Each piece has its evidence.

#include "profiler/stats/profile_data.h"

#include <string>
#include <vector>

namespace profiler {

struct Advice {
    std::string id;   // "float32"
    std::string text; // one sentence
    std::string evidence;
    std::vector<ApplyKey> nodes;
};

// Theano's tips, in Theano's order; empty when there is nothing to say.
[[nodiscard]] std::vector<Advice> advise(const ProfileData &data);

} // namespace profiler
