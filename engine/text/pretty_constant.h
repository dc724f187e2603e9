// Constants as literals of the expression notation.
#pragma once

#include "engine/graph/ir/type.h"
#include "engine/tensor/value.h"

#include <string>

namespace engine {

/// 2, 0.5, float32(0.1), int64([[1, 2], [3, 4]]): reads back with the same dtype, shape and bits. Long arrays and
/// complex numbers have no literal: empty.
std::string literalText(const Value &value, DType floatX);
/// "float32[3, ?]"
std::string typeWord(Type type);
/// Can the text be a name of the notation?
bool isNotationName(const std::string &text);

} // namespace engine
