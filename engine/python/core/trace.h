// Where in the user's program are we? Frames of the croton and theano packages are skipped.
#pragma once

#include "engine/graph/source.h"

namespace python {

/// The line and the calls that led to it. Needs the lock. Fast when the same place asks again.
engine::TraceId captureTrace();

/// At the entry of every call that may build nodes: they get the user's line.
struct TraceScope {
    TraceScope() { engine::setCurrentTrace(captureTrace()); }
};

/// Files below these folders are ours.
void addOwnFolder(const char *folder);
/// How many lines errors show of traces from now on (flag traceback.limit).
void setTraceLimit(int lines);

} // namespace python
