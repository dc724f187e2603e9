// The gradient of exp(x) / sum(exp(x)) as people write it: term by term it is inf / inf² above 709, as that of a softmax it is not.
#include "engine/gradient/passage.h"
#include "engine/ops/compose.h"
#include "engine/ops/dimshuffle.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/reduce.h"
#include "engine/ops/softmax.h"

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

/// What is below the line: sum(exp(x)) along these axes, spread over x again.
struct ExpSum {
    VarRef x;
    std::vector<int> axes;
    std::vector<VarRef> past;
};

enum class Form : std::uint8_t { Itself, Inverse, Logarithm };

std::optional<ExpSum> expSumOf(VarRef v, Form form)
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
        } else if (madeBy(v, ScalarCode::Inv)) {
            inverted = !inverted;
            v = owner->input(0);
        } else if (madeBy(v, ScalarCode::TrueDiv) && scalarConstantValue(owner->input(0)) == 1) {
            inverted = !inverted;
            v = owner->input(1);
        } else if (madeBy(v, ScalarCode::Pow) && scalarConstantValue(owner->input(1)) == -1) {
            inverted = !inverted;
            v = owner->input(0);
        } else if (madeBy(v, ScalarCode::Log) && !isLog) {
            isLog = true;
            v = owner->input(0);
        } else break;
    }
    const Apply *owner = v->owner();
    const CAReduce *sum = owner ? opCast<CAReduce>(owner->opRef()) : nullptr;
    if (!sum || sum->kind() != ReduceKind::Sum || inverted || isLog != (form == Form::Logarithm)) return std::nullopt;
    const Apply *power = madeBy(owner->input(0), ScalarCode::Exp);
    if (!power) return std::nullopt;
    past.push_back(owner->input(0));
    const VarRef x = power->input(0);
    const std::vector<int> axes = sum->axesFor(x->type().rank());
    std::vector<int> wanted;
    for (int axis = 0, next = 0; axis < x->type().rank(); ++axis)
        wanted.push_back(std::find(axes.begin(), axes.end(), axis) != axes.end() ? DimShuffle::kNewAxis : next++);
    if (order != wanted) return std::nullopt;
    return ExpSum{x, axes, std::move(past)};
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

Passage passage(const Apply &apply, ExpSum sum, const VarRef &also)
{
    sum.past.push_back(also);
    const VarRef softmax(apply.output(0));
    return {sum.x, std::move(sum.past), [softmax, axes = sum.axes](const VarRef &g) { return gradientOf(softmax, g, axes); }};
}

std::optional<Passage> passageOfSoftmax(const Apply &apply)
{
    const Elemwise *op = opCast<Elemwise>(apply.opRef());
    if (op && op->is(ScalarCode::Exp)) {
        const Apply *difference = madeBy(apply.input(0), ScalarCode::Sub);
        if (!difference || !(difference->input(0)->type() == apply.output(0)->type())) return std::nullopt;
        auto sum = expSumOf(difference->input(1), Form::Logarithm);
        if (!sum || sum->x.get() != difference->input(0).get()) return std::nullopt;
        return passage(apply, std::move(*sum), apply.input(0));
    }
    const bool isQuotient = op && op->is(ScalarCode::TrueDiv), isProduct = op && op->is(ScalarCode::Mul);
    if ((!isQuotient && !isProduct) || apply.inputs().size() != 2) return std::nullopt;
    for (int i = 0; i < (isProduct ? 2 : 1); ++i) {
        const VarRef &above = apply.input(i);
        const Apply *power = madeBy(above, ScalarCode::Exp);
        if (!power || !(power->input(0)->type() == apply.output(0)->type()) || isComplex(above->type().dtype())) continue;
        auto sum = expSumOf(apply.input(1 - i), isProduct ? Form::Inverse : Form::Itself);
        if (sum && sum->x.get() == power->input(0).get()) return passage(apply, std::move(*sum), above);
    }
    return std::nullopt;
}

[[maybe_unused]] const bool k_passage = registerPassage(passageOfSoftmax);

} // namespace
} // namespace engine
