// The gradient of exp(x) / sum(exp(x)), also with weights on exp(x), as people write it: term by term it is inf / inf² above 709, as that
// of a softmax it is not.
#include "engine/gradient/passage.h"
#include "engine/ops/elements/compose.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/shapes/dimshuffle.h"

#include <algorithm>
#include <numeric>

namespace engine {
namespace {

const Apply *madeBy(const VarRef &v, ScalarCode code)
{
    const Apply *owner = v->owner();
    const Elemwise *op = owner ? opCast<Elemwise>(owner->opRef()) : nullptr;
    return op && op->is(code) ? owner : nullptr;
}

/// A sum along these axes, spread over what is summed again.
struct SpreadSum {
    VarRef summed;
    std::vector<int> axes;
    std::vector<VarRef> past;
};

enum class Form : std::uint8_t { Itself, Inverse, Logarithm };

std::optional<SpreadSum> spreadSumOf(VarRef v, Form form)
{
    bool inverted = form == Form::Inverse, isLog = false;
    std::vector<VarRef> past;
    std::vector<int> order(static_cast<std::size_t>(v->type().rank()));
    std::iota(order.begin(), order.end(), 0);
    for (int depth = 0; depth < 8; ++depth) {
        const Apply *owner = v->owner();
        if (!owner) return std::nullopt;
        past.push_back(v);
        if (const auto *shuffle = opCast<DimShuffle>(owner->opRef())) {
            for (int &axis : order)
                if (axis != DimShuffle::kNewAxis) axis = shuffle->order()[static_cast<std::size_t>(axis)];
            v = owner->input(0);
        } else if (madeBy(v, ScalarCode::Log) && form == Form::Logarithm && !isLog) {
            isLog = true;
            v = owner->input(0);
        } else if (form == Form::Logarithm) {
            break;
        } else if (madeBy(v, ScalarCode::Inv)) {
            inverted = !inverted;
            v = owner->input(0);
        } else if (madeBy(v, ScalarCode::TrueDiv) && scalarConstantValue(owner->input(0)) == 1) {
            inverted = !inverted;
            v = owner->input(1);
        } else if (madeBy(v, ScalarCode::Pow) && scalarConstantValue(owner->input(1)) == -1) {
            inverted = !inverted;
            v = owner->input(0);
        } else break;
    }
    const Apply *owner = v->owner();
    const CAReduce *sum = owner ? opCast<CAReduce>(owner->opRef()) : nullptr;
    if (!sum || sum->kind() != ReduceKind::Sum || inverted || isLog != (form == Form::Logarithm)) return std::nullopt;
    const VarRef &summed = owner->input(0);
    past.push_back(summed);
    const int rank = summed->type().rank();
    const std::vector<int> axes = sum->axesFor(rank);
    std::vector<int> wanted;
    for (int axis = 0, next = 0; axis < rank; ++axis)
        wanted.push_back(std::find(axes.begin(), axes.end(), axis) != axes.end() ? DimShuffle::kNewAxis : next++);
    if (order != wanted) return std::nullopt;
    return SpreadSum{summed, axes, std::move(past)};
}

VarRef gradientOf(const VarRef &softmax, const VarRef &g, const std::vector<int> &axes)
{
    const int rank = softmax->type().rank();
    const VarRef arriving = g->type() == softmax->type() ? g : elementwise(ScalarCode::Second, {softmax, g});
    const auto ofRows = [](const VarRef &dy, const VarRef &sm) { return apply(makeOp<SoftmaxGrad>(), {dy, sm}); };
    if (rank == 1) {
        const std::vector<int> asRow{DimShuffle::kNewAxis, 0};
        return dimshuffle(ofRows(dimshuffle(arriving, asRow), dimshuffle(softmax, asRow)), {1});
    }
    if (rank == 2 && axes == std::vector{1}) return ofRows(arriving, softmax);
    if (rank == 2 && axes == std::vector{0}) return transpose(ofRows(transpose(arriving), transpose(softmax)));
    const VarRef weighted = mul(arriving, softmax);
    return sub(weighted, mul(softmax, sum(weighted, axes, true)));
}

VarRef powerOf(const VarRef &v, const Type &type)
{
    const Apply *power = madeBy(v, ScalarCode::Exp);
    return power && power->input(0)->type() == type && !isComplex(type.dtype()) ? power->input(0) : VarRef();
}

bool isSame(const VarRef &a, const VarRef &b, const Type &type)
{
    if (a.get() == b.get()) return true;
    const VarRef x = powerOf(a, type), y = powerOf(b, type);
    return x && y && x.get() == y.get();
}

/// exp(x), or exp(x) times weights that nobody differentiates: a softmax of what they leave.
struct Weighted {
    VarRef x;
    std::vector<VarRef> powers, weights;
};

std::optional<Weighted> weightedOf(const VarRef &v, const Type &type)
{
    if (const VarRef x = powerOf(v, type)) return Weighted{x, {v}, {}};
    const Apply *product = madeBy(v, ScalarCode::Mul);
    if (!product) return std::nullopt;
    Weighted found;
    for (const VarRef &factor : product->inputs()) {
        const VarRef x = powerOf(factor, type);
        (x && !found.x ? found.powers : found.weights).push_back(factor);
        if (x && !found.x) found.x = x;
    }
    if (!found.x) return std::nullopt;
    found.powers.push_back(v);
    return found;
}

bool isSameProduct(const VarRef &a, const VarRef &b, const Type &type)
{
    if (isSame(a, b, type)) return true;
    const Apply *left = madeBy(a, ScalarCode::Mul), *right = madeBy(b, ScalarCode::Mul);
    return left && right &&
           std::equal(left->inputs().begin(), left->inputs().end(), right->inputs().begin(), right->inputs().end(),
                      [&](const VarRef &one, const VarRef &other) { return isSame(one, other, type); });
}

std::optional<Passage> passageTo(const Apply &apply, const VarRef &above, const VarRef &below, Form form)
{
    const Type &type = apply.output(0)->type();
    auto weighted = weightedOf(above, type);
    auto sum = weighted ? spreadSumOf(below, form) : std::nullopt;
    if (!sum || !isSameProduct(above, sum->summed, type)) return std::nullopt;
    const auto ofSum = weightedOf(sum->summed, type);
    sum->past.insert(sum->past.end(), weighted->powers.begin(), weighted->powers.end());
    sum->past.insert(sum->past.end(), ofSum->powers.begin(), ofSum->powers.end());
    const VarRef softmax(apply.output(0));
    return Passage{weighted->x, std::move(sum->past), std::move(weighted->weights),
                   [softmax, axes = sum->axes](const VarRef &g) { return gradientOf(softmax, g, axes); }};
}

std::optional<Passage> passageOfSoftmax(const Apply &apply)
{
    const Elemwise *op = opCast<Elemwise>(apply.opRef());
    if (!op || apply.inputs().empty()) return std::nullopt;
    if (op->is(ScalarCode::Exp)) {
        const Apply *difference = madeBy(apply.input(0), ScalarCode::Sub);
        const Type &type = apply.output(0)->type();
        if (!difference || !(difference->input(0)->type() == type)) return std::nullopt;
        auto sum = spreadSumOf(difference->input(1), Form::Logarithm);
        const VarRef x = sum ? powerOf(sum->summed, type) : VarRef();
        if (!x || x.get() != difference->input(0).get()) return std::nullopt;
        sum->past.push_back(apply.input(0));
        const VarRef softmax(apply.output(0));
        return Passage{x, std::move(sum->past), {}, [softmax, axes = sum->axes](const VarRef &g) { return gradientOf(softmax, g, axes); }};
    }
    if (apply.inputs().size() != 2) return std::nullopt;
    if (op->is(ScalarCode::TrueDiv)) return passageTo(apply, apply.input(0), apply.input(1), Form::Itself);
    if (!op->is(ScalarCode::Mul)) return std::nullopt;
    auto found = passageTo(apply, apply.input(0), apply.input(1), Form::Inverse);
    return found ? std::move(found) : passageTo(apply, apply.input(1), apply.input(0), Form::Inverse);
}

[[maybe_unused]] const bool k_passage = registerPassage(passageOfSoftmax);

} // namespace
} // namespace engine
