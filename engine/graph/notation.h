// The expression notation: x: fmatrix; y = log(1 + exp(x)); sum(y, axis=0)
#pragma once

#include "engine/graph/expression.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine {

struct ParsedExpression {
    std::vector<VarRef> inputs; ///< in the order of declaration (undeclared names are dmatrix … by the default type)
    std::vector<VarRef> outputs;
};

/// A syntax or type error; `column` counts from 1.
class NotationError : public std::runtime_error {
public:
    NotationError(const std::string &message, int line, int column)
        : std::runtime_error(message), line(line), column(column) {}
    int line, column;
};

/// Statements end with ';' or a new line. `name: type` declares (fmatrix, dvector, lscalar … or float32[3,?]),
/// `name = expression` defines, the last expressions (comma separated) are the outputs. Calls name scalar functions
/// and the builders: sum, mean, max, dot, dimshuffle, T(x), cast(x, float32), softmax …
ParsedExpression parseExpression(std::string_view text, DType floatX = DType::Float64);

} // namespace engine
