// What stands around the text of a kernel's body: its parameters in the words of a dialect, and the functions that it calls.
#pragma once

#include "engine/codegen/dialect.h"

#include <span>
#include <string>
#include <string_view>

namespace engine {

/// A parameter of a kernel: an array, or (without a type) a whole number.
struct KernelParameter {
    std::string name;
    std::string type; ///< of the elements; with const where they are only read
};

/// The kernel croton_kernel_0(parameters, n), which does `body` for every i below n, and what stands before it. `first`: declarations.
std::string kernelUnit(Dialect dialect, std::span<const KernelParameter> parameters, const std::string &body,
                       const std::string &first = {});

/// th_NAME, or th_NAMEf.
std::string libraryName(std::string_view name, bool single);
/// The functions that a text calls by such names, and what those call, before it.
std::string libraryOf(Dialect dialect, std::string_view text);

} // namespace engine
