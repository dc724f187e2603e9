// What many elements have in common is worked out once for all of them.
#include "engine/rewrite/machine/build.h"

#include <algorithm>

namespace engine {
namespace {

// A root, or one and a positive number: its reciprocal is neither too large nor too small, whatever is under the root.
bool isRoot(VarHandle v)
{
    if (madeBy(v, ScalarCode::Sqrt)) return true;
    const auto sum = madeBy(v, ScalarCode::Add);
    if (!sum || sum->inputCount() != 2) return false;
    for (std::size_t i = 0; i < 2; ++i) {
        const std::optional<double> constant = constantValue(sum->input(1 - i));
        if (constant && *constant > 0 && *constant < 1e30 && madeBy(sum->input(i), ScalarCode::Sqrt)) return true;
    }
    return false;
}

bool isShared(VarHandle divisor, VarHandle quotient)
{
    for (int axis = 0; axis < quotient.rank(); ++axis)
        if (divisor.type().isBroadcastable(axis) && !quotient.type().isBroadcastable(axis)) return true;
    return false;
}

// Has it one element wherever the other one has?
bool isAsShared(VarHandle v, VarHandle other)
{
    for (int axis = 0; axis < v.rank(); ++axis)
        if (other.type().isBroadcastable(axis) && !v.type().isBroadcastable(axis)) return false;
    return true;
}

REWRITE(croton_divide_by_shared_root, Phase::Specialize)
    .why("where many elements are divided by one root, its reciprocal is taken once: multiplying is several times as fast as dividing")
    .hurts("the reciprocal is rounded, too: a quotient may be off by 1.5 units in its last place, where dividing is by 0.5")
    .example("x: fmatrix; v: fcol; x / sqrt(v)", "x: fmatrix; v: fcol; x * inv(sqrt(v))")
    .example("x: dmatrix; v: dcol; x / (sqrt(v) + 0.001)", "x: dmatrix; v: dcol; x * inv(sqrt(v) + 0.001)")
    .nearMiss("x: fmatrix; v: fmatrix; x / sqrt(v)")
    .nearMiss("x: fmatrix; v: fcol; x / v")
    .tag("croton")
    .match<ScalarCode::TrueDiv>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output(), divisor = node.input(1);
        if (!elemwiseOf(node)) return declined("it works in place already");
        if (!isFloatType(out) || !(divisor.dtype() == out.dtype())) return declined("the reciprocal would have other digits");
        if (!isShared(divisor, out)) return declined("each element has a divisor of its own");
        if (!isRoot(divisor)) return declined("the divisor is no root: its reciprocal may be too large for a number");
        return become(edit, node, elementwise(edit, ScalarCode::Mul, {node.input(0), elementwise(edit, ScalarCode::Inv, {divisor})}));
    });

REWRITE(croton_shared_factors_first, Phase::Specialize)
    .why("what many elements are multiplied and divided by is divided once for all of them, and no longer once for each")
    .hurts("the quotient of the common factors may be too large or too small for a number where the whole is not")
    .example("x: fmatrix; a: fcol; b: fcol; (x * a) / b", "x: fmatrix; a: fcol; b: fcol; x * (a / b)")
    .example("x: dmatrix; a: dcol; b: dcol; mul(0.5, x, a) / b", "x: dmatrix; a: dcol; b: dcol; x * ((0.5 * a) / b)")
    .nearMiss("x: fmatrix; a: fmatrix; b: fcol; (x * a) / b")
    .nearMiss("x: fmatrix; a: fcol; b: frow; (x * a) / b")
    .tag("croton")
    .match<ScalarCode::TrueDiv>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output(), divisor = node.input(1);
        if (!elemwiseOf(node)) return declined("it works in place already");
        if (!isFloatType(out) || !isShared(divisor, out) || constantValue(divisor))
            return declined("each element has a divisor of its own");
        const auto product = madeBy(node.input(0), ScalarCode::Mul);
        if (!product || product->output().clients().size() != 1) return declined("what is divided is no product, or others read it, too");
        std::vector<VarHandle> common, own;
        bool hasArray = false;
        for (const VarHandle &factor : product->inputs()) {
            const bool isCommon = isAsShared(factor, divisor);
            (isCommon ? common : own).push_back(factor);
            hasArray |= isCommon && !constantValue(factor);
        }
        const auto isOther = [&](VarHandle v) { return !(v.dtype() == out.dtype()); };
        if (!hasArray || own.empty()) return declined("no factor is common to many elements");
        if (isOther(divisor) || std::any_of(common.begin(), common.end(), isOther))
            return declined("they have other digits than the result");
        const VarHandle above = common.size() == 1 ? common[0] : elementwise(edit, scalarOp(ScalarCode::Mul), common);
        own.push_back(elementwise(edit, ScalarCode::TrueDiv, {above, divisor}));
        return become(edit, node, elementwise(edit, scalarOp(ScalarCode::Mul), own));
    });

} // namespace
} // namespace engine
