// Plain numbers of the expression notation: reading them, and Python's arithmetic on them.
#pragma once

#include "engine/graph/syntax/notation_call.h"
#include "engine/text/notation_lexer.h"

#include <string_view>

namespace engine {

/// An Integer or Real token as a value.
NotationValue readNotationNumber(const NotationToken &token);
/// What stands between the braces of TensorConstant{…}: a number, an array as NumPy prints it, "(3,) of 0.5".
NotationValue readNotationConstant(const NotationToken &token, DType floatX);
/// a op b as Python computes it; throws NotationError at the place for a division by zero or an overflow.
NotationValue notationArithmetic(std::string_view op, const NotationValue &a, const NotationValue &b, int line, int column);

} // namespace engine
