// Sums and products as two lists: what is added (multiplied) and what is subtracted (divided by).
#pragma once

#include "engine/rewrite/algebra/factors.h"

#include <vector>

namespace engine {

struct CanonTerms {
    std::vector<VarHandle> above, below;
    std::size_t sharedConstants = 0; ///< how many of them are constants out of applies that others read as well
};

/// A number that stands for all elements, and is real.
bool isGatherable(VarHandle v);

/// The terms of `root`, seen through applies of the family with the same dtype and through left padding. Applies
/// that others read as well are opened only while the lists are short; none is once there are more than `most` terms. Every apply
/// that is opened counts as matched.
CanonTerms canonTerms(VarHandle root, const TermFamily &family, std::size_t most = static_cast<std::size_t>(-1));

/// Cancels equal terms and gathers constants at the front of `above`. True if anything changed. Constants of applies that
/// others read as well are no reason: those stay and would be computed beside the sum (product), for each of a chain of them.
bool simplifyTerms(Editor &edit, CanonTerms &terms, const TermFamily &family, VarHandle root);

/// The terms as applies again.
VarHandle buildTerms(Editor &edit, const CanonTerms &terms, const TermFamily &family, VarHandle root);

/// Does a reader of `v` belong to the family (so that `v` is not the root of its sum or product)?
bool isInsideFamily(VarHandle v, const TermFamily &family);

} // namespace engine
