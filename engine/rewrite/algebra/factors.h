// Sums and products as people and gradients write them: the one way into their terms and factors.
#pragma once

#include "engine/rewrite/machine/build.h"
#include "engine/tensor/short_list.h"

#include <vector>

namespace engine {

/// add / sub / neg, or mul / true_div / inv.
struct TermFamily {
    ScalarCode main, inverse, reciprocal;
    bool useReciprocal; ///< -x is written neg(x), but 1/x is written 1/x
    double neutral;
    bool has(ScalarCode code) const { return code == main || code == inverse || code == reciprocal; }
    bool opens(ScalarCode code) const
    {
        return has(code) || (main == ScalarCode::Mul && (code == ScalarCode::Neg || code == ScalarCode::Sqr));
    }
};
extern const TermFamily kSumFamily;
extern const TermFamily kProductFamily;

/// What is met on the way.
struct Part {
    VarHandle var;       ///< without padding where that is seen through
    VarHandle padded;    ///< as it is read
    bool below = false;  ///< it is subtracted (divided by)
    bool shared = false; ///< one on the way to it has other readers; kept by the one who opens
    int depth = 0;
};

/// `v` without the axes of size 1 on its left; looks only.
VarHandle withoutPad(VarHandle v);

/// Goes into a sum or product in the order in which it is written, as far as `opens(part, code, waiting)` lets it; `leaf(part)` gets
/// what is left. A square is its factor twice, the sign of a factor that of the whole: true if an odd number of them was seen through.
template <class Opens, class Leaf>
bool openTerms(VarHandle root, const TermFamily &family, bool seesThroughPads, const Opens &opens, const Leaf &leaf)
{
    struct Waiting { // small: products have thousands of factors
        VarId var;
        int depth;
        bool below, shared;
    };
    bool negative = false;
    ShortList<Waiting, 16> waiting;
    waiting.push_back({root.id(), 0, false, false});
    while (!waiting.empty()) {
        const Waiting next = waiting.back();
        waiting.pop_back();
        const VarHandle padded(root.graph(), next.var);
        Part part{padded, padded, next.below, next.shared, next.depth};
        ScalarCode code = codeOf(padded);
        if (seesThroughPads && code == ScalarCode::Identity) { // no function of elements: it may be padding
            part.var = withoutPad(padded);
            if (!(part.var == padded)) code = codeOf(part.var);
        }
        if (!family.opens(code) || !opens(part, code, waiting.size())) {
            leaf(part);
            continue;
        }
        for (VarHandle v = padded; !(v == part.var);) v = v.owner()->input(0);
        const NodeHandle node = *part.var.owner();
        negative ^= code == ScalarCode::Neg && code != family.reciprocal;
        const std::size_t count = node.inputCount();
        for (std::size_t i = code == ScalarCode::Sqr ? 2 : count; i-- > 0;) {
            const bool flips = code == family.reciprocal || (code == family.inverse && i == 1);
            waiting.push_back({node.input(i % count).id(), part.depth + 1, part.below != flips, part.shared});
        }
    }
    return negative;
}

/// A product of floats seen through *, / and signs, equal factors cancelled. Looks only: nothing is opened for good.
struct Factors {
    std::vector<VarHandle> above, below;
    bool negative = false;
    /// Multiplies by v; divides where `below`.
    void take(VarHandle v, bool isBelow);
    /// A product of floats one of whose factors is an exponential; for any other the reason why it is left alone.
    const char *takeExponential(const NodeHandle &product);
};

/// The terms of a sum seen through additions, at most about eight.
ShortList<VarHandle, 16> addendsOf(VarHandle v);

} // namespace engine
