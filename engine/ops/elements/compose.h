// What people call and what is made of other ops: statistics, activations, small array tools.
#pragma once

#include "engine/graph/ir/expression.h"

#include <optional>
#include <vector>

namespace engine {

using Axes = std::optional<std::vector<int>>;

/// Mean squared distance from the mean; `ddof` is subtracted from the count. `corrected`: the two-pass formula with its
/// rounding correction.
VarRef variance(const VarRef &a, const Axes &axes = {}, bool keepDims = false, int ddof = 0, bool corrected = false);
VarRef standardDeviation(const VarRef &a, const Axes &axes = {}, bool keepDims = false, int ddof = 0, bool corrected = false);
VarRef peakToPeak(const VarRef &a, const Axes &axes = {});
/// (Σ |a|^L)^(1/L)
VarRef norm(const VarRef &a, double order, const Axes &axes = {}, bool keepDims = false);

/// 0.5(x + |x|), or with a slope below zero.
VarRef relu(const VarRef &x);
VarRef leakyRelu(const VarRef &x, const VarRef &alpha);
VarRef elu(const VarRef &x, const VarRef &alpha);
VarRef selu(const VarRef &x);
VarRef hardSigmoid(const VarRef &x);
VarRef softsign(const VarRef &x);
VarRef binaryCrossentropy(const VarRef &p, const VarRef &t);
VarRef sigmoidBinaryCrossentropy(const VarRef &logit, const VarRef &t);

/// Without the axes, or without all that are known to have size 1.
VarRef squeeze(const VarRef &a, const Axes &axes = {});
VarRef swapAxes(const VarRef &a, int first, int second);
VarRef roll(const VarRef &a, const VarRef &shift, std::optional<int> axis = {});

/// The number that a 0-d (or one-element) expression always has: looks through dimshuffle, fill, alloc, cast, reshape,
/// simple arithmetic, x.shape[i] of known sizes, elements of MakeVector. Nothing: not constant.
std::optional<double> scalarConstantValue(const VarRef &variable);

/// The op's result, whose axes have those sizes: scalars, or the elements of a vector. Its type says those that are always the same,
/// and an axis of 1 broadcasts, which the type rule cannot see of what is no constant itself.
VarRef applySized(const OpRef &op, std::span<const VarRef> inputs, std::span<const VarRef> sizes);
VarRef applySized(const OpRef &op, std::span<const VarRef> inputs, const VarRef &sizes);

} // namespace engine
