// Products and sums as people and gradients write them, opened to their factors and terms.
#pragma once

#include "engine/rewrite/logistic.h"

#include <vector>

namespace engine {

/// Walks into a product as long as `opens(v, code, depth)`; `leaf(v, isBelow)` gets what is left, `negative` follows the signs.
template <class Opens, class Leaf>
void openProduct(VarHandle v, bool isBelow, bool &negative, const Opens &opens, const Leaf &leaf, int depth = 0)
{
    const ScalarCode code = codeOf(v.graph(), v.id());
    const bool isProduct = code == ScalarCode::Mul || code == ScalarCode::TrueDiv || code == ScalarCode::Inv || code == ScalarCode::Neg ||
                           code == ScalarCode::Sqr;
    if (!isProduct || !opens(v, code, depth)) return leaf(v, isBelow);
    const NodeHandle node = *v.owner();
    negative ^= code == ScalarCode::Neg;
    const std::size_t count = node.inputCount() + (code == ScalarCode::Sqr);
    for (std::size_t i = 0; i < count; ++i) {
        const bool flips = code == ScalarCode::Inv || (code == ScalarCode::TrueDiv && i == 1);
        openProduct(node.input(i % node.inputCount()), isBelow != flips, negative, opens, leaf, depth + 1);
    }
}

/// A product of floats seen through *, / and signs, equal factors cancelled. Looks only: nothing is opened for good.
struct Factors {
    std::vector<VarHandle> above, below;
    bool negative = false;
    /// Multiplies by v; divides where `below`.
    void take(VarHandle v, bool isBelow);
};

/// The terms of a sum seen through additions, at most about eight.
void openSum(VarHandle v, ShortList<VarHandle, 16> &terms);

} // namespace engine
