// Sizes that are known before anything runs, from the ops' own shape rules.
#pragma once

#include "engine/graph/ir/expression.h"

#include <optional>
#include <vector>

namespace engine {

/// How many elements a vector has. Nothing: it is not known.
std::optional<std::int64_t> knownLength(const VarRef &vector);

/// The size of each axis of an array, where it is known. Sizes that have to agree are believed to.
std::vector<std::optional<std::int64_t>> knownSizes(const VarRef &array);

/// The result of an op whose inputs are the sizes of its output (Alloc, AllocEmpty, Reshape), with the sizes that are constants in its
/// type, as applySized() builds it. Other results come back as they are.
VarRef withKnownSizes(const VarRef &result);

} // namespace engine
