// What a function that was compiled from a captured call takes and gives, and what is right.
#pragma once

#include "profiler/replay/turns.h"

#include <string>
#include <vector>

namespace profiler {

/// What the outputs should be: those of the original graph in higher precision, where there is one. Rewrites of canonicalize and stabilize
/// are trusted: without them the original overflows and cancels in float64 as well.
struct Reference {
    std::vector<engine::Value> values; ///< outputs, then updates
    std::string text;                  ///< how they were had, in words
};
Reference referenceOf(const LoadedCall &call);

/// The largest difference of any output.
ValueDifference worstOf(const std::vector<engine::Value> &values, const Reference &reference);

/// Most bytes that one call has allocated at once, what it returns included.
std::int64_t peakOfCall(const LoadedCall &call, engine::Function &function);

/// Applies, what they read, constants and which of them run as one: equal texts, equal graphs.
std::string structureOf(const engine::Function &function);

} // namespace profiler
