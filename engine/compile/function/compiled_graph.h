// The result of compiling a request. Calls read it. A call may change the order, under a memory budget.
#pragma once

#include "engine/compile/function/function.h"
#include "engine/compile/request/observer.h"
#include "engine/runtime/plan/plan.h"
#include "engine/runtime/plan/stages.h"
#include "engine/runtime/sizes/size_checks.h"

#include <unordered_map>
#include <utility>
#include <vector>

namespace engine {

/// A value that goes from step to step: those of the inputs of the graph first.
enum class ValueId : std::int32_t {};
inline constexpr ValueId kNoValue{-1};
using StepValues = Indexed<ValueId, Value>;

/// One step of a function of several stages: a stage, or an apply that runs by itself.
struct FunctionStep {
    StageId stage = kNoStage;
    ApplyId apply = kNoApply;
    std::size_t first = 0;                     ///< position in the order
    BranchId branch = kAlways;                 ///< that the apply is part of
    std::vector<ValueId> reads;                ///< by input of the stage or the apply; none: a constant
    std::vector<ValueId> makes;                ///< by output
    std::vector<ValueId> drops;                ///< not needed by later steps
    std::vector<Type> inputTypes, outputTypes; ///< of an apply that runs by itself
    std::uint64_t deviceTag = 0;               ///< names what it has devices do
};

/// The steps of a function of several stages, and the values between them.
struct FunctionSteps {
    std::vector<FunctionStep> all;
    Indexed<ValueId, VarId> vars;
    std::unordered_map<std::uint32_t, ValueId> valueOfVar;

    ValueId valueOf(VarId var) const { return valueOfVar.at(raw(var)); }
};

/// The inputs of the graph after the explicit ones.
struct SharedInputs {
    std::vector<std::shared_ptr<Container>> containers;
    std::vector<VarRef> variables;
};

/// Output i + outputs of the request goes into containers[i].
struct UpdateTargets {
    std::vector<std::shared_ptr<Container>> containers;
    std::vector<int> inputs; ///< the input of the graph that reads the container; -1: none does
};

/// Inputs of the graph that applies overwrite.
struct DestroyedInputs {
    std::vector<std::size_t> inputs;
    bool hasTwins = false; ///< two shared inputs with one container
};

struct CompiledGraph {
    std::uint32_t id = 0;
    FunctionSpec spec;
    std::unique_ptr<FunctionGraph> graph;
    RewriteReport rewrites;
    CompileTimes times;
    std::vector<std::string> warnings;
    std::vector<ApplyId> order;
    BranchList branches; ///< of choices: which applies run
    FunctionSteps steps; ///< none where the graph is whole
    SharedInputs shared;
    UpdateTargets updates;
    DestroyedInputs destroyed;
    std::unique_ptr<SizeChecks> sizeChecks; ///< null: nothing was taken away that could not fit
    std::vector<std::pair<ApplyId, std::shared_ptr<Function>>> nested;
    NestedCall callNested;
    bool onlyTensors = true; ///< of the host
    bool onlyArrays = true;  ///< of the host or of devices
    bool isWhole = false;    ///< one stage, from the inputs of the graph to its outputs: runs without steps

    void build();
    void rewrite(CompileObserver *observer);
    void link(StagedOrder &staged);
    /// Another order of the same applies, and repeats of some of them.
    void reorder(const Stage &whole, BranchList nowBranches);
    /// Traced at its first use, by errors and recordings. It stays valid as long as this graph, also after another order.
    const Lineage &lineage() const;
    bool compilesKernels() const;

private:
    void noteUpdates();
    void warnOfKernels();
    void compileNested();
    void linkSteps(const StagedOrder &staged);
    void findDestroyed();

    // Guarded by one mutex for all functions.
    mutable std::vector<std::unique_ptr<const Lineage>> m_lineages; // the last one is of the order that was last asked for
    mutable bool m_isTraced = false;
};

} // namespace engine
