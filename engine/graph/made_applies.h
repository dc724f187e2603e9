// Who wants to know of the applies that a thread makes.
#pragma once

#include "engine/graph/expression.h"

namespace engine {

/// Called with each apply that this thread makes, as soon as it is made. What it throws leaves Apply::create().
using ApplyWatcher = void (*)(const ApplyRef &apply);

/// Sets this thread's watcher and gives the one before; null: nobody watches.
ApplyWatcher watchApplies(ApplyWatcher watcher);

/// Variables that are made from now on have this id or a higher one.
NodeId nextNodeId();

} // namespace engine
