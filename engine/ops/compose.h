// What people call and what is made of other ops: statistics, activations, small array tools.
#pragma once

#include "engine/graph/expression.h"

#include <optional>
#include <span>
#include <vector>

namespace engine {

using Axes = std::optional<std::vector<int>>;

/// Mean squared distance from the mean; `ddof` is subtracted from the count. `corrected`: the two-pass formula with its
/// rounding correction.
VarRef variance(const VarRef &a, const Axes &axes = {}, int ddof = 0, bool keepDims = false, bool corrected = false);
VarRef standardDeviation(const VarRef &a, const Axes &axes = {}, int ddof = 0, bool keepDims = false);
VarRef peakToPeak(const VarRef &a, const Axes &axes = {});
/// (Σ |a|^L)^(1/L)
VarRef norm(const VarRef &a, double order, const Axes &axes = {}, bool keepDims = false);

/// 0.5(x + |x|), or with a slope below zero.
VarRef relu(const VarRef &x);
VarRef relu(const VarRef &x, const VarRef &alpha);
VarRef elu(const VarRef &x, double alpha = 1);
VarRef selu(const VarRef &x);
VarRef hardSigmoid(const VarRef &x);
VarRef softsign(const VarRef &x);
VarRef binaryCrossentropy(const VarRef &p, const VarRef &t);
VarRef sigmoidBinaryCrossentropy(const VarRef &logit, const VarRef &t);

/// Theano's isclose: |a - b| <= atol + rtol·|b|, infinities equal to themselves.
VarRef isClose(const VarRef &a, const VarRef &b, double rtol = 1e-5, double atol = 1e-8, bool equalNan = false);
VarRef allClose(const VarRef &a, const VarRef &b, double rtol = 1e-5, double atol = 1e-8, bool equalNan = false);

/// n-th difference along an axis.
VarRef difference(const VarRef &a, int n = 1, int axis = -1);
/// How often each of 0 … max occurs, at least minLength places; weights are added instead of counted.
VarRef binCount(const VarRef &a, const VarRef &weights = {}, std::int64_t minLength = 0);
VarRef squeeze(const VarRef &a, std::optional<int> axis = {});
VarRef swapAxes(const VarRef &a, int first, int second);
VarRef moveAxis(const VarRef &a, int from, int to);
VarRef padRight(const VarRef &a, int count);
/// A new axis of size 1 before axis `axis`.
VarRef padAxis(const VarRef &a, int axis);
/// Row i is 1 at y[i] and 0 elsewhere.
VarRef toOneHot(const VarRef &y, const VarRef &classes, DType dtype);
VarRef fillDiagonal(const VarRef &a, const VarRef &value, int offset = 0);
VarRef roll(const VarRef &a, const VarRef &shift, std::optional<int> axis = {});
/// choices[a[i]][i]: a selects among the first axis.
VarRef choose(const VarRef &a, const VarRef &choices);
VarRef compress(const VarRef &condition, const VarRef &a, std::optional<int> axis = {});
/// -(-a // b)
VarRef ceilDivide(const VarRef &a, const VarRef &b);
/// The k largest (k < 0: smallest) elements along an axis in no promised order, and their places.
VarRef topK(const VarRef &a, std::int64_t k, int axis = -1);
VarRef argTopK(const VarRef &a, std::int64_t k, int axis = -1);
/// Flat places from places per axis, and back.
VarRef ravelIndex(std::span<const VarRef> indices, std::span<const VarRef> sizes);
std::vector<VarRef> unravelIndex(const VarRef &index, std::span<const VarRef> sizes);

/// The number that a 0-d (or one-element) expression always has: looks through dimshuffle, fill, alloc, cast, reshape,
/// simple arithmetic, x.shape[i] of known sizes, elements of MakeVector. Nothing: not constant.
std::optional<double> scalarConstantValue(const VarRef &variable);

} // namespace engine
