// Where in the user's program are we? Frames of the croton and theano packages are skipped.
#pragma once

#include "engine/graph/ir/source.h"

#include <Python.h>

namespace python {

/// The line and the calls that led to it. Needs the lock. Fast when the same place asks again.
engine::TraceId captureTrace();

/// At the entry of every call that may build nodes: they get the user's line.
struct TraceScope {
    TraceScope() { engine::setCurrentTrace(captureTrace()); }
};

/// Traces leave out the frames of this code object, a method of a script's op, and what it calls: the line that uses the op is meant.
void addCodeOfOp(PyObject *code);
/// Files below these folders are ours.
void addOwnFolder(const char *folder);
/// How many lines errors show of traces from now on (flag traceback.limit).
void setTraceLimit(int lines);

} // namespace python
