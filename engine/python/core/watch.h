// Python code that looks at each apply as a script builds it: test values, and the flag warn_float64.
#pragma once

#include "engine/graph/ir/made_applies.h"
#include "engine/python/core/op.h"
#include "engine/python/core/trace.h"

namespace python {

void addWatching(py::module_ &module);

/// While it lives, Python's watcher, if there is one, is called with each apply that this thread makes.
class WatchScope {
public:
    WatchScope();
    ~WatchScope();
    WatchScope(const WatchScope &) = delete;
    WatchScope &operator=(const WatchScope &) = delete;

private:
    bool m_isWatching;
    engine::ApplyWatcher m_previous = nullptr;
};

/// At the entry of every call by which a script builds an expression: its nodes get the script's line, and are watched.
struct BuildScope : TraceScope, PendingGuard, WatchScope {};

} // namespace python
