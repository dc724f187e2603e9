// Sizes as graph nodes: the shape rules of ops, read as expressions of the inputs' sizes.
#pragma once

#include "engine/rewrite/machine/build.h"

#include <optional>
#include <vector>

namespace engine {

/// Size of one axis as a 0-d int64 variable: a constant, Shape_i of a leaf, or arithmetic on those. Walks through
/// ops whose rule is known, so the value itself need not be computed. Nothing: no better than Shape_i of `v`.
std::optional<VarHandle> sizeOf(Editor &edit, VarHandle v, int axis);
/// The same, Shape_i of `v` where nothing better is known.
VarHandle sizeOrShape(Editor &edit, VarHandle v, int axis);
/// The size as a number where the rules tell one; makes nothing.
std::optional<std::int64_t> knownSize(Editor &edit, VarHandle v, int axis);
/// Is `wanted` that size for certain? Makes nothing: who only compares does not pay for a long expression.
bool isSizeOf(Editor &edit, VarHandle wanted, VarHandle v, int axis);
std::vector<VarHandle> sizesOf(Editor &edit, VarHandle v);

/// Have `a` and `b` the same shape for certain (by their rules, not by hints)?
bool sameShape(Editor &edit, VarHandle a, VarHandle b);
/// `value` as Alloc repeats it to these sizes; itself where it certainly has them.
VarHandle repeatedTo(Editor &edit, VarHandle value, std::span<const VarHandle> sizes);
/// Does the value of an Alloc repeat only along axes that its type declares broadcastable, for certain?
bool repeatsAsDeclared(Editor &edit, const NodeHandle &alloc);

} // namespace engine
