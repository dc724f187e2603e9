// What rewrites look for and build with, so that a rewrite reads like its own example.
#pragma once

#include "engine/graph/ir/editor.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/rewrite/machine/registry.h"

#include <optional>
#include <span>
#include <vector>

namespace engine {

// --- looking ------------------------------------------------------------------------------------------

/// The apply behind `v` if it is this scalar function.
std::optional<NodeHandle> madeBy(VarHandle v, ScalarCode code);
template <class T>
std::optional<NodeHandle> madeBy(VarHandle v)
{
    const VarNode &node = v.graph().var(v.id());
    if (node.owner == kNoApply || !opCast<T>(v.graph().apply(node.owner).op)) return std::nullopt;
    return v.owner();
}
std::optional<NodeHandle> madeByReduce(VarHandle v, ReduceKind kind);
/// The apply behind `v` without counting as matched; kNoApply for leaves.
inline ApplyId ownerOf(VarHandle v) { return v.graph().var(v.id()).owner; }
/// The scalar function of an Elemwise without in-place outputs; null otherwise.
inline const Elemwise *elemwiseOf(const NodeHandle &node)
{
    const Elemwise *op = node.opAs<Elemwise>();
    return op && op->inplace().empty() ? op : nullptr;
}

/// The one value of all elements, seen through casts, dimshuffles, fills and allocs.
std::optional<double> constantValue(VarHandle v);
inline bool isConstantOf(VarHandle v, double value)
{
    const std::optional<double> found = constantValue(v);
    return found && *found == value;
}
/// `v` without what only repeats it: broadcasting dimshuffles, fill(x, v), Alloc(v, …).
VarHandle withoutBroadcast(VarHandle v);
bool isFloatType(VarHandle v);
/// The function that computes v, without counting as matched; Identity where there is none.
ScalarCode codeOf(const FunctionGraph &graph, VarId v);
inline ScalarCode codeOf(VarHandle v) { return codeOf(v.graph(), v.id()); }
/// The only reader, if it is an apply.
std::optional<NodeHandle> onlyReader(VarHandle v);
/// The axis of a Join, counted from the front, where it is known.
std::optional<int> joinAxis(const NodeHandle &join);
/// Is `node` among what `v` is computed from? Another node's output may take the place of `node` only where it is not.
bool needs(VarHandle v, ApplyId node);

// --- building -----------------------------------------------------------------------------------------

/// Is it a number of this dtype with all its digits: finite, and not denormal? Who combines constants or inverts one asks first.
bool holdsDigits(DType dtype, double value);
/// A constant of this rank whose axes all broadcast.
VarHandle constantLike(Editor &edit, DType dtype, int rank, double value);
inline VarHandle constantLike(Editor &edit, VarHandle like, double value) { return constantLike(edit, like.dtype(), like.rank(), value); }
VarHandle dimshuffle(Editor &edit, VarHandle v, std::vector<int> order);
VarHandle padLeft(Editor &edit, VarHandle v, int rank);
/// The reduction over other axes; all where none are named.
OpRef overAxes(const CAReduce &op, std::optional<std::vector<int>> axes);
/// Pads shorter operands on the left as the builders of expressions do.
VarHandle elementwise(Editor &edit, ScalarOpPtr scalar, std::span<const VarHandle> inputs);
VarHandle elementwise(Editor &edit, ScalarCode code, std::initializer_list<VarHandle> inputs);
VarHandle castTo(Editor &edit, VarHandle v, DType dtype);
/// `v`, integers in the dtype in which functions like exp compute them: there it has a sign and halves, and does not wrap.
VarHandle asFloat(Editor &edit, VarHandle v);
/// `value`, its sizes of 1 forgotten where `wanted` does not declare them.
VarHandle withPattern(Editor &edit, VarHandle value, Type wanted);
/// `value` with the shape of `like` and the dtype of `value`; `value` itself if its type says that already.
VarHandle fillLike(Editor &edit, VarHandle like, VarHandle value);
/// a·b·c… with one operand as itself and none as 1.
VarHandle product(Editor &edit, std::span<const VarHandle> factors, VarHandle like);
VarHandle total(Editor &edit, std::span<const VarHandle> terms, VarHandle like);

/// Replaces when the type fits: casts the dtype, broadcasts to the pattern with help of the inputs of `node`.
/// Declines when it cannot be made to fit.
RewriteResult become(Editor &edit, const NodeHandle &node, VarHandle after, std::string reason = {});
/// g(f(x), …) becomes f(g(x, …)) where f is a function of one argument that nobody else reads.
RewriteResult liftOverFunction(const NodeHandle &node, Editor &edit);
RewriteResult becomeOutput(Editor &edit, const NodeHandle &node, std::size_t output, VarHandle after, std::string reason = {});

} // namespace engine
