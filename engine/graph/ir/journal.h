// The journal: every change of a FunctionGraph as a small reversible record, grouped into steps.
#pragma once

#include "engine/graph/ir/ids.h"
#include "engine/tensor/big_memory.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace engine {

/// One reversible change. Which fields count depends on the kind.
struct Edit {
    enum class Kind : std::uint8_t {
        AddVariable,   ///< id: a new constant (inputs exist from the beginning)
        AddApply,      ///< id: with its outputs, which have no names yet; see Journal::bornInputs()
        SetInput,      ///< apply id, port: oldValue → newValue (variables)
        SetOutput,     ///< port of the graph: oldValue → newValue (variables)
        Rename,        ///< variable id: oldValue → newValue (name ids)
        Prune,         ///< apply id leaves the graph; its record stays as a tombstone
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

/// Neighbours in one of the journal's lists.
struct Range {
    std::uint32_t first = 0, count = 0;
};

struct Fate {
    ApplyId apply{};
    FateKind kind = FateKind::Kept;
    Range to; ///< see Journal::heirs
};

/// A variable and what the step put in its place: they evaluate to the same value.
struct Replacement {
    VarId before{};
    VarId after{};
};

/// The records of one firing of one rewrite; its lists lie in the journal. The texts live as long as the process.
struct Step {
    std::string_view phase;
    std::string_view pass;
    std::string_view rewrite;
    std::string_view reason;
    std::uint64_t nanoseconds = 0;
    std::uint32_t firstEdit = 0;
    std::uint32_t lastEdit = 0; ///< one past the end
    std::uint32_t appliesBefore = 0;
    std::uint32_t appliesAfter = 0;
    Range region, produced, replacements, fates; ///< see the functions of Journal
};

/// One copy of each text, kept for the life of the process: names and reasons repeat in every step.
std::string_view internText(std::string_view text);

/// Flat lists that only grow: a step costs no memory of its own.
struct Journal {
    BigVector<Edit> edits;
    BigVector<Step> steps;

    /// What the apply of an AddApply read when it was made; the arena shows what it reads now.
    std::span<const VarId> bornInputs(const Edit &edit) const { return part(m_bornInputs, {edit.newValue, edit.port}); }
    /// What the rewrite matched: its root and the producers it looked through.
    std::span<const ApplyId> region(const Step &step) const { return part(m_applies, step.region); }
    /// Applies made by the step that are in the graph after it.
    std::span<const ApplyId> produced(const Step &step) const { return part(m_applies, step.produced); }
    std::span<const Replacement> replacements(const Step &step) const { return part(m_replacements, step.replacements); }
    /// Of every apply that the step removed.
    std::span<const Fate> fates(const Step &step) const { return part(m_fates, step.fates); }
    /// The variables that carry the value on (one per replaced output); none when dead.
    std::span<const VarId> heirs(const Fate &fate) const { return part(m_heirs, fate.to); }

private:
    friend class Editor;
    template <class T>
    static std::span<const T> part(const BigVector<T> &list, Range range)
    {
        return {list.data() + range.first, range.count};
    }
    BigVector<VarId> m_bornInputs;
    BigVector<ApplyId> m_applies;
    BigVector<Replacement> m_replacements;
    BigVector<Fate> m_fates;
    BigVector<VarId> m_heirs;
};

} // namespace engine
