// The expression notation: x: fmatrix; y = log(1 + exp(x)); sum(y, axis=0)
//
// Statements end with ';' or a new line (not inside brackets); '#' starts a comment.
//   x, y: fmatrix      declares inputs. Types: Theano's words with any prefix (fmatrix, dvector, lscalar, frow …), the
//                      words alone for floatX, or dtype and sizes: float32[3,?], bool[?], int64[].
//   y = expression     defines a name; the variable gets that name.
//   expression, …      each one is an output. Without any, the last definition is the output.
// A name that was never declared is an input of type floatX matrix.
// Operators and their precedence are Python's: ** unary-  * / // % @  + -  &  ^  |  < <= > >= == !=. Two plain
// numbers are computed at once, as in Python; a number that meets a variable becomes a constant with the dtype that
// Theano gives a literal. Calls name a scalar function (exp, sigmoid, maximum …) or a builder (sum, dot, cast …);
// x.sum(axis=0) is sum(x, axis=0). What prettyPrint() writes can be read, too.
#pragma once

#include "engine/graph/syntax/notation_call.h"

#include <string_view>
#include <vector>

namespace engine {

struct ParsedExpression {
    std::vector<VarRef> inputs;  ///< declared ones in order, then the undeclared ones in the order of first use
    std::vector<VarRef> outputs; ///< at least one
};

/// Applies get the source location "<expression>":line. Throws NotationError; hostile text is safe (size and
/// nesting are limited).
ParsedExpression parseExpression(std::string_view text, DType floatX = DType::Float64);
/// "fmatrix", "float32[3,?]", "TensorType(float64, matrix)"; throws NotationError.
Type parseType(std::string_view text, DType floatX = DType::Float64);

} // namespace engine
