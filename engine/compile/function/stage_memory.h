// What the last call of a function of several stages took of memory, as one picture for those who look in from outside.
#pragma once

#include "engine/compile/function/plan_cache.h"

#include <utility>
#include <vector>

namespace engine {

/// What the memory view has to know of a value that no plan laid out.
struct FoundArray {
    DType dtype = DType::Float64;
    Dims shape, strides;
    ValueId sharesWith = kNoValue; ///< the value whose memory it is or looks into
};

/// Kept where applies are counted.
class StageMemory {
public:
    /// A call begins.
    void begin(const StepValues &values);
    void found(ValueId value, const Tensor &made, ValueId sharesWith);
    /// Counts which plans have run together, from 1: the number of the combination of the call that ends.
    std::uint32_t combinationOf(const CompiledGraph &compiled, const PlanCache &plans);
    /// All arrays of the last call; empty before the first.
    std::vector<BufferInfo> buffers(const CompiledGraph &compiled, const PlanCache &plans) const;

private:
    Indexed<ValueId, FoundArray> m_found;
    std::vector<std::pair<std::vector<std::int64_t>, std::uint32_t>> m_combinations; // most recent first
    std::uint32_t m_combinationsMade = 0;
};

} // namespace engine
