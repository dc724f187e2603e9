// Sizes that are known before anything runs, from the ops' own shape rules.
#pragma once

#include "engine/graph/expression.h"

#include <optional>

namespace engine {

/// How many elements a vector has. Nothing: it is not known.
std::optional<std::int64_t> knownLength(const VarRef &vector);

} // namespace engine
