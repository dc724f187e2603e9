// A variable in sentences for people.
#pragma once

#include "engine/graph/ir/expression.h"

#include <string>

namespace engine {

/// Its name, and where it was made.
std::string describe(const VarRef &variable);

} // namespace engine
