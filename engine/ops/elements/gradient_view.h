// Identities whose gradient is not one.
#pragma once

#include "engine/graph/ir/expression.h"

namespace engine {

VarRef zeroGrad(const VarRef &a);         ///< zero
VarRef disconnectedGrad(const VarRef &a); ///< disconnected
VarRef undefinedGrad(const VarRef &a);    ///< undefined
VarRef gradClip(const VarRef &a, double low, double high);
VarRef gradScale(const VarRef &a, double factor);

} // namespace engine
