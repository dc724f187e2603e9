// Weak stand-ins until the running parts (*_run.cpp) of these ops are there; each of those overrides its own.
#include "engine/graph/errors.h"
#include "engine/ops/alloc.h"
#include "engine/ops/dimshuffle.h"
#include "engine/ops/dot.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/graph_op.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"
#include "engine/runtime/thunk.h"

#define PENDING __attribute__((weak))

namespace engine {
namespace {
[[noreturn]] void missing(const Op &op) { throw InternalError("the op " + op.name() + " cannot run yet"); }
} // namespace

PENDING void CAReduce::perform(PerformArgs &) const { missing(*this); }
PENDING std::unique_ptr<Thunk> CAReduce::prepare(const ThunkSpec &) const { return nullptr; }
PENDING void Elemwise::perform(PerformArgs &) const { missing(*this); }
PENDING std::unique_ptr<Thunk> Elemwise::prepare(const ThunkSpec &) const { return nullptr; }

} // namespace engine
