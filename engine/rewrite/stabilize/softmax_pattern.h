// exp(x) / sum(exp(x)) as people write it, shared by the rewrites that know softmax and its gradient.
#pragma once

#include "engine/ops/reductions/softmax.h"
#include "engine/rewrite/machine/build.h"

#include <optional>
#include <vector>

namespace engine {

/// x and the summed axes if `v` is sum(exp(x)) spread over x's shape again.
struct ExpSum {
    VarHandle x;
    std::vector<int> axes;
};
std::optional<ExpSum> spreadExpSum(VarHandle v);

inline bool isSoftmax(VarHandle v) { return madeBy<Softmax>(v) || madeBy<SoftmaxWithBias>(v); }

/// The order that puts what a reduction along these axes leaves back in its place.
std::vector<int> spreadOrder(int rank, const std::vector<int> &axes);

/// x without a shift that is the same for all elements along `axes`: softmax does not see it. x itself if there is none.
VarHandle withoutShift(VarHandle x, const std::vector<int> &axes);

/// Does the Softmax op (of rows) compute it, perhaps of the transposed array?
bool fitsSoftmaxOp(VarHandle x, const std::vector<int> &axes);
/// As rows of a matrix and back, for x that fits.
VarHandle toSoftmaxRows(Editor &edit, VarHandle x, const std::vector<int> &axes);
VarHandle fromSoftmaxRows(Editor &edit, VarHandle rows, VarHandle x, const std::vector<int> &axes);

} // namespace engine
