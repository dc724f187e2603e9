#pragma once
// What the memory of a plan could be: predictions, each with the flags that make it so.

#include "profiler/memory/planned_task.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace profiler {

enum class MemoryChoice : std::uint8_t { AsItIs, NoInplace, NoViews, NoGc, LeastOrder, Float32, Least };

// An apply that is done again in place of keeping what it made.
struct RepeatedApply {
    ApplyKey apply;
    VariableId variable = kNoVariable; // that is made again
    std::int64_t bytes = 0;            // of it
    double ns = 0;                     // by the cost model
};

struct MemoryAlternative {
    MemoryChoice choice = MemoryChoice::AsItIs;
    std::string name;
    std::string flags;                  // that make it so; empty: none does, or as it is
    std::string whyNoFlag;              // where one might
    std::int64_t bytes = 0;             // most that a call takes, as the allocator counts
    std::int64_t betweenCalls = 0;      // of these, kept until the next call
    std::vector<std::int64_t> live;     // by position of its own order: bytes of arrays
    std::vector<RepeatedApply> repeats; // in the order in which they were chosen
    double repeatNs = 0;
    bool isReordered = false;
    bool isExact = false; // of an order: no other holds less
};

// What is counted beside the arrays: the same in all alternatives, but for what working in place needs.
struct BesideArrays {
    std::int64_t workBytes = 0;
    std::int64_t arenaBytes = -1;                 // as it was laid out when it ran; -1: not known
    std::int64_t inplaceWorkBytes = 0;            // of workBytes
    std::map<ApplyKey, std::int64_t> heldByApply; // what one that is done again holds once more
};

// As it is first. `types`: the dtype of variables, where float32 would halve what is kept.
[[nodiscard]] std::vector<MemoryAlternative> memoryAlternatives(const PlanFacts &facts, const std::map<VariableId, std::string> &types,
                                                                const BesideArrays &beside);

// The first plan that takes no more: as it is, reordered, with repeats. Where none does, the least that was found.
[[nodiscard]] MemoryAlternative planForBudget(const PlanFacts &facts, std::int64_t budget, const BesideArrays &beside);

} // namespace profiler
