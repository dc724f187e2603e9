// Sums of what each of them has one of: it stands outside, and what it scales is summed as it is.
#include "engine/ops/reductions/reduce.h"
#include "engine/rewrite/algebra/factors.h"
#include "engine/rewrite/shapes/shape_graph.h"

#include <algorithm>
#include <cstdlib>

namespace engine {
namespace {

/// What is summed as a product: factors that vary along the summed axes, and those that each sum has one of.
struct SummedFactors {
    std::vector<VarHandle> inside, outside, below;
    bool negative = false;
};

/// Functions in `opened` are seen through, so many levels deep, where each sum has one of what they divide by.
SummedFactors factorsOf(VarHandle x, const std::vector<int> &axes, std::initializer_list<ScalarCode> opened, int levels)
{
    const auto isOutside = [&](VarHandle v) {
        return v.dtype() == x.dtype() && std::ranges::all_of(axes, [&](int axis) { return v.type().isBroadcastable(axis); });
    };
    const auto opens = [&](const Part &part, ScalarCode code, std::size_t) {
        return part.depth < levels && std::ranges::count(opened, code) > 0 && !part.below &&
               (code != ScalarCode::TrueDiv || isOutside(part.var.owner()->input(1)));
    };
    SummedFactors result;
    result.negative = openTerms(x, kProductFamily, false, opens, [&](const Part &part) {
        (part.below ? result.below : isOutside(part.var) ? result.outside : result.inside).push_back(part.var);
    });
    return result;
}

/// The sum of `inside` as `node` sums, times the factors that stand outside.
VarHandle scaledSum(Editor &edit, const NodeHandle &node, VarHandle inside, const SummedFactors &factors)
{
    VarHandle result = edit.make(node.op(), {inside});
    const std::vector<int> axes = node.opAs<CAReduce>()->axesFor(inside.rank());
    std::vector<int> order;
    for (int axis = 0; axis < inside.rank(); ++axis)
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
    std::vector<VarHandle> above{result};
    for (const VarHandle &factor : factors.outside) above.push_back(dimshuffle(edit, factor, order));
    if (above.size() > 1) result = elementwise(edit, scalarOp(ScalarCode::Mul), above);
    for (const VarHandle &factor : factors.below)
        result = elementwise(edit, ScalarCode::TrueDiv, {result, dimshuffle(edit, factor, order)});
    return result;
}

/// Do these multiply to how many elements of x there are along these axes?
bool areCountOf(Editor &edit, const std::vector<VarHandle> &counts, VarHandle x, std::vector<int> axes)
{
    const auto plain = [](VarHandle v) {
        v = withoutBroadcast(v);
        const auto cast = madeBy(v, ScalarCode::Cast);
        return cast ? withoutBroadcast(cast->input(0)) : v;
    };
    const auto opens = [](const Part &part, ScalarCode code, std::size_t) { return code == ScalarCode::Mul && part.depth < 8; };
    double number = 1, wanted = 1; // what is known of both
    for (const VarHandle &count : counts)
        openTerms(plain(count), kProductFamily, false, opens, [&](const Part &part) {
            const VarHandle factor = plain(part.var);
            const auto axis = std::ranges::find_if(axes, [&](int one) { return isSizeOf(edit, factor, x, one); });
            if (axis != axes.end()) axes.erase(axis);
            else number *= constantValue(factor).value_or(0);
        });
    for (int axis : axes) wanted *= static_cast<double>(knownSize(edit, x, axis).value_or(-1));
    return number == wanted;
}

/// The sum of x, if v is x less its mean along these axes: that sums to nothing, and what comes out is how the mean was rounded.
std::optional<VarHandle> sumOfDeviations(Editor &edit, VarHandle v, const std::vector<int> &axes)
{
    const auto difference = madeBy(v, ScalarCode::Sub);
    if (!difference) return std::nullopt;
    const VarHandle x = difference->input(0);
    VarHandle total = withoutBroadcast(difference->input(1));
    std::vector<VarHandle> counts;
    for (auto quotient = madeBy(total, ScalarCode::TrueDiv); quotient; quotient = madeBy(total, ScalarCode::TrueDiv)) {
        counts.push_back(quotient->input(1));
        total = withoutBroadcast(quotient->input(0));
    }
    const auto sum = madeByReduce(total, ReduceKind::Sum);
    const bool isMean = sum && x.type() == v.type() && sum->input(0) == x && sum->opAs<CAReduce>()->axesFor(x.rank()) == axes &&
                        areCountOf(edit, counts, x, axes);
    return isMean ? std::optional(sum->output()) : std::nullopt;
}

/// A term of a sum as often as it stands there; fewer than no times where it is subtracted.
struct SummedTerm {
    VarHandle var;
    int times = 0;
    SummedFactors factors;
};

std::vector<SummedTerm> termsOf(VarHandle sum)
{
    constexpr std::size_t kMostTerms = 8;
    std::vector<SummedTerm> terms;
    const auto opens = [&](const Part &, ScalarCode, std::size_t waiting) { return terms.size() + waiting + 1 < kMostTerms; };
    openTerms(sum, kSumFamily, false, opens, [&](const Part &part) {
        const auto same = std::ranges::find(terms, part.var, &SummedTerm::var);
        const auto term = same == terms.end() ? terms.insert(same, SummedTerm{part.var}) : same;
        term->times += part.below ? -1 : 1;
    });
    return terms;
}

REWRITE(local_sum_of_mul_dimshuffle, Phase::Canonicalize)
    .why("multiplying the sum once is cheaper than multiplying each element, and factors of sums can cancel")
    .hurts("rounds a little differently; a factor that overflows meets the sum, not its elements")
    .dropsNan("0 times inf in one element")
    .example("x: dmatrix; v: dvector; sum(x * dimshuffle(v, 0, 'x'), axis=1)", "x: dmatrix; v: dvector; sum(x, axis=1) * v")
    .nearMiss("x: dmatrix; v: dvector; sum(x * dimshuffle(v, 'x', 0), axis=1)")
    .also({Phase::Specialize})
    .tag("croton")
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (op.kind() != ReduceKind::Sum || !op.axes()) return declined("it is no sum over some axes");
        const VarHandle x = node.input(0);
        const auto times = madeBy(x, ScalarCode::Mul);
        if (!times) return declined("it does not sum a product", ownerOf(x));
        if (!x.hasOneClient()) return declined("the product has other readers", times->id());
        if (x.dtype() != node.output().dtype() || !isFloatType(x)) return declined("the dtype would change");
        const SummedFactors factors = factorsOf(x, op.axesFor(x.rank()), {ScalarCode::Mul}, 1);
        if (factors.outside.empty()) return declined("every factor varies along the summed axes", times->id());
        if (factors.inside.empty()) return declined("no factor varies along the summed axes", times->id());
        const VarHandle rest = product(edit, factors.inside, x);
        if (!(rest.type() == x.type())) return declined("a factor decides the shape", times->id());
        return become(edit, node, scaledSum(edit, node, rest, factors));
    });

REWRITE(croton_sum_of_scaled_terms, Phase::Specialize)
    .why(
        "the sum need not wait for factors that it has one of each, nor need the terms be kept for it and for others; deviations from their "
        "mean sum to nothing")
    .hurts("each term is summed and rounded by itself: the last digits may differ, and more of them where the terms cancel")
    .dropsNan("0 times inf in one element, inf less a mean")
    .example("x: dmatrix; y: dmatrix; v: drow; w: drow; (x * v + y * w) + dimshuffle(sum(x * v + y * w, axis=0), 'x', 0)",
             "x: dmatrix; y: dmatrix; v: drow; w: drow; (x * v + y * w) + dimshuffle(sum(x, axis=0) * dimshuffle(v, 1) + "
             "sum(y, axis=0) * dimshuffle(w, 1), 'x', 0)")
    .nearMiss("x: dmatrix; y: dmatrix; v: drow; w: drow; sum(x * v + y * w, axis=0)")
    .tag("croton")
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (op.kind() != ReduceKind::Sum || !op.axes()) return declined("it is no sum over some axes");
        const VarHandle x = node.input(0);
        constexpr ScalarCode kOpened[] = {ScalarCode::Add, ScalarCode::Sub, ScalarCode::Mul};
        if (std::ranges::count(kOpened, codeOf(x)) == 0) return declined("it sums neither a sum nor a product", ownerOf(x));
        if (x.hasOneClient()) return declined("nobody else reads the terms", ownerOf(x));
        if (x.dtype() != node.output().dtype() || !isFloatType(x)) return declined("the dtype would change");
        const std::vector<int> axes = op.axesFor(x.rank());
        const auto isThere = [](VarHandle v) { return ownerOf(v) == kNoApply || !v.hasOneClient(); };
        std::vector<SummedTerm> terms = termsOf(x);
        std::optional<VarHandle> nothing;
        bool isScaled = false;
        for (SummedTerm &term : terms) {
            // A product by itself stays one of its own factors: others may know them by their forms.
            term.factors = term.var == x ? factorsOf(x, axes, {ScalarCode::Mul}, 1)
                                         : factorsOf(term.var, axes, {ScalarCode::Mul, ScalarCode::TrueDiv, ScalarCode::Neg}, 4);
            if (term.factors.inside.empty()) return declined("a term does not vary along the summed axes", ownerOf(x));
            isScaled |= !term.factors.outside.empty() || !term.factors.below.empty();
            if (const auto ofSame = sumOfDeviations(edit, term.factors.inside[0], axes); ofSame && term.factors.inside.size() == 1) {
                nothing = ofSame;
                term.times = 0;
                continue;
            }
            if (!std::ranges::all_of(term.factors.inside, isThere))
                return declined("what a term scales is computed for it alone", ownerOf(x));
            if (term.factors.negative) term.times = -term.times;
        }
        if (!isScaled) return declined("no term is scaled", ownerOf(x));
        std::optional<VarHandle> total;
        for (const SummedTerm &term : terms) {
            if (term.times == 0) continue;
            const VarHandle inside = product(edit, term.factors.inside, x);
            if (!(inside.type() == x.type())) return declined("a term does not have the shape of the sum");
            VarHandle one = scaledSum(edit, node, inside, term.factors);
            if (const int times = std::abs(term.times); times > 1)
                one = elementwise(edit, ScalarCode::Mul, {constantLike(edit, one, times), one});
            if (total) total = elementwise(edit, term.times < 0 ? ScalarCode::Sub : ScalarCode::Add, {*total, one});
            else total = term.times < 0 ? elementwise(edit, ScalarCode::Neg, {one}) : one;
        }
        if (!total && nothing && nothing->type() == node.output().type()) total = fillLike(edit, *nothing, constantLike(edit, *nothing, 0));
        if (!total) return declined("the terms cancel");
        return become(edit, node, *total);
    });

} // namespace
} // namespace engine
