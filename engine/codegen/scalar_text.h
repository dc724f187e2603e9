// Types, literals and cheap functions of one element in C: exactly what the interpreter's loops compute.
#pragma once

#include "engine/runtime/scalar_program.h"

#include <string>
#include <vector>

namespace engine {

const char *cType(RtKind kind);
/// Patterns for filled(): $0, $1, $2 are arguments, @ is "f" for float; null: no cheap text.
const char *floatText(RtOp op);
const char *integerText(RtOp op);
const char *boolText(RtOp op);
/// The C type to which a narrow integer is cut after each step; null: none.
const char *wrapType(DType dtype);
std::string filled(const char *pattern, const std::vector<std::string> &arguments, bool single);
/// Empty for complex numbers.
std::string literalText(const ScalarProgram::Literal &literal);

} // namespace engine
