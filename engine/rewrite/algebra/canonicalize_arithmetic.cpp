// Sums and products in one form, so that later rules have one shape to look for.
#include "engine/rewrite/algebra/canonizer.h"

namespace engine {
namespace {

RewriteResult canonize(const NodeHandle &node, Editor &edit, const TermFamily &family)
{
    const VarHandle out = node.output();
    if (!elemwiseOf(node)) return declined("it works in place already");
    if (isComplex(out.dtype()) || out.dtype() == DType::Bool) return declined("complex and bool values keep their order");
    if (isInsideFamily(out, family)) return declined("a reader belongs to the same sum or product: it is treated there");
    CanonTerms terms = canonTerms(out, family);
    if (!simplifyTerms(edit, terms, family, out)) return declined("nothing cancels and no constants to gather");
    return become(edit, node, buildTerms(edit, terms, family, out), "cancelled terms, gathered constants");
}

REWRITE(local_add_canonizer, Phase::Canonicalize)
    .why("a sum is flattened where terms cancel or constants can be gathered: (x + 1) + 2 is x + 3")
    .hurts("sums in another order may round differently")
    .dropsNan("inf - inf where a term cancels")
    .example("(x + 1) + 2", "3 + x")
    .example("(x + y) - x", "y")
    .nearMiss("(x + y) + z")
    .match<ScalarCode::Add, ScalarCode::Sub, ScalarCode::Neg>([](const NodeHandle &node, Editor &edit) {
        return canonize(node, edit, kSumFamily);
    });

REWRITE(local_mul_canonizer, Phase::Canonicalize)
    .why("a product is flattened where factors cancel or constants can be gathered: (2x)/(4y) is 0.5x/y")
    .hurts("x/x becomes 1 for x = 0 too; factors meet in another order: where some overflow and others vanish, the product may be nan")
    .dropsNan("0 / 0 and inf / inf where a factor cancels")
    .example("(2 * x) / (4 * y)", "(0.5 * x) / y")
    .example("(x * y) / x", "y")
    .nearMiss("x * y / z")
    .also({Phase::Stabilize})
    .match<ScalarCode::Mul, ScalarCode::TrueDiv, ScalarCode::Inv>([](const NodeHandle &node, Editor &edit) {
        return canonize(node, edit, kProductFamily);
    });

REWRITE(local_neg_to_mul, Phase::Canonicalize)
    .why("a factor of -1 takes part in gathering constants and cancelling")
    .hurts("a multiplication instead of a sign, until local_mul_specialize undoes it")
    .turns("-x", "-1 * x")
    .asWritten()
    .complexToo()
    .nearMiss("y - x");

REWRITE(local_inv_canon, Phase::Canonicalize)
    .why("one way to write a reciprocal: 1/x takes part in cancelling factors")
    .hurts("a division instead of a reciprocal, until local_div_to_inv undoes it")
    .turns("inv(x)", "1 / x")
    .asWritten()
    .complexToo()
    .nearMiss("y / x");

REWRITE(local_pow_canonicalize, Phase::Canonicalize)
    .why("x to the power 0 or 1 needs no power")
    .turns("x ** 1", "x")
    .turns("x ** 0", "fill(x, 1.0)")
    .complexToo()
    .nearMiss("x ** 3");

REWRITE(croton_negative_power, Phase::Useless)
    .why("x ** -1 is 1 / x: its factors cancel and its patterns are found as those of any other quotient")
    .hurts("x * x overflows before x ** -2 vanishes: from 1e154 on (1e19 in float32) it is 0, and nan times an infinity")
    .turns("x ** -1", "inv(x)")
    .turns("x ** -2", "inv(x * x)")
    .where("the result is float")
    .nearMiss("x ** -3")
    .nearMiss("x ** y")
    .also({Phase::Canonicalize})
    .at(-4) // before what looks for quotients
    .tag("croton");

REWRITE(croton_negated_difference, Phase::Canonicalize)
    .why("-(x - y) is y - x: what is known of 1 - x holds for -(x - 1), too")
    .hurts("-(x - x) was -0.0, x - x is 0.0")
    .turns("-(x - y)", "y - x")
    .generally("-(c + x)", "(-c) - x", {"c is a constant", "c is a number"})
    .where("the result is float")
    .asWritten()
    .example("-(-1.0 + x)", "1.0 - x")
    .nearMiss("-(x + y)")
    .also({Phase::Stabilize})
    .at(-1)
    .tag("croton");

REWRITE(croton_swapped_twin, Phase::Canonicalize)
    .why("x + y and y + x are one number: patterns that want the same value twice are found whichever way it is written")
    .example("x: dvector; y: dvector; exp(x + y) - sin(y + x)", "x: dvector; y: dvector; s = x + y; exp(s) - sin(s)")
    .nearMiss("x: dvector; y: dvector; exp(x - y) - sin(y - x)")
    .at(-4)
    .tag("croton")
    .match<ScalarCode::Add, ScalarCode::Mul, ScalarCode::Maximum, ScalarCode::Minimum>([](const NodeHandle &node, Editor &edit) {
        constexpr std::size_t kMostLooks = 16;
        if (!elemwiseOf(node) || node.inputCount() != 2) return declined("it has more than two operands");
        std::size_t looks = 0;
        for (const Client &client : node.graph().var(node.input(0).id()).clients) {
            if (client.isGraphOutput() || client.port != 1 || client.apply >= node.id()) continue;
            if (++looks > kMostLooks) break;
            const NodeHandle other(node.graph(), client.apply);
            if (other.inputCount() == 2 && sameOp(*other.op(), *node.op()) && other.input(0) == node.input(1) &&
                other.output().type() == node.output().type())
                return become(edit, node, other.output(), "the same with its operands swapped");
        }
        return declined("nothing has the same operands the other way around");
    });

REWRITE(local_mul_zero, Phase::Canonicalize)
    .why("0 * x is 0 without looking at x")
    .hurts("0 * nan and 0 * inf are nan in IEEE arithmetic, and an Assert on x is not run")
    .dropsNan("inf and nan times 0")
    .turns("x * 0", "fill(x, 0.0)", {"x takes the rest"})
    .complexToo()
    .nearMiss("x * 2");

REWRITE(local_zero_div, Phase::Canonicalize)
    .why("0 / x is 0 without looking at x")
    .hurts("0 / 0 is nan in IEEE arithmetic")
    .dropsNan("0 / 0")
    .turns("0 / x", "fill(x, 0.0)")
    .turns("0 // x", "fill(x, 0.0)")
    .complexToo()
    .nearMiss("1 / x")
    .also({Phase::Specialize});

REWRITE(local_intdiv_by_one, Phase::Canonicalize)
    .why("x // 1 is x for integers")
    .turns("i: lvector; i // 1", "i", {"the result is an integer"})
    .nearMiss("i: lvector; i // 2");

REWRITE(local_abs_lift, Phase::Canonicalize)
    .why("|x·y| as |x|·|y| lets equal factors cancel")
    .hurts("two absolute values instead of one, until local_abs_merge undoes it")
    .example("abs(x * y)", "abs(x) * abs(y)")
    .example("abs(x / y)", "abs(x) / abs(y)")
    .nearMiss("abs(x + y)")
    .match<ScalarCode::Abs>([](const NodeHandle &node, Editor &edit) {
        for (ScalarCode code : {ScalarCode::Mul, ScalarCode::TrueDiv}) {
            const auto inner = madeBy(node.input(0), code);
            if (!inner) continue;
            if (inner->output().dtype() != node.output().dtype()) return declined("the dtype would change");
            std::vector<VarHandle> parts;
            for (const VarHandle &input : inner->inputs()) parts.push_back(elementwise(edit, ScalarCode::Abs, {input}));
            return become(edit, node, elementwise(edit, scalarOp(code), parts));
        }
        return declined("its input is neither a product nor a quotient", ownerOf(node.input(0)));
    });

REWRITE(local_upcast_elemwise_constant_inputs, Phase::Canonicalize)
    .why("a constant in the dtype of the result lets (1 - x) and (1.0 - x) become one")
    .hurts("a constant takes more bytes")
    .example("x: fvector; 1 + x", "x: fvector; cast(1, float32) + x")
    .nearMiss("x: fvector; x + x")
    .match<Elemwise>([](const NodeHandle &node, Editor &edit) {
        const Elemwise *op = elemwiseOf(node);
        if (!op) return declined("it works in place already");
        // Only where all arguments are converted to one dtype before computing.
        switch (op->scalar()->code()) {
        case ScalarCode::Add:
        case ScalarCode::Mul:
        case ScalarCode::Sub:
        case ScalarCode::TrueDiv:
        case ScalarCode::Maximum:
        case ScalarCode::Minimum:
        case ScalarCode::Mod: break;
        default: return declined("its arguments are not all converted to one dtype");
        }
        const DType dtype = node.output().dtype();
        ShortList<VarHandle, 4> inputs;
        bool changed = false;
        for (const VarHandle &input : node.inputs()) {
            if (input.isConstant() && input.dtype() != dtype && canCastSafely(input.dtype(), dtype)) {
                inputs.push_back(castTo(edit, input, dtype));
                changed = true;
            } else if (input.isConstant() && input.dtype() != dtype && isDiscrete(input.dtype()) && isFloat(dtype)) {
                inputs.push_back(castTo(edit, input, dtype));
                changed = true;
            } else {
                inputs.push_back(input);
            }
        }
        if (!changed) return declined("no constant input of another dtype");
        const VarHandle after = edit.make(node.op(), inputs);
        if (!(after.type() == node.output().type())) return declined("the dtype of the result would change");
        return become(edit, node, after);
    });

REWRITE(X_over_absX, Phase::Canonicalize)
    .why("x / |x| is the sign of x")
    .hurts("0 / 0 was nan, the sign of 0 is 0")
    .dropsNan("0 / 0 and inf / inf")
    .example("x / abs(x)", "sgn(x)")
    .example("0.5 * x / abs(x)", "0.5 * sgn(x)")
    .nearMiss("x / abs(y)")
    .also({Phase::Specialize})
    .at(-1)
    .match<ScalarCode::TrueDiv, ScalarCode::Mul>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a quotient of floats");
        // A look before the product is opened: most have no absolute value.
        const auto isAbs = [&](VarId v) {
            const ApplyId owner = out.graph().var(v).owner;
            const Elemwise *op = owner == kNoApply ? nullptr : opCast<Elemwise>(out.graph().apply(owner).op);
            return op && op->is(ScalarCode::Abs);
        };
        const auto holdsAbs = [&](const Use &use) {
            if (isAbs(use.var)) return true;
            const ApplyId owner = out.graph().var(use.var).owner;
            const Elemwise *op = owner == kNoApply ? nullptr : opCast<Elemwise>(out.graph().apply(owner).op);
            if (!op || !(op->is(ScalarCode::Mul) || op->is(ScalarCode::TrueDiv) || op->is(ScalarCode::Inv))) return false;
            const auto &inputs = out.graph().apply(owner).inputs;
            return std::any_of(inputs.begin(), inputs.end(), [&](const Use &inner) { return isAbs(inner.var); });
        };
        const auto &uses = out.graph().apply(node.id()).inputs;
        if (std::none_of(uses.begin(), uses.end(), holdsAbs)) return declined("no factor is an absolute value");
        constexpr std::size_t kMost = 64; // every factor is held against every divisor
        CanonTerms terms = canonTerms(out, kProductFamily, kMost);
        if (terms.above.size() + terms.below.size() > kMost) return declined("the product is too long");
        for (VarHandle &factor : terms.above) {
            const auto isItsSize = [&](VarHandle v) {
                const auto absolute = madeBy(v, ScalarCode::Abs);
                return absolute && absolute->input(0) == factor && factor.dtype() == out.dtype();
            };
            const auto found = std::find_if(terms.below.begin(), terms.below.end(), isItsSize);
            if (found == terms.below.end()) continue;
            factor = elementwise(edit, ScalarCode::Sgn, {factor});
            terms.below.erase(found);
            return become(edit, node, buildTerms(edit, terms, kProductFamily, out));
        }
        return declined("it is not x / |x|");
    });

} // namespace
} // namespace engine
