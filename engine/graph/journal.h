// The journal: every change of a FunctionGraph as a small reversible record, grouped into steps.
#pragma once

#include "engine/graph/big_memory.h"
#include "engine/graph/ids.h"
#include "engine/graph/short_list.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// One reversible change. Which fields count depends on the kind.
struct Edit {
    enum class Kind : std::uint8_t {
        AddVariable, ///< id: a new constant (inputs exist from the beginning)
        AddApply,    ///< id: with its outputs; inputs as in the arena
        SetInput,    ///< apply id, port: oldValue → newValue (variables)
        SetOutput,   ///< port of the graph: oldValue → newValue (variables)
        Rename,      ///< variable id: oldValue → newValue (name ids)
        Prune,       ///< apply id leaves the graph; its record stays as a tombstone
        PruneVariable, ///< a constant without readers leaves the graph
    };
    Kind kind;
    std::uint32_t id = 0;
    std::uint32_t port = 0;
    std::uint32_t oldValue = 0;
    std::uint32_t newValue = 0;
    std::uint32_t position = 0; ///< where the old use stood among the clients of oldValue
};

/// What became of an apply that a step removed.
enum class FateKind : std::uint8_t { Kept, Replaced, Merged, Fused, Moved, Constant, Dead };
const char *nameOf(FateKind kind);

struct Fate {
    ApplyId apply{};
    FateKind kind = FateKind::Kept;
    /// The variables that carry the value on (one per replaced output); empty when dead.
    ShortList<VarId, 2> to;
};

/// A variable and what the step put in its place: they evaluate to the same value.
struct Replacement {
    VarId before{};
    VarId after{};
};

/// The records of one firing of one rewrite. The texts live as long as the process.
struct Step {
    std::string_view phase;
    std::string_view pass;
    std::string_view rewrite;
    std::string_view reason;
    std::uint64_t nanoseconds = 0;
    std::size_t firstEdit = 0;
    std::size_t lastEdit = 0; ///< one past the end
    std::uint32_t appliesBefore = 0;
    std::uint32_t appliesAfter = 0;
    ShortList<ApplyId, 2> region;   ///< what the rewrite matched: its root and the producers it looked through
    ShortList<ApplyId, 2> produced; ///< applies made by the step that are in the graph after it
    ShortList<Replacement, 1> replacements;
    std::vector<Fate> fates; ///< of every apply that the step removed
};

/// One copy of each text, kept for the life of the process: names and reasons repeat in every step.
std::string_view internText(std::string_view text);

struct Journal {
    BigVector<Edit> edits;
    BigVector<Step> steps;
};

} // namespace engine
