// What rewrites want to know of a value, by its form alone.
#pragma once

#include "engine/graph/ir/editor.h"

namespace engine {

/// All of its axes repeat: one element, whatever the rank.
bool isSingle(VarHandle v);
/// A size, or a sum of sizes.
bool isSize(VarHandle v, int depth = 4);
/// The result of a function whose values are never below 0, or such a constant.
bool isNeverNegative(VarHandle v);
/// A logarithm or a softplus, perhaps with a sign.
bool isLogarithm(VarHandle v);
/// x if v is x², in any of its spellings.
std::optional<VarHandle> squareRootOf(VarHandle v);

} // namespace engine
