// Types, literals and cheap functions of one element in C: exactly what the interpreter's loops compute.
#pragma once

#include "engine/scalar/scalar_program.h"

#include <string>
#include <vector>

namespace engine {

const char *cType(RtKind kind);
/// Of memory that a kernel takes as it is.
const char *memoryType(DType dtype);
/// Patterns for filled(): $0, $1, $2 are arguments, @ is "f" for float; null: no cheap text.
const char *floatText(RtOp op);
const char *integerText(RtOp op);
const char *boolText(RtOp op);
/// Integer division and its rest by a number known here (neither 0 nor -1), which the compiler turns into multiplications;
/// `isShort`: argument and divisor are ints. Null: another function.
const char *divisionText(RtOp op, RtKind kind, bool isShort);
/// Calls of float32 functions that a kernel has in writing: dearer than a step, cheaper than a block's way to a primitive.
const char *writtenText(RtOp op);
/// These functions, exactly as the primitives compute them.
std::string writtenFunctions();
/// The C type to which a narrow integer is cut after each step; null: none.
const char *wrapType(DType dtype);
std::string filled(const char *pattern, const std::vector<std::string> &arguments, bool single);
/// Empty for complex numbers.
std::string literalText(const ScalarProgram::Literal &literal);

} // namespace engine
