// Types as the expression notation writes them.
#pragma once

#include "engine/graph/ir/type.h"
#include "engine/text/notation_lexer.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace engine {

/// Theano's constructor word: matrix, fvector, lrow, dtensor4 …
std::optional<Type> typeFromWord(std::string_view word, DType floatX);
/// Reads a type from tokens[at] on and moves `at` behind it.
Type readNotationType(const std::vector<NotationToken> &tokens, std::size_t &at, DType floatX);

} // namespace engine
