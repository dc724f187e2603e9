// What a function that was compiled from a captured call takes and gives, and what is right.
#pragma once

#include "engine/graph/op/precise_form.h"
#include "profiler/replay/turns.h"

#include <string>
#include <vector>

namespace profiler {

/// What the outputs should be: those of the graph as it was written, in more digits (engine/values). An output that has an op without such
/// a form behind it, or overflows even so, is that of a run in float64.
struct Reference {
    std::vector<engine::PreciseRef> precise; ///< outputs, then updates; null: `values` says it
    std::vector<engine::Value> values;
    std::string text;               ///< how they were had, in words
    std::vector<std::string> notes; ///< what has no more digits, and why
};
Reference referenceOf(const LoadedCall &call);

/// The largest difference of any output.
ValueDifference worstOf(const std::vector<engine::Value> &values, const Reference &reference);

/// Most bytes that one call has allocated at once, what it returns included.
std::int64_t peakOfCall(const LoadedCall &call, engine::Function &function);

/// Applies, what they read, constants and which of them run as one: equal texts, equal graphs.
std::string structureOf(const engine::Function &function);

} // namespace profiler
