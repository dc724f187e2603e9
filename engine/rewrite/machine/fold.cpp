// Constant folding: an apply of nothing but constants becomes its value.
#include "engine/ops/shapes/shape.h"
#include "engine/rewrite/machine/build.h"
#include "engine/runtime/plan/interpreter.h"
#include "engine/tensor/errors.h"

#include <new>

namespace engine {
namespace {

constexpr std::int64_t kLargestFold = 1 << 16; // elements; a bigger constant would only move work into memory

/// Declines where an input is no constant.
RewriteResult allConstant(const NodeHandle &node)
{
    for (std::size_t i = 0; i < node.inputCount(); ++i)
        if (!node.input(i).isConstant()) return declined("not all inputs are constants", ownerOf(node.input(i)));
    for (std::size_t i = 0; i < node.inputCount(); ++i)
        if (!node.input(i).constant()->isTensor()) return declined("an input is no tensor");
    return replaced();
}

RewriteResult fold(const NodeHandle &node, Editor &edit)
{
    const Op &op = *node.op();
    if (!op.canFold()) return declined("the op is not to be folded");
    if (!node.opAs<Elemwise>() && op.inner()) return declined("a graph inside an op is not folded");
    if (!op.destroyMap().empty()) return declined("it works in place already");
    if (const RewriteResult constant = allConstant(node); !constant.isReplaced()) return constant;
    std::vector<Value> values;
    for (const VarHandle &input : node.inputs()) values.push_back(*input.constant());
    if (values.empty()) return declined("it has no inputs");
    std::vector<Type> types;
    for (std::size_t i = 0; i < node.outputCount(); ++i) types.push_back(node.output(i).type());
    std::vector<Value> results;
    try {
        results = evaluateOp(op, values, types);
    } catch (const UserError &) {
        // The call will say it with the apply's place.
        return declined("it fails on these constants");
    } catch (const std::bad_alloc &) {
        return declined("there is no memory for the value");
    }
    for (const Value &result : results)
        if (!result.isTensor() || result.tensor().size() > kLargestFold) return declined("the value would be too large to keep");
    for (std::size_t i = 0; i < results.size(); ++i)
        if (!node.output(i).clients().empty())
            edit.replace(node.output(i), edit.constant(Value(results[i].tensor().copy()), node.output(i).type()), FateKind::Constant);
    return replaced("computed once, now");
}

REWRITE(constant_folding, Phase::Canonicalize)
    .why("what depends on constants only is computed once, when the function is made")
    .hurts("a large folded constant takes memory for the life of the function")
    .example("x + exp(constant(2.0, float64)) * 3", "x + 22.16716829679195")
    .nearMiss("exp(x)")
    .also({Phase::Specialize, Phase::Uncanonicalize})
    .tag("fast_compile")
    .at(90)
    .waitsFor("fold_after_stabilize")
    .matchAll(fold);

REWRITE(fold_after_stabilize, Phase::Stabilize)
    .why("folding after stabilization lets constants gain it too: log(1 + 1e-20) is 1e-20, not 0")
    .hurts("a large folded constant takes memory for the life of the function")
    .pass("fold_after_stabilize")
    .example("log(1 + constant(1e-20, float64)) + x", "1e-20 + x")
    .with({"local_log1p"})
    .nearMiss("exp(x)")
    .tag("croton")
    .matchAll(fold);

REWRITE(constant_folding_exact, Phase::Canonicalize)
    .why("casts, reshuffles and integers cannot lose digits, so they need not wait for stabilization")
    .hurts("a large folded constant takes memory for the life of the function")
    .example("s: dscalar; s + cast(constant(2, int8), float64)", "s: dscalar; s + 2.0")
    .nearMiss("x + exp(constant(2.0))")
    .tag("croton")
    .fastCompile()
    .at(90)
    .matchAll([](const NodeHandle &node, Editor &edit) {
        bool exact = true;
        for (std::size_t i = 0; i < node.outputCount(); ++i)
            exact &= node.output(i).type().isTensor() && isDiscrete(node.output(i).dtype());
        if (const Elemwise *op = node.opAs<Elemwise>()) {
            switch (op->scalar()->code()) {
            case ScalarCode::Cast:
            case ScalarCode::Mul:
            case ScalarCode::Neg:
            case ScalarCode::Inv:
            case ScalarCode::TrueDiv:
            case ScalarCode::Second:
            case ScalarCode::Identity:
            case ScalarCode::Sqr:
            case ScalarCode::Sqrt:
            case ScalarCode::Abs:
            case ScalarCode::Pow: exact = true; break;
            default: break;
            }
        } else if (node.opAs<DimShuffle>() || node.opAs<MakeVector>()) {
            exact = true;
        }
        if (exact) return fold(node, edit);
        const RewriteResult constant = allConstant(node);
        return constant.isReplaced() ? declined("waits until stabilization has seen it") : constant;
    });

} // namespace
} // namespace engine
