// How a function runs: in stages. A stage runs by a plan, which needs every size before it begins. Where a size is known
// only after an apply ran, or where something is no array, an apply runs by itself and the next stage begins.
#pragma once

#include "engine/graph/ir/function_graph.h"
#include "engine/runtime/plan/branches.h"
#include "engine/runtime/plan/order.h"
#include "engine/runtime/sizes/shape_program.h"

#include <vector>

namespace engine {

enum class StageId : std::int32_t {};
inline constexpr StageId kNoStage{-1};

/// A stretch of the order whose sizes all follow from what is there when it begins.
struct Stage {
    std::size_t first = 0; ///< position of its first apply in the order of the function
    std::vector<ApplyId> order;
    std::vector<OrderedGroup> groups; ///< positions in the stage
    std::vector<VarId> inputs;        ///< arrays that are there when it begins
    std::vector<VarId> outputs;       ///< arrays that somebody needs after it
    BranchList branches;              ///< of choices; none if all of it always runs
    std::vector<BranchId> branchOf;   ///< by position; none likewise
    ShapeProgram shapes;
    BranchId branchAt(std::size_t position) const { return branchOf.empty() ? kAlways : branchOf[position]; }
};

struct StagedOrder {
    /// A stage, or an apply that runs by itself, on values.
    struct Step {
        StageId stage = kNoStage;
        ApplyId apply = kNoApply;
        std::size_t first = 0;     ///< position in the order of the function
        BranchId branch = kAlways; ///< that an apply which runs by itself is part of
    };
    Indexed<StageId, Stage> stages;
    std::vector<Step> steps;
    BranchList branches;
    /// One stage that takes the inputs of the graph and gives its outputs, in their order.
    bool isWhole = false;
};

/// As few stages as the graph allows: an apply runs in the first stage in which it can. In each stage, and among applies that
/// run by themselves, whoever reads an array comes before whoever overwrites it.
StagedOrder inStages(const FunctionGraph &graph);

} // namespace engine
