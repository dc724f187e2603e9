// Sums with arrays that are zero but for a few parts: steps along the gradient of what was indexed.
#include "engine/ops/index/index_advanced.h"
#include "engine/rewrite/machine/build.h"
#include "engine/rewrite/machine/predicates.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::size_t kMostWrites = 16, kMostFactors = 16;

bool isWrite(const NodeHandle &node)
{
    return node.opAs<IncSubtensor>() || node.opAs<AdvancedIncSubtensor1>() || node.opAs<AdvancedIncSubtensor>();
}

/// The op that adds what this one writes; null if it does something else. Setting parts of zeros is adding to them, where
/// no place is named twice, as in a basic index.
OpRef additionOf(const NodeHandle &node)
{
    if (const auto *op = node.opAs<IncSubtensor>())
        return op->inplace() || (op->isSet() && !isConstantOf(node.input(0), 0)) ? OpRef()
                                                                                 : makeOp<IncSubtensor>(op->entries(), false, false);
    if (const auto *op = node.opAs<AdvancedIncSubtensor1>()) return op->inplace() || op->isSet() ? OpRef() : node.op();
    if (const auto *op = node.opAs<AdvancedIncSubtensor>()) return op->inplace() || op->isSet() ? OpRef() : node.op();
    return {};
}

/// v without its axes, if all of them only repeat it.
std::optional<VarHandle> asScalar(Editor &edit, VarHandle v)
{
    if (!isSingle(v)) return std::nullopt;
    if (const auto value = v.isConstant() ? constantValue(v) : std::nullopt) return constantLike(edit, v.dtype(), 0, *value);
    return dimshuffle(edit, v, {});
}

bool isScaling(const NodeHandle &node, VarHandle v)
{
    const Elemwise *op = elemwiseOf(node);
    if (!op || !(node.output().type() == v.type())) return false;
    return op->is(ScalarCode::Mul) || op->is(ScalarCode::Neg) || (op->is(ScalarCode::TrueDiv) && node.input(0) == v);
}

REWRITE(croton_increment_of_zeros, Phase::Specialize)
    .why(
        "W - c * gradient walks through all of W where only the parts that were looked up have a gradient; adding to those parts touches nothing else")
    .hurts("several values for one place are added one by one and may round differently")
    .dropsNan("c * 0 in the parts without an increment, where c is infinite or nan")
    .example("w: dmatrix; i: lvector; y: dmatrix; c: dscalar; w - c * inc_subtensor(zeros_like(w)[i], y)",
             "w: dmatrix; i: lvector; y: dmatrix; c: dscalar; inc_subtensor(w[i], -(c * y))")
    .example("w: dmatrix; v: dvector; w * 2 + 0.5 * inc_subtensor(zeros_like(w)[1], v)",
             "w: dmatrix; v: dvector; inc_subtensor((w * 2)[1], 0.5 * v)")
    .nearMiss("w: dmatrix; i: lvector; y: dmatrix; w - w * inc_subtensor(zeros_like(w)[i], y)")
    .nearMiss("w: dmatrix; i: lvector; y: dmatrix; w + 2 * inc_subtensor(exp(w)[i], y)")
    .nearMiss("w: dmatrix; i: lvector; y: dmatrix; d = inc_subtensor(zeros_like(w)[i], y); (w + 2 * d) * sum(d)")
    .tag("croton")
    .match<IncSubtensor, AdvancedIncSubtensor1, AdvancedIncSubtensor>([](const NodeHandle &node, Editor &edit) {
        if (!isFloatType(node.output())) return declined("not a float");
        // Down to the zeros, which may get several writes.
        std::vector<NodeHandle> writes;
        for (VarHandle v = node.output(); !isConstantOf(v, 0); v = writes.back().input(0)) {
            const ApplyId owner = ownerOf(v);
            if (owner == kNoApply) return declined("the array is not all zeros");
            const NodeHandle write(node.graph(), owner);
            if (!additionOf(write)) return declined(isWrite(write) ? "a part is set, not added to" : "the array is not all zeros", owner);
            if (writes.size() == kMostWrites) return declined("too many parts are written", owner);
            if (!writes.empty() && !v.hasOneClient()) return declined("the array has other readers before all parts are written", owner);
            writes.push_back(write);
        }
        // Up to the sum, through what only scales.
        VarHandle term = node.output();
        std::vector<NodeHandle> scalings;
        std::optional<NodeHandle> reader;
        for (;; term = reader->output()) {
            if (!term.hasOneClient()) return declined("the array has several readers", ownerOf(term));
            reader = onlyReader(term);
            if (!reader) return declined("the array is a result itself");
            if (!isScaling(*reader, term)) break;
            if (scalings.size() == kMostFactors) return declined("too many factors", reader->id());
            scalings.push_back(*reader);
        }
        if (isWrite(*reader) && reader->input(0) == term) return declined("another part is written behind it", reader->id());
        const VarHandle out = reader->output();
        const Elemwise *sum = elemwiseOf(*reader);
        const bool isSub = sum && sum->is(ScalarCode::Sub) && reader->input(1) == term;
        if (!isSub && !(sum && sum->is(ScalarCode::Add))) return declined("its reader is no sum", reader->id());
        if (!(term.type() == out.type())) return declined("the sum is larger or of another dtype", reader->id());

        std::vector<VarHandle> others = reader->inputs();
        others.erase(std::find(others.begin(), others.end(), term));
        VarHandle base = total(edit, others, out);
        if (!(base.type() == out.type())) return declined("the other terms are repeated", reader->id());
        for (std::size_t i = writes.size(); i-- > 0;) {
            VarHandle y = castTo(edit, writes[i].input(1), out.dtype());
            VarHandle from = node.output();
            for (const NodeHandle &scaling : scalings) {
                std::vector<VarHandle> inputs;
                for (const VarHandle &input : scaling.inputs()) {
                    const auto factor = input == from ? std::optional(y) : asScalar(edit, input);
                    if (!factor) return declined("a factor has an element for each of the array", scaling.id());
                    inputs.push_back(*factor);
                }
                y = elementwise(edit, elemwiseOf(scaling)->scalar(), inputs);
                from = scaling.output();
            }
            if (isSub) y = elementwise(edit, ScalarCode::Neg, {y});
            std::vector<VarHandle> inputs = writes[i].inputs();
            inputs[0] = base;
            inputs[1] = y;
            base = edit.make(additionOf(writes[i]), inputs);
        }
        // Looking at them counts as matching.
        for (const NodeHandle &write : writes) write.output().owner();
        for (const NodeHandle &scaling : scalings) scaling.output().owner();
        out.owner();
        return become(edit, *reader, base, "the parts are added to the other terms");
    });

} // namespace
} // namespace engine
