// Types, literals and cheap functions of one element in C: exactly what the interpreter's loops compute.
#pragma once

#include "engine/scalar/scalar_program.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

const char *cType(RtKind kind);
/// Of a value in a loop. A truth value is as wide there as most of what it chooses between: the compiler makes masks of vectors of it,
/// where bytes among wider elements keep a loop from becoming vectors at all.
const char *valueType(RtKind kind);
/// Of memory that a kernel takes as it is.
const char *memoryType(DType dtype);
/// The value of an op as its row in rt/functions writes it, a pattern for filled(): what loops write out; null: none.
const char *cheapText(RtOp op, RtKind kind);
/// What is a call on the host, and written out in kernels for devices. Null: none.
const char *expensiveText(RtOp op, RtKind kind);
/// Integer division and its rest by a number known here (neither 0 nor -1), which the compiler turns into multiplications;
/// `isShort`: argument and divisor are ints. Null: another function.
const char *divisionText(RtOp op, RtKind kind, bool isShort);
/// Calls of float32 functions that a kernel has in writing: dearer than a step, cheaper than a block's way to a primitive.
const char *writtenText(RtOp op);
/// These functions, exactly as the primitives compute them.
std::string writtenFunctions();
/// The C type to which a narrow integer is cut after each step; null: none.
const char *wrapType(DType dtype);
/// The pattern with its arguments (x, y, z) for a computation in `kind`; th_NAME becomes `math`(NAME, is it float).
std::string filled(std::string_view pattern, std::span<const std::string> arguments, RtKind kind,
                   std::string (*math)(std::string_view name, bool single), const char *bitsType = "unsigned long long");
/// An accumulator and an element combined, exactly as the folds of rt/ do.
std::string combinedText(RtReduce reduce, RtKind kind, const std::string &target, const std::string &element,
                         const char *bitsType = "unsigned long long");
/// Functions that the compiler knows by itself.
std::string builtinName(std::string_view name, bool single);
/// Empty for complex numbers.
std::string literalText(const ScalarProgram::Literal &literal);

} // namespace engine
