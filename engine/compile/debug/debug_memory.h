// What an op may find where its results go.
#pragma once

#include "engine/compile/request/mode.h"
#include "engine/tensor/value.h"

#include <span>
#include <string>
#include <vector>

namespace engine {

struct FoundOutputs {
    std::string text; ///< "f_contiguous", "strided by -2"
    std::vector<Value> values;
};

/// Memory for results like these, in all the ways that `kinds` ask for. `left`: what the call before left there.
/// `isPlanned`: only what a plan hands out, dense and of the right size.
std::vector<FoundOutputs> foundOutputs(std::span<const OutputMemory> kinds, std::span<const Value> results, std::span<const Value> left,
                                       int mostRank, bool isPlanned);

} // namespace engine
