// Products into sums, where that takes operations away.
#include "engine/rewrite/algebra/canonizer.h"

namespace engine {
namespace {

constexpr int kDivisionCost = 2;
// Trying every factor on every term grows with the product of both; long ones are left alone.
constexpr std::size_t kLongest = 16;

int priceOf(const CanonTerms &terms) { return static_cast<int>(terms.above.size()) + kDivisionCost * static_cast<int>(terms.below.size()); }

struct Sum {
    std::vector<CanonTerms> plus, minus;
    bool areBranches = false; ///< of a switch: nothing is added up
};

/// Multiplies every term by a factor (or divides by it) if that saves operations.
bool distribute(Editor &edit, Sum &sum, const VarHandle &factor, bool isBelow, VarHandle root)
{
    int score = isBelow ? kDivisionCost : 1, stay = 0;
    Sum after = sum;
    for (std::vector<CanonTerms> *list : {&after.plus, &after.minus})
        for (CanonTerms &terms : *list) {
            // What cancels without the factor is no gain of its.
            simplifyTerms(edit, terms, kProductFamily, root);
            const int before = priceOf(terms);
            (isBelow ? terms.below : terms.above).push_back(factor);
            simplifyTerms(edit, terms, kProductFamily, root);
            score += before - priceOf(terms);
            stay += priceOf(terms) > before;
        }
    // Where it is 0 below (or infinite above), two terms would be infinities that may meet as inf - inf.
    if (score <= 0 || (stay > 1 && !sum.areBranches)) return false;
    sum = std::move(after);
    return true;
}

VarHandle build(Editor &edit, const Sum &sum, VarHandle root)
{
    CanonTerms terms;
    for (const CanonTerms &t : sum.plus) terms.above.push_back(buildTerms(edit, t, kProductFamily, root));
    for (const CanonTerms &t : sum.minus) terms.below.push_back(buildTerms(edit, t, kProductFamily, root));
    return buildTerms(edit, terms, kSumFamily, root);
}

std::optional<NodeHandle> switchOf(VarHandle v) { return madeBy(v, ScalarCode::Switch); }

/// Is a factor a switch, looking through three products and quotients?
bool holdsSwitch(VarHandle v, int depth = 0)
{
    const ApplyId owner = ownerOf(v);
    if (owner == kNoApply) return false;
    const NodeHandle node(v.graph(), owner);
    const Elemwise *op = elemwiseOf(node);
    if (!op || op->is(ScalarCode::Switch)) return op != nullptr;
    if (depth == 3 || !(op->is(ScalarCode::Mul) || op->is(ScalarCode::TrueDiv))) return false;
    for (std::size_t i = 0; i < node.inputCount(); ++i)
        if (holdsSwitch(node.input(i), depth + 1)) return true;
    return false;
}

REWRITE(local_greedy_distributor, Phase::Canonicalize)
    .why("(a/x + b)·x is a + b·x: factors go into a sum where they cancel more than they add")
    .hurts("takes time on long sums of products; rounds a little differently")
    .dropsNan("0 / 0 times 0 where a factor cancels")
    .example("a: dvector; b: dvector; x: dvector; (a / x + b) * x", "a: dvector; b: dvector; x: dvector; a + b * x")
    .nearMiss("a: dvector; b: dvector; x: dvector; (a + b) * x")
    .nearMiss("a: dvector; b: dvector; c: dvector; x: dvector; (a + b / b) / (1 + x)")
    .nearMiss("a: dvector; b: dvector; c: dvector; x: dvector; (a * x + b * x + (a + b)) / exp(x)")
    .also({Phase::Stabilize})
    .at(10)
    .match<ScalarCode::Mul, ScalarCode::TrueDiv, ScalarCode::Inv>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a product of floats");
        if (isInsideFamily(out, kProductFamily)) return declined("a reader belongs to the same product: it is treated there");
        CanonTerms product = canonTerms(out, kProductFamily);
        if (product.above.size() + product.below.size() < 2) return declined("a single factor");
        if (product.above.size() + product.below.size() > kLongest) return declined("too many factors");
        bool changed = false;
        for (std::size_t c = 0; c < product.above.size(); ++c) {
            const VarHandle candidate = product.above[c];
            if (candidate.dtype() != out.dtype() || !candidate.hasOneClient() || !(candidate.type() == out.type())) continue;
            const CanonTerms terms = canonTerms(candidate, kSumFamily);
            if (terms.above.size() + terms.below.size() < 2 || terms.above.size() + terms.below.size() > kLongest) continue;
            Sum sum;
            for (const VarHandle &term : terms.above) sum.plus.push_back(canonTerms(term, kProductFamily));
            for (const VarHandle &term : terms.below) sum.minus.push_back(canonTerms(term, kProductFamily));
            CanonTerms left;
            bool here = false;
            for (std::size_t i = 0; i < product.above.size(); ++i) {
                const VarHandle factor = product.above[i];
                if (i != c && !factor.isConstant() && distribute(edit, sum, factor, false, out)) here = true;
                else if (i != c) left.above.push_back(factor);
            }
            for (const VarHandle &factor : product.below) {
                if (!factor.isConstant() && distribute(edit, sum, factor, true, out)) here = true;
                else left.below.push_back(factor);
            }
            if (!here) continue;
            left.above.insert(left.above.begin(), build(edit, sum, out));
            product = std::move(left);
            changed = true;
            break;
        }
        if (changed) return become(edit, node, buildTerms(edit, product, kProductFamily, out), "factors cancel inside the sum");
        return declined("no factor cancels enough");
    });

REWRITE(croton_distribute_into_switch, Phase::Canonicalize)
    .why("switch(c, a/x, b)·x is switch(c, a, b·x): what cancels in one branch would be inf·0 outside of the switch")
    .hurts("takes the factors into both branches; rounds a little differently")
    .dropsNan("0 / 0 times 0 where a factor cancels")
    .example("c: lvector; a: dvector; b: dvector; x: dvector; switch(c, a / x, b) * x",
             "c: lvector; a: dvector; b: dvector; x: dvector; switch(c, a, b * x)")
    .example("c: lvector; a: dvector; b: dvector; x: dvector; y: dvector; x * y * switch(c, a / x, b / y)",
             "c: lvector; a: dvector; b: dvector; x: dvector; y: dvector; switch(c, a * y, b * x)")
    .nearMiss("c: lvector; a: dvector; b: dvector; x: dvector; switch(c, a, b) * x")
    .nearMiss("c: lvector; a: dvector; b: dvector; x: dvector; s = switch(c, a / x, b); s * x + s")
    .also({Phase::Stabilize})
    .at(10)
    .tag("croton")
    .match<ScalarCode::Mul, ScalarCode::TrueDiv>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a product of floats");
        if (isInsideFamily(out, kProductFamily)) return declined("a reader belongs to the same product: it is treated there");
        // A look before the product is opened: most have no switch.
        if (!holdsSwitch(out)) return declined("no factor is a switch");
        const CanonTerms product = canonTerms(out, kProductFamily);
        if (product.above.size() + product.below.size() > kLongest) return declined("too many factors");
        ApplyId blocker = kNoApply;
        for (std::size_t c = 0; c < product.above.size(); ++c) {
            const auto choice = switchOf(product.above[c]);
            if (!choice) continue;
            blocker = choice->id();
            const VarHandle chosen = choice->output();
            if (!chosen.hasOneClient() || !(chosen.type() == out.type())) continue;
            Sum branches;
            branches.areBranches = true;
            for (std::size_t i = 1; i < 3; ++i)
                branches.plus.push_back(canonTerms(castTo(edit, choice->input(i), out.dtype()), kProductFamily));
            CanonTerms left;
            bool changed = false;
            for (std::size_t i = 0; i < product.above.size(); ++i) {
                if (i == c) continue;
                if (!product.above[i].isConstant() && distribute(edit, branches, product.above[i], false, out)) changed = true;
                else left.above.push_back(product.above[i]);
            }
            for (const VarHandle &factor : product.below) {
                if (!factor.isConstant() && distribute(edit, branches, factor, true, out)) changed = true;
                else left.below.push_back(factor);
            }
            if (!changed) continue;
            const VarHandle yes = buildTerms(edit, branches.plus[0], kProductFamily, out),
                            no = buildTerms(edit, branches.plus[1], kProductFamily, out);
            left.above.insert(left.above.begin(), elementwise(edit, ScalarCode::Switch, {choice->input(0), yes, no}));
            return become(edit, node, buildTerms(edit, left, kProductFamily, out), "factors cancel inside a branch");
        }
        return blocker == kNoApply ? declined("no factor is a switch") : declined("no factor cancels inside the switch", blocker);
    });

constexpr int kDeepestSwitch = 5;

/// `branch` with the switches on `condition` in it resolved, looking through some arithmetic; itself if there are none. A switch
/// that holds more than can be looked at waits for its own inside: opened from outside again and again, a long chain never settles.
VarHandle resolved(Editor &edit, VarHandle branch, VarHandle condition, std::size_t side, int depth, int &looks)
{
    const ApplyId owner = ownerOf(branch);
    if (owner == kNoApply || depth == 0 || --looks < 0) return branch;
    const NodeHandle node(branch.graph(), owner);
    const Elemwise *op = elemwiseOf(node);
    if (!op) return branch;
    switch (op->scalar()->code()) {
    case ScalarCode::Switch: {
        if (!(node.input(0) == condition)) return branch;
        if (!(node.input(side).type() == branch.type())) return branch;
        const VarHandle taken = resolved(edit, node.input(side), condition, side, kDeepestSwitch, looks);
        if (looks < 0) return branch;
        branch.owner();
        return taken;
    }
    case ScalarCode::Add:
    case ScalarCode::Sub:
    case ScalarCode::Mul:
    case ScalarCode::TrueDiv:
    case ScalarCode::Neg:
    case ScalarCode::Inv:
    case ScalarCode::Sqr:
    case ScalarCode::Log:
    case ScalarCode::Exp: break;
    default: return branch;
    }
    std::vector<VarHandle> inputs;
    bool changed = false;
    for (const VarHandle &input : node.inputs()) {
        inputs.push_back(resolved(edit, input, condition, side, depth - 1, looks));
        changed |= !(inputs.back() == input);
    }
    return changed ? edit.make(node.op(), inputs) : branch;
}

REWRITE(croton_switch_inside_switch, Phase::Canonicalize)
    .why("inside of a branch the condition is known: switch(c, a / switch(c, x, y), b) is switch(c, a / x, b), and what cancels meets")
    .hurts("the inner switch is computed twice where others read it, too")
    .example("c: lvector; x: dvector; y: dvector; z: dvector; switch(c, z / switch(c, x, y), y)",
             "c: lvector; x: dvector; y: dvector; z: dvector; switch(c, z / x, y)")
    .example("c: lvector; x: dvector; y: dvector; switch(c, x, -switch(c, x, y))", "c: lvector; x: dvector; y: dvector; switch(c, x, -y)")
    .nearMiss("c: lvector; d: lvector; x: dvector; y: dvector; switch(c, x / switch(d, x, y), y)")
    .also({Phase::Stabilize})
    .tag("croton")
    .match<ScalarCode::Switch>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        int looks = 32;
        const VarHandle yes = resolved(edit, node.input(1), node.input(0), 1, kDeepestSwitch, looks),
                        no = resolved(edit, node.input(2), node.input(0), 2, kDeepestSwitch, looks);
        if (yes == node.input(1) && no == node.input(2)) return declined("no branch has a switch on the same condition near by");
        return become(edit, node, elementwise(edit, ScalarCode::Switch, {node.input(0), yes, no}),
                      "the condition is known inside of a branch");
    });

} // namespace
} // namespace engine
