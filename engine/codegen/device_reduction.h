// Elements that a scalar program makes, combined as a kernel for a device: each item takes some of the elements of one result.
#pragma once

#include "engine/codegen/device_elementwise.h"

namespace engine {

struct DeviceReduction {
    RtReduce reduce = RT_SUM;
    DType accumulator = DType::Float64; ///< in whose register elements are combined
    const void *identity = nullptr;     ///< such a register, which changes nothing
    DType result = DType::Float64;
    std::vector<DType> inputs;
    std::vector<DeviceAccess> access;            ///< of the inputs: Single or Strided
    std::size_t resultAxes = 0, elementAxes = 0; ///< of the nest: those that are kept, then those that vanish
    /// Neighbouring items take elements of neighbouring results, or of the same one: what lies closer together.
    bool isAcross = false;
};

/// Every result is combined in parts; with more than one of them what is written is the parts. Its parameters: the inputs; the output,
/// without gaps, parts of a result side by side or, where items go across, results of a part; where an operand is strided the sizes of
/// the kept axes but the first, those of the others but the first, then for each such operand the elements from one place to the next
/// along each axis; how many elements a result has; how many parts; at last results times parts.
KernelSource deviceReduction(const ScalarProgram &program, const DeviceReduction &reduction, Dialect dialect, std::string name);

} // namespace engine
