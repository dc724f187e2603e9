// Elements that a scalar program makes, combined as a kernel for a device: each item takes some of the elements of one result.
#pragma once

#include "engine/codegen/device_elementwise.h"

#include <cstdint>

namespace engine {

struct DeviceReduction {
    RtReduce reduce = RT_SUM;
    DType accumulator = DType::Float64; ///< in whose register elements are combined
    const void *identity = nullptr;     ///< such a register, which changes nothing
    DType result = DType::Float64;
    std::vector<DType> inputs;
    std::vector<DeviceAccess> access;            ///< of the inputs: Single, Number or Strided
    std::size_t resultAxes = 0, elementAxes = 0; ///< of the nest: those that are kept, then those that vanish
    /// Neighbouring items take elements of neighbouring results, or of the same one: what lies closer together.
    bool isAcross = false;
    bool isSmall = false; ///< do the numbers of all elements fit 32 bits?
};

/// Elements that an item holds side by side, where it takes strips: of one result, in registers, or of as many results.
inline constexpr std::int64_t kLanes = 32, kLanesAcross = 1024;
/// Does an item take a strip: elements of one result side by side, or across that many results? There are then two more numbers before the
/// last: how long the last kept axis is, and how many results there are. The last is parts times strips of results.
bool takesStrips(const DeviceReduction &reduction, KernelTarget target);

/// Every result is combined in parts; with more than one of them what is written is the parts. Its parameters: the inputs that are arrays;
/// the output, without gaps, parts of a result side by side or, where items go across, results of a part; the bits of each number; where an
/// operand is strided the sizes of the kept axes but the first, those of the others but the first, then for each such operand the elements
/// from one place to the next along each axis; how many elements a result has; how many parts; at last results times parts.
ir::Kernel deviceReduction(const ScalarProgram &program, const DeviceReduction &reduction, KernelTarget target, std::string name);

} // namespace engine
