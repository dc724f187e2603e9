// Calls a watcher for each apply that a thread makes.
#pragma once

#include "engine/graph/ir/expression.h"

namespace engine {

/// Called with each apply as soon as this thread has made it. Exceptions pass through Apply::create().
using ApplyWatcher = void (*)(const ApplyRef &apply);

/// Sets the watcher of this thread and returns the previous one. Null removes it.
ApplyWatcher watchApplies(ApplyWatcher watcher);

/// The id of the next variable; later ones have higher ids.
NodeId nextNodeId();

} // namespace engine
