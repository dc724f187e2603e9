// Work that leaves the steps of a loop: done once for all steps, before it or after it.
#include "engine/ops/index/index.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rewrite/execution/scan_parts.h"
#include "engine/rewrite/machine/build.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace engine {
namespace {

VarHandle sizeAlong(Editor &edit, VarHandle array, int axis) { return edit.make(makeOp<Shape_i>(axis), {array}); }

VarHandle reshaped(Editor &edit, VarHandle array, std::vector<VarHandle> sizes)
{
    const int rank = static_cast<int>(sizes.size());
    const VarHandle shape = edit.make(makeOp<MakeVector>(DType::Int64), sizes);
    return edit.make(makeOp<Reshape>(rank), {array, shape});
}

VarHandle times(Editor &edit, VarHandle a, VarHandle b) { return elementwise(edit, ScalarCode::Mul, {a, b}); }

VarHandle dotOf(Editor &edit, VarHandle a, VarHandle b) { return edit.make(makeOp<Dot>(), {a, b}); }

// The first two axes as one.
VarHandle joinedSteps(Editor &edit, VarHandle array)
{
    return reshaped(edit, array, {times(edit, sizeAlong(edit, array, 0), sizeAlong(edit, array, 1)), sizeAlong(edit, array, 2)});
}

Type rowOf(Type type) { return Type::tensor(type.dtype(), type.shape().subspan(1)); }

bool fits(VarHandle rows, const VarRef &inner)
{
    const Type row = rowOf(rows.type());
    return row == inner->type() || row.convertibleTo(inner->type());
}

// --- before the loop ----------------------------------------------------------------------------------

/// Computes for whole sequences what steps compute of their elements.
class Wholes {
public:
    Wholes(Editor &edit, const ScanParts &parts) : m_edit(edit)
    {
        for (const ScanParts::Input &input : parts.sequences)
            m_known[input.inner.get()] = {asInside(edit, input.outer, input.inner->type(), 1), true, false};
        for (const ScanParts::Input &input : parts.fixed)
            m_known[input.inner.get()] = {asInside(edit, input.outer, input.inner->type()), false, false};
    }

    /// What is known of all steps at once; `isWorth`: there is work in it, not only views.
    struct Whole {
        VarHandle value;
        bool isRows = false, isWorth = false;
    };
    const Whole *find(const Variable *variable) const
    {
        const auto found = m_known.find(variable);
        return found == m_known.end() ? nullptr : &found->second;
    }

    bool add(const Apply &apply)
    {
        if (apply.outputCount() != 1) return false;
        std::vector<Whole> inputs;
        bool anyRows = false, isWorth = false;
        for (const VarRef &input : apply.inputs()) {
            if (input->kind() == Variable::Kind::Constant) {
                inputs.push_back({m_edit.constant(input->value(), input->type(), input->name()), false, false});
                continue;
            }
            const Whole *known = find(input.get());
            if (!known) return false;
            inputs.push_back(*known);
            anyRows |= known->isRows;
            isWorth |= known->isWorth;
        }
        if (!anyRows) return false;
        const std::optional<VarHandle> value = compute(apply, inputs);
        if (!value || !fits(*value, VarRef(apply.output(0)))) return false;
        m_known[apply.output(0)] = {*value, true, isWorth || !opCast<DimShuffle>(apply.opRef())};
        return true;
    }

private:
    std::optional<VarHandle> compute(const Apply &apply, const std::vector<Whole> &inputs)
    {
        if (const Elemwise *elemwise = opCast<Elemwise>(apply.opRef())) {
            std::vector<VarHandle> values;
            for (const Whole &input : inputs) values.push_back(input.value);
            return elementwise(m_edit, elemwise->scalar(), values);
        }
        if (const DimShuffle *view = opCast<DimShuffle>(apply.opRef())) {
            std::vector<int> order{0};
            for (int axis : view->order()) order.push_back(axis < 0 ? axis : axis + 1);
            return dimshuffle(m_edit, inputs[0].value, order);
        }
        if (opCast<Dot>(apply.opRef())) return product(apply, inputs);
        return std::nullopt;
    }

    std::optional<VarHandle> product(const Apply &apply, const std::vector<Whole> &inputs)
    {
        const Whole &a = inputs[0], &b = inputs[1];
        if (a.isRows && b.isRows) return std::nullopt;
        const int rankA = apply.input(0)->type().rank(), rankB = apply.input(1)->type().rank();
        if (b.isRows) {
            if (rankA != 2 || rankB != 1) return std::nullopt;
            return dotOf(m_edit, b.value, dimshuffle(m_edit, a.value, {1, 0}));
        }
        if (rankA == 1) return dotOf(m_edit, a.value, b.value);
        const VarHandle flat = dotOf(m_edit, joinedSteps(m_edit, a.value), b.value);
        std::vector<VarHandle> sizes{sizeAlong(m_edit, a.value, 0), sizeAlong(m_edit, a.value, 1)};
        if (rankB == 2) sizes.push_back(sizeAlong(m_edit, b.value, 1));
        return reshaped(m_edit, flat, sizes);
    }

    Editor &m_edit;
    std::unordered_map<const Variable *, Whole> m_known;
};

REWRITE(scanOp_pushout_seqs_ops, Phase::Merge)
    .why("what a step computes of the elements of sequences alone is computed for all elements at once, before the loop")
    .hurts("the results of all steps are kept; it is computed although the loop may run fewer steps")
    .pass("scan_eqopt1")
    .at(1)
    .example("x: dmatrix; h: dvector; r: dvector; b: dmatrix; n: lscalar; loop(h, tanh(h + exp(r)), b, n, row=r, sequence=x)",
             "x: dmatrix; h: dvector; r: dvector; b: dmatrix; n: lscalar; loop(h, tanh(h + r), b, n, row=r, sequence=exp(x))")
    .nearMiss("x: dmatrix; h: dvector; r: dvector; b: dmatrix; n: lscalar; loop(h, tanh(h * r), b, n, row=r, sequence=x)")
    .match<Scan>([](const NodeHandle &node, Editor &edit) {
        ScanParts parts(node);
        if (parts.sequences.empty()) return declined("it goes along no sequences");
        if (parts.condition) return declined("a condition may end it early");
        if (hasChoice(*node.opAs<Scan>()->inner())) return declined("a choice in the body decides what runs");
        std::vector<VarRef> ends;
        for (const auto *inputs : {&parts.sequences, &parts.fixed})
            for (const ScanParts::Input &input : *inputs) ends.push_back(input.inner);
        Wholes wholes(edit, parts);
        std::vector<VarRef> border, stands;
        std::unordered_set<const Variable *> seen;
        const auto reads = [&](const VarRef &variable) {
            const Wholes::Whole *whole = wholes.find(variable.get());
            if (!whole || !whole->isWorth || !seen.insert(variable.get()).second) return;
            border.push_back(variable);
            stands.push_back(Variable::input(variable->type(), variable->name()));
            parts.sequences.push_back({stands.back(), whole->value});
        };
        for (Apply *apply : toposort(parts.results()))
            if (!wholes.add(*apply))
                for (const VarRef &input : apply->inputs()) reads(input);
        for (const VarRef &result : parts.results()) reads(result);
        if (border.empty()) return declined("all of the body depends on the steps before");
        parts.substituteResults(border, stands);
        parts.dropUnread();
        if (!parts.replace(edit, node)) return declined("the type would change");
        return replaced("it is computed for all steps at once");
    });

} // namespace
} // namespace engine
