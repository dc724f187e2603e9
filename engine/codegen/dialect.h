// What tells C, CUDA C and OpenCL C apart in the text of a kernel for a device. All else is written in what they share, with i64 and u64
// for whole numbers of 64 bits and th_NAME (th_NAMEf for floats) for functions.
#pragma once

#include "engine/codegen/ir/kernel.h"
#include "engine/device/device.h"

#include <span>
#include <string>
#include <string_view>

namespace engine {

/// A parameter of a kernel: an array, or (without a type) a whole number.
struct KernelParameter {
    std::string name;
    std::string type; ///< of the elements; with const where they are only read
};

/// OpenCL C of either kind.
inline bool isOpenCl(Dialect dialect) { return dialect == Dialect::OpenClC || dialect == Dialect::OpenClStrips; }
/// The line before a loop of that kind; none: empty.
std::string loopWords(Dialect dialect, ir::LoopKind kind);

/// The kernel croton_kernel_0(parameters, n), which does `body` for every i below n, and what stands before it.
std::string kernelUnit(Dialect dialect, std::span<const KernelParameter> parameters, const std::string &body);

/// th_NAME, or th_NAMEf.
std::string libraryName(std::string_view name, bool single);
/// The functions that a text calls by such names, and what those call, before it.
std::string libraryOf(Dialect dialect, std::string_view text);

} // namespace engine
